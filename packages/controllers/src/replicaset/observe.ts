import { controllerOf, type Descriptor, isPodActive, isPodTerminating, type KubeObject, matchesLabels } from "@pilothouse/api"
import { replicaSets } from "@pilothouse/api/apps/v1"
import { type Pod, pods } from "@pilothouse/api/core/v1"
import { byController, claim, type KubeOperation, liveOwner, type Reader } from "@pilothouse/runtime"
import { orphansByLabel, orphansMatching } from "../shared/orphan-index.ts"
import { selectorBuckets } from "../shared/selector-index.ts"
import { desiredReplicas, type ReplicaKind, type Replicated, selectorFor } from "./replica-kind.ts"

export const podsByController = byController(pods)
export const orphanPods = orphansByLabel(pods)
export const replicaSetsByController = byController(replicaSets)

/** A ReplicaSet or ReplicationController and its pods. */
export interface Observed {
  readonly owner: Replicated
  readonly kind: ReplicaKind
  /** Pods that count as replicas: owned ones, and orphans that the claims adopt. */
  readonly active: readonly Pod[]
  /** Terminating pods. */
  readonly terminating: readonly Pod[]
  /** Adoptions and releases. */
  readonly claims: readonly KubeOperation[]
  /** Pods of the owner and its siblings; read only when some have to be deleted. */
  readonly related: readonly Pod[]
}

/** Reads a ReplicaSet or ReplicationController and its pods, claimed by a live read where an adoption is due; undefined when it is gone. */
export async function observe<T extends Replicated>(key: string, read: Reader, kind: ReplicaKind<T>): Promise<Observed | undefined> {
  const first = read.get(kind.of, key)
  if (first === undefined) return undefined
  const live = await liveOwner(read, claimOptions(first, read, kind))
  // The caches may have changed during the request.
  const owner = live === undefined ? first : read.get(kind.of, key)
  // The API server rejects a selector that matches nothing or everything. Pods for one would never be owned, and would be created forever.
  if (owner === undefined || selectorBuckets(selectorFor(kind, owner)).length === 0) return undefined
  const { owned: active, adopt, release } = claim({ ...claimOptions(owner, read, kind), live })
  const selector = selectorFor(kind, owner)
  const terminating = ownedPods(owner, read).filter((pod) => isPodTerminating(pod) && matchesLabels(selector, pod.metadata.labels ?? {}))
  const related = active.length > desiredReplicas(owner) && kind.hasSiblings ? relatedPods(owner, read) : []
  return { owner, kind: kind as unknown as ReplicaKind, active, terminating, claims: [...adopt, ...release], related }
}

function claimOptions<T extends Replicated>(owner: T, read: Reader, kind: ReplicaKind<T>) {
  const selector = selectorFor(kind, owner)
  const orphans = orphansMatching(read, orphanPods, owner.metadata.namespace ?? "", selector)
  const candidates = [...ownedPods(owner, read), ...orphans].filter(isPodActive)
  return { owner, kind: kind.of as Descriptor, selector, candidates }
}

function ownedPods(owner: KubeObject, read: Reader): readonly Pod[] {
  return read.byIndex(podsByController, owner.metadata.uid ?? "")
}

function relatedPods(owner: Replicated, read: Reader): readonly Pod[] {
  const controller = controllerOf(owner)
  if (controller === undefined) return []
  return read.byIndex(replicaSetsByController, controller.uid).flatMap((sibling) => ownedPods(sibling, read))
}
