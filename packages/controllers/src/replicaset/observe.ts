import { controllerOf, type Descriptor, isPodActive, isPodTerminating, type KubeObject, matchesLabels } from "@pilothouse/api"
import { replicaSets } from "@pilothouse/api/apps/v1"
import { type Pod, pods } from "@pilothouse/api/core/v1"
import { byController, claim, type KubeOperation, liveOwner, type Reader } from "@pilothouse/runtime"
import { orphansByLabel, orphansMatching } from "../shared/orphan-index.ts"
import { selectorBuckets } from "../shared/selector-index.ts"
import { type ReplicaKind, type Replicated, selectorFor, wantedPods } from "./replica-kind.ts"

export const podsByController = byController(pods)
export const orphanPods = orphansByLabel(pods)
export const replicaSetsByController = byController(replicaSets)

export interface Observed {
  readonly owner: Replicated
  readonly kind: ReplicaKind
  /** Pods that count as replicas: its own, and the orphans that the claims make its own. */
  readonly active: readonly Pod[]
  /** Pods on their way out. */
  readonly terminating: readonly Pod[]
  /** Adoptions and releases. */
  readonly claims: readonly KubeOperation[]
  /** Pods of the owner and its siblings; read only where some have to go. */
  readonly related: readonly Pod[]
}

export async function observe<T extends Replicated>(key: string, read: Reader, kind: ReplicaKind<T>): Promise<Observed | undefined> {
  const first = read.get(kind.of, key)
  if (first === undefined) return undefined
  const live = await liveOwner(read, claimOf(first, read, kind))
  // The caches may have moved on while the server was asked.
  const owner = live === undefined ? first : read.get(kind.of, key)
  // The API server takes no selector that means nothing or everything. Pods made for one would never be its own, and made for ever.
  if (owner === undefined || selectorBuckets(selectorFor(kind, owner)).length === 0) return undefined
  const { owned: active, adopt, release } = claim({ ...claimOf(owner, read, kind), live })
  const selector = selectorFor(kind, owner)
  const terminating = podsOf(owner, read).filter((pod) => isPodTerminating(pod) && matchesLabels(selector, pod.metadata.labels ?? {}))
  const related = active.length > wantedPods(owner) && kind.hasSiblings ? relatedPods(owner, read) : []
  return { owner, kind: kind as unknown as ReplicaKind, active, terminating, claims: [...adopt, ...release], related }
}

function claimOf<T extends Replicated>(owner: T, read: Reader, kind: ReplicaKind<T>) {
  const selector = selectorFor(kind, owner)
  const orphans = orphansMatching(read, orphanPods, owner.metadata.namespace ?? "", selector)
  const candidates = [...podsOf(owner, read), ...orphans].filter(isPodActive)
  return { owner, kind: kind.of as Descriptor, selector, candidates }
}

function podsOf(owner: KubeObject, read: Reader): readonly Pod[] {
  return read.byIndex(podsByController, owner.metadata.uid ?? "")
}

function relatedPods(owner: Replicated, read: Reader): readonly Pod[] {
  const controller = controllerOf(owner)
  if (controller === undefined) return []
  return read.byIndex(replicaSetsByController, controller.uid).flatMap((sibling) => podsOf(sibling, read))
}
