import { type KubeObject, nothing, selectorOf } from "@pilothouse/api"
import { type ControllerRevision, type StatefulSet, statefulSets } from "@pilothouse/api/apps/v1"
import { type PersistentVolumeClaim, type Pod, persistentVolumeClaims, pods } from "@pilothouse/api/core/v1"
import { byController, claim, index, type KubeOperation, liveOwner, type Reader } from "@pilothouse/runtime"
import { candidateRevisions, type Proposal, proposeRevision } from "../controller-revisions/observe-revisions.ts"
import { orphansByLabel, orphansMatching } from "../shared/orphan-index.ts"
import { selectorBuckets, selectorIndex } from "../shared/selector-index.ts"
import type { Claims } from "./claims.ts"
import { claimName, inRange, isMember, maxCreates, podOrdinal, replicaSlots } from "./ordinals.ts"

export const podsByController = byController(pods)
export const orphanPods = orphansByLabel(pods)
export const statefulSetsBySelector = selectorIndex(statefulSets, ({ spec }) => selectorOf(spec?.selector))

/** Sets by the prefix of their claims' names: "default/data-web". */
export const setsByClaim = index(statefulSets, "claim", ({ metadata, spec }) =>
  (spec?.volumeClaimTemplates ?? []).map((template) => `${metadata.namespace}/${template.metadata?.name}-${metadata.name}`),
)

/** A StatefulSet, its pods with their claims, and its revisions. */
export interface Observed {
  readonly set: StatefulSet
  /** Owned pods, and orphans that the claims adopt; all have a name with an ordinal. */
  readonly pods: readonly Pod[]
  readonly revisions: readonly ControllerRevision[]
  readonly proposal: Proposal
  /** Adoptions and releases. */
  readonly ownership: readonly KubeOperation[]
  /** The claims of existing and desired pods. */
  readonly claims: Claims
}

/** Reads a StatefulSet, its pods, claims and revisions, claimed by live reads where an adoption is due; undefined when it is gone. */
export async function observe(key: string, read: Reader): Promise<Observed | undefined> {
  const first = read.get(statefulSets, key)
  if (first === undefined) return undefined
  const live = await liveOwner<KubeObject>(read, {
    ...claimOptions(first),
    candidates: [...memberPods(first, read), ...candidateHistory(first, read)],
  })
  // The caches may have changed during the request.
  const set = live === undefined ? first : read.get(statefulSets, key)
  // The API server rejects a selector that matches nothing or everything.
  if (set === undefined || selectorBuckets(claimOptions(set).selector).length === 0) return undefined
  const members = claim({ ...claimOptions(set), live, candidates: memberPods(set, read) })
  // Whatever the selector: a pod without an ordinal is released.
  const others = claim({ ...claimOptions(set), live, selector: nothing, candidates: nonMembers(set, read) })
  const history = claim({ ...claimOptions(set), live, candidates: candidateHistory(set, read) })
  return {
    set,
    pods: members.owned,
    revisions: history.owned,
    proposal: proposeRevision(read, set, set.spec?.template ?? {}, set.status?.collisionCount ?? 0),
    ownership: [...members.adopt, ...members.release, ...others.release, ...history.adopt],
    claims: readClaims(set, members.owned, read),
  }
}

function claimOptions(owner: StatefulSet) {
  return { owner, kind: statefulSets, selector: statefulSetsBySelector.selectorOf(owner) }
}

function memberPods(set: StatefulSet, read: Reader): readonly Pod[] {
  const orphans = orphansMatching(read, orphanPods, set.metadata.namespace ?? "", statefulSetsBySelector.selectorOf(set))
  return [...ownedPods(set, read), ...orphans].filter((pod) => isMember(set, pod))
}

function nonMembers(set: StatefulSet, read: Reader): readonly Pod[] {
  return ownedPods(set, read).filter((pod) => !isMember(set, pod))
}

function ownedPods(set: StatefulSet, read: Reader): readonly Pod[] {
  return read.byIndex(podsByController, set.metadata.uid ?? "")
}

function candidateHistory(set: StatefulSet, read: Reader): readonly ControllerRevision[] {
  return candidateRevisions(read, set, statefulSetsBySelector.selectorOf(set))
}

function readClaims(set: StatefulSet, members: readonly Pod[], read: Reader): Claims {
  const templates = (set.spec?.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name ?? "")
  if (templates.length === 0) return new Map()
  const claims = new Map<string, PersistentVolumeClaim>()
  const lookUp = (ordinal: number): void => {
    for (const template of templates) {
      const name = claimName(set, template, ordinal)
      const found = read.get(persistentVolumeClaims, `${set.metadata.namespace}/${name}`)
      if (found !== undefined) claims.set(name, found)
    }
  }
  for (const pod of members) lookUp(podOrdinal(pod))
  // An ordinal whose claims block its pod does not count for the batch, so the walk ends only after enough ordinals without claims.
  const staying = inRange(set, members)
  const max = maxCreates(set, staying)
  let free = 0
  for (const { ordinal, pod } of replicaSlots(set, staying, () => free >= max)) {
    if (pod !== undefined) continue
    const before = claims.size
    lookUp(ordinal)
    if (claims.size === before) free++
  }
  return claims
}
