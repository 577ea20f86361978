import { scaledIntOrPercent } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import { desiredReplicas, endOrdinal, firstOrdinal, podOrdinal } from "./ordinals.ts"
import { isTerminating, podRevision } from "./pod-state.ts"
import { isUnavailable, type SyncContext } from "./sync-context.ts"
import { noWork, type Work, waiting } from "./work.ts"

/** Deletes pods of older revisions from the highest ordinal down to the partition; they are recreated with the new one. */
export function rollOut(context: SyncContext, leaving: ReadonlySet<Pod>): Work {
  const { type = "RollingUpdate", rollingUpdate } = context.set.spec?.updateStrategy ?? {}
  if (type !== "RollingUpdate") return noWork
  const lowest = firstOrdinal(context.set) + (rollingUpdate?.partition ?? 0)
  const pods = context.staying.filter((pod) => podOrdinal(pod) >= lowest && !leaving.has(pod)).toReversed()
  // API servers store the field only when the feature is enabled (off in 1.36): without it the older rules apply.
  return rollingUpdate?.maxUnavailable === undefined
    ? oneByOne(pods, lowest, context)
    : several(pods, rollingUpdate.maxUnavailable, context)
}

/** Deletes the next pod when the one before it is available again. */
function oneByOne(pods: readonly Pod[], lowest: number, context: SyncContext): Work {
  let next = endOrdinal(context.set) - 1
  for (const pod of pods) {
    // A gap in the ordinals is a missing pod.
    if (podOrdinal(pod) !== next) break
    if (isOutdated(pod, context)) return { ...noWork, pods: [removal(pod, context)] }
    if (isUnavailable(pod, context)) return waiting(`${pod.metadata.name} to be available`)
    next--
  }
  return next < lowest ? noWork : waiting("pods that are missing")
}

/** Deletes as many pods as may be unavailable at once. A small percentage is rounded up to one pod. */
function several(pods: readonly Pod[], limit: number | string, context: SyncContext): Work {
  const allowed = Math.max(1, scaledIntOrPercent(limit, desiredReplicas(context.set), "down"))
  const available = context.staying.filter((pod) => !isUnavailable(pod, context)).length
  const unavailable = desiredReplicas(context.set) - available
  const room = Math.max(0, allowed - unavailable)
  const outdated = pods.filter((pod) => isOutdated(pod, context))
  if (outdated.length > 0 && room === 0) return waiting(`${unavailable} pods to be available, of which ${allowed} may be missing`)
  return { ...noWork, pods: outdated.slice(0, room).map((pod) => removal(pod, context)) }
}

function isOutdated(pod: Pod, { versions }: SyncContext): boolean {
  return podRevision(pod) !== versions.update.revision && !isTerminating(pod)
}

function removal(pod: Pod, { versions }: SyncContext): Work["pods"][number] {
  return { do: "delete", object: pod, reason: `it is of ${podRevision(pod) || "no revision"}, not of ${versions.update.revision}` }
}
