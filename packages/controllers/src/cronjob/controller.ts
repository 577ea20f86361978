import { cronJobs, jobs } from "@pilothouse/api/batch/v1"
import { type Controller, controller, countFlag } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { descriptor } from "../shared/descriptor.ts"
import { decide } from "./decide.ts"
import { cronJobMetrics } from "./metrics.ts"
import { jobsByController, observe } from "./observe.ts"
import { observeSchedules, SeenSchedules, scheduleExecutor } from "./seen-schedules.ts"
import { settle } from "./settle.ts"

export const cronJobDescriptor = descriptor({
  name: "cronjob-controller",
  aliases: ["cronjob"],
  flags: {
    "concurrent-cron-job-syncs": countFlag(5, "CronJobs worked on at once"),
  },
  create: (set, { metrics }) => cronJobController({ metrics, concurrentSyncs: set["concurrent-cron-job-syncs"] }),
})

/**
 * Starts Jobs on a schedule, in any time zone.
 * Watches CronJobs and the Jobs they control; makes one Job per run, named after its minute so that none is started twice; keeps, forbids or
 * replaces Jobs that still run; deletes old ones; writes the list of active Jobs and the times of the last run and of the last success.
 * Of several missed runs the newest is started, unless it is later than the starting deadline allows.
 */
export function cronJobController({
  metrics,
  concurrentSyncs = 5,
}: {
  readonly concurrentSyncs?: number
  readonly metrics?: Metrics
} = {}): Controller {
  const seen = new SeenSchedules()
  return controller("cronjob-controller", {
    for: cronJobs,
    owns: [jobs],
    indexes: [jobsByController],
    cacheObservers: [observeSchedules(seen)],
    executors: [scheduleExecutor(seen)],
    maxConcurrentReconciles: concurrentSyncs,
    observe: (key, read) => observe(key, read, seen),
    decide,
    settle,
    onReconciled: metrics && cronJobMetrics(metrics),
  })
}
