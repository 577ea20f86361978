import type { StatefulSet } from "@pilothouse/api/apps/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import type { Claims } from "./claims.ts"
import type { Observed } from "./observe.ts"
import { firstOrdinal, inRange, isInRange, isOrdered, ordinalOf } from "./ordinals.ts"
import { isAvailable, isTerminating } from "./pod-state.ts"
import { type Version, type Versions, versionsOf } from "./revisions.ts"
import { statefulPod } from "./stateful-pod.ts"

/** What all decisions of one look go by. */
export interface Situation {
  readonly set: StatefulSet
  readonly versions: Versions
  readonly claims: Claims
  /** Pods at the places that should be filled, lowest number first. */
  readonly staying: readonly Pod[]
  /** Pods beyond them, highest number first. */
  readonly condemned: readonly Pod[]
  /** Whether pods come and go one at a time, each when the one before it is available. */
  readonly ordered: boolean
  readonly now: number
}

export function situationOf(observed: Observed, now: number): Situation {
  const { set, pods, claims } = observed
  const condemned = pods.filter((pod) => !isInRange(set, ordinalOf(pod))).toSorted((a, b) => ordinalOf(b) - ordinalOf(a))
  return { set, versions: versionsOf(observed), claims, staying: inRange(set, pods), condemned, ordered: isOrdered(set), now }
}

/** A pod on its way out serves nobody, however ready it is. */
export function isUnavailable(pod: Pod, { set, now }: Situation): boolean {
  return isTerminating(pod) || !isAvailable(pod, set, now)
}

export function newPod({ set, versions }: Situation, ordinal: number): Pod {
  const { template, revision } = versionAt(set, versions, ordinal)
  return statefulPod(set, template, revision, ordinal)
}

/** Below the partition a pod comes back as it was. */
function versionAt(set: StatefulSet, { current, update }: Versions, ordinal: number): Version {
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {}
  if (rollingUpdate !== undefined) return ordinal < firstOrdinal(set) + (rollingUpdate.partition ?? 0) ? current : update
  return type === "RollingUpdate" && ordinal < firstOrdinal(set) + (set.status?.currentReplicas ?? 0) ? current : update
}
