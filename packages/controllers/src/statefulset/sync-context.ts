import type { StatefulSet } from "@pilothouse/api/apps/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import type { Claims } from "./claims.ts"
import type { Observed } from "./observe.ts"
import { firstOrdinal, inRange, isInRange, isOrdered, podOrdinal } from "./ordinals.ts"
import { isAvailable, isTerminating } from "./pod-state.ts"
import { setVersions, type Version, type Versions } from "./revisions.ts"
import { statefulPod } from "./stateful-pod.ts"

/** The input of all decisions of one reconcile. */
export interface SyncContext {
  readonly set: StatefulSet
  readonly versions: Versions
  readonly claims: Claims
  /** Pods in range, lowest ordinal first. */
  readonly staying: readonly Pod[]
  /** Pods out of range, highest ordinal first. */
  readonly condemned: readonly Pod[]
  /** Whether pods are created and deleted one at a time, each when the one before it is available. */
  readonly ordered: boolean
  readonly now: number
}

export function syncContext(observed: Observed, now: number): SyncContext {
  const { set, pods, claims } = observed
  const condemned = pods.filter((pod) => !isInRange(set, podOrdinal(pod))).toSorted((a, b) => podOrdinal(b) - podOrdinal(a))
  return { set, versions: setVersions(observed), claims, staying: inRange(set, pods), condemned, ordered: isOrdered(set), now }
}

/** A terminating pod is unavailable even if it is ready. */
export function isUnavailable(pod: Pod, { set, now }: SyncContext): boolean {
  return isTerminating(pod) || !isAvailable(pod, set, now)
}

export function newPod({ set, versions }: SyncContext, ordinal: number): Pod {
  const { template, revision } = versionAt(set, versions, ordinal)
  return statefulPod(set, template, revision, ordinal)
}

/** Below the partition a pod is recreated with the current version. */
function versionAt(set: StatefulSet, { current, update }: Versions, ordinal: number): Version {
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {}
  if (rollingUpdate !== undefined) return ordinal < firstOrdinal(set) + (rollingUpdate.partition ?? 0) ? current : update
  return type === "RollingUpdate" && ordinal < firstOrdinal(set) + (set.status?.currentReplicas ?? 0) ? current : update
}
