import { hasFinalizer, keyOf } from "@pilothouse/api"
import { type PersistentVolumeClaim, type Pod, persistentVolumeClaims, pods } from "@pilothouse/api/core/v1"
import type { Reader } from "@pilothouse/runtime"
import { podsByClaim } from "../shared/pods-by-claim.ts"
import { finalizer } from "./decide.ts"
import type { SharedLists } from "./shared-lists.ts"
import { saysUnused } from "./unused-condition.ts"
import { keeps, uses } from "./users.ts"

export interface Observed {
  readonly claim: PersistentVolumeClaim
  /** A pod that keeps it from going. */
  readonly isKept: boolean
  /** A pod refers to it that has not stopped. */
  readonly isUsed: boolean
}

/** That nobody uses it is said only when the server itself says so: a pod may be too new for the cache. */
export async function observe(key: string, read: Reader, lists: SharedLists<readonly Pod[]>): Promise<Observed | undefined> {
  const claim = read.get(persistentVolumeClaims, key)
  if (claim === undefined) return undefined
  const cached = found(claim, read.byIndex(podsByClaim, keyOf(claim)))
  if (!mustBeSure(cached)) return cached
  const { namespace = "" } = claim.metadata
  return found(claim, await lists.ask(namespace, () => read.liveList(pods, namespace)))
}

function found(claim: PersistentVolumeClaim, of: readonly Pod[]): Observed {
  return { claim, isKept: of.some((pod) => keeps(pod, claim)), isUsed: of.some((pod) => uses(pod, claim)) }
}

/** Whether something would be written because there is no such pod. */
function mustBeSure({ claim, isKept, isUsed }: Observed): boolean {
  if (claim.metadata.deletionTimestamp !== undefined) return !isKept && hasFinalizer(claim, finalizer)
  return claim.status?.phase === "Bound" && !isUsed && !saysUnused(claim)
}
