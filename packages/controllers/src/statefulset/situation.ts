import type { StatefulSet } from "@pilothouse/api/apps/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import type { Claims } from "./claims.ts"
import type { Observed } from "./observe.ts"
import { firstOrdinal, isInRange, ordinalOf, podName, wantedReplicas } from "./ordinals.ts"
import { isAvailable, isTerminating } from "./pod-state.ts"
import { type Version, type Versions, versionsOf } from "./revisions.ts"
import { statefulPod } from "./stateful-pod.ts"

/** A place in the numbering. */
export interface Replica {
  readonly ordinal: number
  readonly name: string
  /** Undefined: it has to be made. */
  readonly pod?: Pod
}

/** What all decisions of one look go by. */
export interface Situation {
  readonly set: StatefulSet
  readonly versions: Versions
  readonly claims: Claims
  /** The places that should be filled, in order. */
  readonly replicas: readonly Replica[]
  /** Pods beyond them, highest number first. */
  readonly condemned: readonly Pod[]
  /** Whether pods come and go one at a time, each when the one before it is available. */
  readonly ordered: boolean
  readonly now: number
}

export function situationOf(observed: Observed, now: number): Situation {
  const { set, pods, claims } = observed
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod), pod]))
  const replicas = Array.from({ length: wantedReplicas(set) }, (_, index) => {
    const ordinal = firstOrdinal(set) + index
    return { ordinal, name: podName(set, ordinal), pod: byOrdinal.get(ordinal) }
  })
  const condemned = pods.filter((pod) => !isInRange(set, ordinalOf(pod))).toSorted((a, b) => ordinalOf(b) - ordinalOf(a))
  return { set, versions: versionsOf(observed), claims, replicas, condemned, ordered: isOrdered(set), now }
}

export function isOrdered({ spec }: StatefulSet): boolean {
  return spec?.podManagementPolicy !== "Parallel"
}

/** A pod on its way out serves nobody, however ready it is. */
export function isUnavailable(pod: Pod | undefined, { set, now }: Situation): boolean {
  return pod === undefined || isTerminating(pod) || !isAvailable(pod, set, now)
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
