import { scaledIntOrPercent } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import { endOrdinal, firstOrdinal, ordinalOf, wantedReplicas } from "./ordinals.ts"
import { isTerminating, revisionOf } from "./pod-state.ts"
import { isUnavailable, type Situation } from "./sync-context.ts"
import { noWork, type Work, waiting } from "./work.ts"

/** Deletes pods of older revisions from the highest number down to the partition; they come back with the new one. */
export function rollOut(situation: Situation, leaving: ReadonlySet<Pod>): Work {
  const { type = "RollingUpdate", rollingUpdate } = situation.set.spec?.updateStrategy ?? {}
  if (type !== "RollingUpdate") return noWork
  const lowest = firstOrdinal(situation.set) + (rollingUpdate?.partition ?? 0)
  const pods = situation.staying.filter((pod) => ordinalOf(pod) >= lowest && !leaving.has(pod)).toReversed()
  // API servers keep the field only where the feature is on (off in 1.36): who has it is served by its rules, all others by the older ones.
  return rollingUpdate?.maxUnavailable === undefined
    ? oneByOne(pods, lowest, situation)
    : several(pods, rollingUpdate.maxUnavailable, situation)
}

/** The next pod goes when the one before it is available again. */
function oneByOne(pods: readonly Pod[], lowest: number, situation: Situation): Work {
  let next = endOrdinal(situation.set) - 1
  for (const pod of pods) {
    // A number that is left out is a pod that is missing.
    if (ordinalOf(pod) !== next) break
    if (isOutdated(pod, situation)) return { ...noWork, pods: [removal(pod, situation)] }
    if (isUnavailable(pod, situation)) return waiting(`${pod.metadata.name} to be available`)
    next--
  }
  return next < lowest ? noWork : waiting("pods that are missing")
}

/** As many as may be unavailable at once, of all pods of the set. A small percentage is one pod, not none. */
function several(pods: readonly Pod[], limit: number | string, situation: Situation): Work {
  const allowed = Math.max(1, scaledIntOrPercent(limit, wantedReplicas(situation.set), "down"))
  const available = situation.staying.filter((pod) => !isUnavailable(pod, situation)).length
  const unavailable = wantedReplicas(situation.set) - available
  const room = Math.max(0, allowed - unavailable)
  const outdated = pods.filter((pod) => isOutdated(pod, situation))
  if (outdated.length > 0 && room === 0) return waiting(`${unavailable} pods to be available, of which ${allowed} may be missing`)
  return { ...noWork, pods: outdated.slice(0, room).map((pod) => removal(pod, situation)) }
}

function isOutdated(pod: Pod, { versions }: Situation): boolean {
  return revisionOf(pod) !== versions.update.revision && !isTerminating(pod)
}

function removal(pod: Pod, { versions }: Situation): Work["pods"][number] {
  return { do: "delete", object: pod, reason: `it is of ${revisionOf(pod) || "no revision"}, not of ${versions.update.revision}` }
}
