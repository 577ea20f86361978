import { controllerOf, keyOf } from "@pilothouse/api"
import { jobs } from "@pilothouse/api/batch/v1"
import { type Pod, pods } from "@pilothouse/api/core/v1"
import { type Change, type Controller, controller, exponentialLimiter, type Reader, watch } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { descriptor } from "../descriptor.ts"
import { countFlag } from "../flag.ts"
import { matchingSelectors } from "../shared/selector-index.ts"
import { countStaleSkips } from "../shared/stale-sync-skips.ts"
import { batch, decide } from "./decide.ts"
import { countPods, jobFamilies, jobMetrics } from "./metrics.ts"
import { jobsBySelector, observe, orphanPods, podsByController, trackedPods } from "./observe.ts"
import { FailureMemory, rememberEndingsIn } from "./pods/backoff.ts"
import { trackingKeys } from "./pods/tracking-finalizer.ts"
import { settle } from "./settle.ts"

/**
 * Runs pods until as many have ended well as a Job asks for, or until it has failed.
 * Watches Jobs and pods; makes and deletes pods, adopts orphans, writes the Job's status.
 * Every pod is counted exactly once, whatever crashes when: an ended pod is noted in the status, then its finalizer is removed, then it is counted.
 * Waits longer and longer after failures (10 s to 10 min); wakes that come within a second are one look, those by a new spec are not held back.
 * Jobs that another controller manages (spec.managedBy) are let be, and so are their pods.
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
      watch(jobs, "its status changed", (job) => [keyOf(job)], { predicate: isStatusOnly, delay: batch }),
      watch(pods, "one of its pods changed", concernedBy, { delay: batch }),
    ],
    indexes: [podsByController, orphanPods, jobsBySelector, trackedPods],
    backoff: () => exponentialLimiter({ base: 1000, max: 60_000 }),
    maxConcurrentReconciles: concurrentSyncs,
    executors: [rememberEndingsIn(memory)],
    observe: (key, read) => observe(key, read, memory),
    decide,
    settle,
    cacheObservers: counted && countPods(counted),
    onReconciled: counted?.ended,
    onCacheLagging: metrics && countStaleSkips(metrics, jobFamilies.skips),
  })
}

/** Most of these are the controller's own. */
function isStatusOnly(change: Change): boolean {
  return change.type === "updated" && change.old.metadata.generation === change.object.metadata.generation
}

/** The Job that a pod belongs to; of an orphan those that may adopt it, and the key under which it is let go if it is tracked for nobody. */
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
