import { hasFinalizer, keyOf } from "@pilothouse/api"
import { type PersistentVolumeClaim, type Pod, persistentVolumeClaims, pods } from "@pilothouse/api/core/v1"
import type { Reader } from "@pilothouse/runtime"
import { podsByClaim } from "../shared/pods-by-claim.ts"
import { finalizer } from "./decide.ts"
import type { SharedLists } from "./shared-lists.ts"
import { saysUnused } from "./unused-condition.ts"
import { blocksDeletion, uses } from "./users.ts"

export interface Observed {
  readonly claim: PersistentVolumeClaim
  /** A pod blocks the deletion of the claim. */
  readonly isBlocked: boolean
  /** A pod that has not stopped refers to the claim. */
  readonly isUsed: boolean
}

/** Lists from the API server before a claim counts as unused: a pod may be too new for the cache. */
export async function observe(key: string, read: Reader, lists: SharedLists<readonly Pod[]>): Promise<Observed | undefined> {
  const claim = read.get(persistentVolumeClaims, key)
  if (claim === undefined) return undefined
  const cached = observePods(claim, read.byIndex(podsByClaim, keyOf(claim)))
  if (!needsLiveList(cached)) return cached
  const { namespace = "" } = claim.metadata
  return observePods(claim, await lists.get(namespace, () => read.liveList(pods, namespace)))
}

function observePods(claim: PersistentVolumeClaim, of: readonly Pod[]): Observed {
  return { claim, isBlocked: of.some((pod) => blocksDeletion(pod, claim)), isUsed: of.some((pod) => uses(pod, claim)) }
}

/** Reports whether the absence of such a pod would cause a write. */
function needsLiveList({ claim, isBlocked, isUsed }: Observed): boolean {
  if (claim.metadata.deletionTimestamp !== undefined) return !isBlocked && hasFinalizer(claim, finalizer)
  return claim.status?.phase === "Bound" && !isUsed && !saysUnused(claim)
}
