import { jobs } from "@pilothouse/api/batch/v1"
import { type Controller, controller } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { decide } from "./decide.ts"
import { ttlAfterFinishedMetrics } from "./metrics.ts"
import { observe } from "./observe.ts"

/**
 * Deletes Jobs that have ended, ttlSecondsAfterFinished seconds after that.
 * Watches Jobs; looks again when the time of one is over; deletes only the very version that it looked at.
 * Their pods go with them: the delete is in the foreground.
 */
export function ttlAfterFinishedController({
  metrics,
  concurrentSyncs = 5,
}: {
  readonly concurrentSyncs?: number
  readonly metrics?: Metrics
} = {}): Controller {
  return controller("ttl-after-finished-controller", {
    for: jobs,
    maxConcurrentReconciles: concurrentSyncs,
    observe,
    decide,
    onReconciled: metrics && ttlAfterFinishedMetrics(metrics),
  })
}
