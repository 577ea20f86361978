import { controllerOf, keyOf } from "@pilothouse/api"
import { jobs } from "@pilothouse/api/batch/v1"
import { type Pod, pods } from "@pilothouse/api/core/v1"
import { type Change, type Controller, controller, countFlag, exponentialLimiter, type Reader, watch } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { descriptor } from "../shared/descriptor.ts"
import { matchingSelectors } from "../shared/selector-index.ts"
import { countStaleSkips } from "../shared/stale-sync-skips.ts"
import { batchPeriod, decide } from "./decide.ts"
import { jobFamilies, jobMetrics, podAndJobObservers } from "./metrics.ts"
import { jobsBySelector, observe, orphanPods, podsByController, trackedPods } from "./observe.ts"
import { FailureMemory, rememberEndingsIn } from "./pods/backoff.ts"
import { trackingKeys } from "./pods/tracking-finalizer.ts"
import { settle } from "./settle.ts"

/**
 * Runs pods until as many have succeeded as the Job requires, or until the Job has failed.
 * Watches Jobs and pods; creates and deletes pods, adopts orphans, writes the Job's status.
 * Every pod is counted exactly once despite crashes: a finished pod is recorded in the status, then its finalizer is removed, then it is counted.
 * Backs off after failures (10 s to 10 min). Events within a second become one reconcile; a new spec is reconciled at once.
 * Leaves Jobs that another controller manages (spec.managedBy), and their pods, alone.
 */
export function jobController({
  metrics,
  concurrentSyncs = 5,
}: {
  readonly concurrentSyncs?: number
  readonly metrics?: Metrics
} = {}): Controller {
  const memory = new FailureMemory()
  const counted = metrics && jobMetrics(metrics)
  return controller("job-controller", {
    for: jobs,
    predicate: (change) => !isStatusOnly(change),
    watches: [
      watch(jobs, "its status changed", (job) => [keyOf(job)], { predicate: isStatusOnly, delay: batchPeriod }),
      watch(pods, "one of its pods changed", concernedBy, { delay: batchPeriod }),
    ],
    indexes: [podsByController, orphanPods, jobsBySelector, trackedPods],
    backoff: () => exponentialLimiter({ base: 1000, max: 60_000 }),
    maxConcurrentReconciles: concurrentSyncs,
    executors: [rememberEndingsIn(memory)],
    observe: (key, read) => observe(key, read, memory),
    decide,
    settle,
    cacheObservers: counted && podAndJobObservers(counted),
    onReconciled: counted?.recordReconcile,
    onCacheLagging: metrics && countStaleSkips(metrics, jobFamilies.skips),
  })
}

/** Reports whether only the status changed; most such writes are the controller's own. */
function isStatusOnly(change: Change): boolean {
  return change.type === "updated" && change.old.metadata.generation === change.object.metadata.generation
}

/** Returns the key of the Job that owns the pod; for an orphan, the Jobs that may adopt it and the key under which a tracked orphan is released. */
function concernedBy(pod: Pod, read: Reader): readonly string[] {
  const owner = controllerOf(pod)
  if (owner === undefined) return [...matchingSelectors(read, jobsBySelector, pod).map(keyOf), ...trackingKeys(pod)]
  return owner.kind === "Job" && owner.apiVersion === "batch/v1" ? [`${pod.metadata.namespace}/${owner.name}`] : []
}

export const jobDescriptor = descriptor({
  name: "job-controller",
  aliases: ["job"],
  flags: {
    "concurrent-job-syncs": countFlag(5, "Jobs worked on at once"),
  },
  create: (set, { metrics }) => jobController({ metrics, concurrentSyncs: set["concurrent-job-syncs"] }),
})
