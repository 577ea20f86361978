import { scaledIntOrPercent } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import { isTerminating, revisionOf } from "./pod-state.ts"
import { isUnavailable, type Situation } from "./situation.ts"
import { noWork, type Work, waiting } from "./work.ts"

/** Deletes pods of older revisions from the highest number down to the partition; they come back with the new one. */
export function rollOut(situation: Situation, leaving: ReadonlySet<Pod>): Work {
  const { type = "RollingUpdate", rollingUpdate } = situation.set.spec?.updateStrategy ?? {}
  if (type !== "RollingUpdate") return noWork
  const above = situation.replicas.slice(rollingUpdate?.partition ?? 0).toReversed()
  const pods = above.map(({ pod }) => (pod !== undefined && leaving.has(pod) ? undefined : pod))
  // API servers keep the field only where the feature is on (off in 1.36): who has it is served by its rules, all others by the older ones.
  return rollingUpdate?.maxUnavailable === undefined ? oneByOne(pods, situation) : several(pods, rollingUpdate.maxUnavailable, situation)
}

/** The next pod goes when the one before it is available again. */
function oneByOne(pods: readonly (Pod | undefined)[], situation: Situation): Work {
  for (const pod of pods) {
    if (pod !== undefined && isOutdated(pod, situation)) return { ...noWork, pods: [removal(pod, situation)] }
    if (isUnavailable(pod, situation)) return waiting(pod === undefined ? "pods that are missing" : `${pod.metadata.name} to be available`)
  }
  return noWork
}

/** As many as may be unavailable at once, of all pods of the set. A small percentage is one pod, not none. */
function several(pods: readonly (Pod | undefined)[], limit: number | string, situation: Situation): Work {
  const allowed = Math.max(1, scaledIntOrPercent(limit, situation.replicas.length, "down"))
  const unavailable = situation.replicas.filter(({ pod }) => isUnavailable(pod, situation)).length
  const room = Math.max(0, allowed - unavailable)
  const outdated = pods.filter((pod): pod is Pod => pod !== undefined && isOutdated(pod, situation))
  if (outdated.length > 0 && room === 0) return waiting(`${unavailable} pods to be available, of which ${allowed} may be missing`)
  return { ...noWork, pods: outdated.slice(0, room).map((pod) => removal(pod, situation)) }
}

function isOutdated(pod: Pod, { versions }: Situation): boolean {
  return revisionOf(pod) !== versions.update.revision && !isTerminating(pod)
}

function removal(pod: Pod, { versions }: Situation): Work["pods"][number] {
  return { do: "delete", object: pod, because: `it is of ${revisionOf(pod) || "no revision"}, not of ${versions.update.revision}` }
}
