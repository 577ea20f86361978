import { type KubeObject, nothing, selectorOf } from "@pilothouse/api"
import { type ControllerRevision, type StatefulSet, statefulSets } from "@pilothouse/api/apps/v1"
import { type PersistentVolumeClaim, type Pod, persistentVolumeClaims, pods } from "@pilothouse/api/core/v1"
import { byController, claim, index, type KubeOperation, liveOwner, type Reader } from "@pilothouse/runtime"
import { candidateRevisions, type Proposal, proposeRevision } from "../controller-revisions/observe-revisions.ts"
import { orphansByLabel, orphansMatching } from "../shared/orphan-index.ts"
import { selectorBuckets, selectorIndex } from "../shared/selector-index.ts"
import type { Claims } from "./claims.ts"
import { claimName, inRange, isMember, mostCreates, ordinalOf, replicasOf } from "./ordinals.ts"

export const podsByController = byController(pods)
export const orphanPods = orphansByLabel(pods)
export const statefulSetsBySelector = selectorIndex(statefulSets, ({ spec }) => selectorOf(spec?.selector))

/** Sets under what the names of their claims begin with: "default/data-web". */
export const setsByClaim = index(statefulSets, "claim", ({ metadata, spec }) =>
  (spec?.volumeClaimTemplates ?? []).map((template) => `${metadata.namespace}/${template.metadata?.name}-${metadata.name}`),
)

export interface Observed {
  readonly set: StatefulSet
  /** Its own, and the orphans that the claims make its own; all have a name with a number. */
  readonly pods: readonly Pod[]
  readonly revisions: readonly ControllerRevision[]
  readonly proposal: Proposal
  /** Adoptions and releases. */
  readonly ownership: readonly KubeOperation[]
  /** Those of the pods that are there and of those that should be. */
  readonly claims: Claims
}

export async function observe(key: string, read: Reader): Promise<Observed | undefined> {
  const first = read.get(statefulSets, key)
  if (first === undefined) return undefined
  const live = await liveOwner<KubeObject>(read, {
    ...claimFor(first),
    candidates: [...membersOf(first, read), ...revisionsOf(first, read)],
  })
  // The caches may have moved on while the server was asked.
  const set = live === undefined ? first : read.get(statefulSets, key)
  // The API server takes no selector that means nothing or everything.
  if (set === undefined || selectorBuckets(claimFor(set).selector).length === 0) return undefined
  const members = claim({ ...claimFor(set), live, candidates: membersOf(set, read) })
  // Whatever selector: what has no place in the numbering is let go.
  const others = claim({ ...claimFor(set), live, selector: nothing, candidates: strangersOf(set, read) })
  const history = claim({ ...claimFor(set), live, candidates: revisionsOf(set, read) })
  return {
    set,
    pods: members.owned,
    revisions: history.owned,
    proposal: proposeRevision(read, set, set.spec?.template ?? {}, set.status?.collisionCount ?? 0),
    ownership: [...members.adopt, ...members.release, ...others.release, ...history.adopt],
    claims: claimsOf(set, members.owned, read),
  }
}

function claimFor(owner: StatefulSet) {
  return { owner, kind: statefulSets, selector: statefulSetsBySelector.selectorOf(owner) }
}

function membersOf(set: StatefulSet, read: Reader): readonly Pod[] {
  const orphans = orphansMatching(read, orphanPods, set.metadata.namespace ?? "", statefulSetsBySelector.selectorOf(set))
  return [...podsOf(set, read), ...orphans].filter((pod) => isMember(set, pod))
}

function strangersOf(set: StatefulSet, read: Reader): readonly Pod[] {
  return podsOf(set, read).filter((pod) => !isMember(set, pod))
}

function podsOf(set: StatefulSet, read: Reader): readonly Pod[] {
  return read.byIndex(podsByController, set.metadata.uid ?? "")
}

function revisionsOf(set: StatefulSet, read: Reader): readonly ControllerRevision[] {
  return candidateRevisions(read, set, statefulSetsBySelector.selectorOf(set))
}

function claimsOf(set: StatefulSet, members: readonly Pod[], read: Reader): Claims {
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
  for (const pod of members) lookUp(ordinalOf(pod))
  // A place whose claims hold its pod back takes none of the batch, so the walk ends only after enough places that have no claim yet.
  const staying = inRange(set, members)
  const most = mostCreates(set, staying)
  let free = 0
  for (const { ordinal, pod } of replicasOf(set, staying, () => free >= most)) {
    if (pod !== undefined) continue
    const before = claims.size
    lookUp(ordinal)
    if (claims.size === before) free++
  }
  return claims
}
