import { deepEqual, type KubeObject } from "@pilothouse/api"
import { type HorizontalPodAutoscaler, horizontalPodAutoscalers } from "@pilothouse/api/autoscaling/v2"
import { pods } from "@pilothouse/api/core/v1"
import { type Change, type Controller, controller, countFlag, durationFlag, fixedIntervalLimiter, numberFlag } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { descriptor } from "../shared/descriptor.ts"
import { podsByLabel } from "../shared/selected-pods.ts"
import { countStaleSkips } from "../shared/stale-sync-skips.ts"
import { decide, settle } from "./decide.ts"
import { horizontalPodAutoscalerFamilies, horizontalPodAutoscalerMetrics } from "./metrics.ts"
import { type ControllerState, observe, observeAutoscalers } from "./observe.ts"
import { ScalingHistoryStore, scalingExecutor } from "./recommendation-history.ts"
import type { AutoscalerOptions } from "./scale-decision.ts"
import { KnownSelectors } from "./target-selector.ts"

export const horizontalPodAutoscalerDescriptor = descriptor({
  name: "horizontal-pod-autoscaler-controller",
  aliases: ["horizontalpodautoscaling"],
  flags: {
    "concurrent-horizontal-pod-autoscaler-syncs": countFlag(5, "HorizontalPodAutoscalers worked on at once"),
    "horizontal-pod-autoscaler-sync-period": durationFlag("15s", "how often each HorizontalPodAutoscaler is reconciled"),
    "horizontal-pod-autoscaler-downscale-stabilization": durationFlag("5m", "how long a higher recommendation keeps replicas from going"),
    "horizontal-pod-autoscaler-tolerance": numberFlag(
      0.1,
      "how far usage may be from its target, as a share of it, before anything changes",
    ),
    "horizontal-pod-autoscaler-cpu-initialization-period": durationFlag(
      "5m",
      "how long after its start the CPU use of a pod may be left out",
    ),
    "horizontal-pod-autoscaler-initial-readiness-delay": durationFlag("30s", "a pod that became unready within it was never ready"),
  },
  create: (set, { metrics }) =>
    horizontalPodAutoscalerController({
      metrics,
      concurrentSyncs: set["concurrent-horizontal-pod-autoscaler-syncs"],
      syncPeriod: set["horizontal-pod-autoscaler-sync-period"],
      downscaleStabilization: set["horizontal-pod-autoscaler-downscale-stabilization"],
      tolerance: set["horizontal-pod-autoscaler-tolerance"],
      cpuInitializationPeriod: set["horizontal-pod-autoscaler-cpu-initialization-period"],
      initialReadinessDelay: set["horizontal-pod-autoscaler-initial-readiness-delay"],
    }),
})

export interface HorizontalPodAutoscalerOptions extends Partial<AutoscalerOptions> {
  /** --concurrent-horizontal-pod-autoscaler-syncs */
  readonly concurrentSyncs?: number
  readonly metrics?: Metrics
}

const defaults: AutoscalerOptions = {
  syncPeriod: 15_000,
  downscaleStabilization: 300_000,
  tolerance: 0.1,
  cpuInitializationPeriod: 300_000,
  initialReadinessDelay: 30_000,
}

/**
 * Gives a workload as many replicas as its metrics ask for, within the bounds and the pace of its HorizontalPodAutoscaler.
 * Reconciles each every 15 s, and at once when its spec changes; its own status writes are ignored. Reads the target's scale and the metrics from the
 * server itself, the pods from the cache. Writes the scale of the target, and its own status where that has changed.
 * What was recommended and done lately is kept in memory: after a restart nothing shrinks for the length of the window.
 */
export function horizontalPodAutoscalerController({
  concurrentSyncs = 5,
  metrics,
  ...given
}: HorizontalPodAutoscalerOptions = {}): Controller {
  const options = { ...defaults, ...given }
  const counted = metrics && horizontalPodAutoscalerMetrics(metrics)
  const state: ControllerState = { memory: new ScalingHistoryStore(), selectors: new KnownSelectors(), version: { works: "v1beta2" } }
  return controller("horizontal-pod-autoscaler-controller", {
    for: horizontalPodAutoscalers,
    predicate: (change) => !isStatusOnly(change),
    reads: [pods],
    indexes: [podsByLabel],
    maxConcurrentReconciles: concurrentSyncs,
    backoff: () => fixedIntervalLimiter(options.syncPeriod),
    eventSource: "horizontal-pod-autoscaler",
    cacheObservers: [observeAutoscalers(state), ...(counted === undefined ? [] : [counted.follower])],
    onReconciled: counted?.onReconciled,
    onCacheLagging: metrics && countStaleSkips(metrics, horizontalPodAutoscalerFamilies.skips),
    executors: [scalingExecutor(state.memory)],
    observe: (key, read) => observe(key, read, state),
    decide: (observed, context) => decide(observed, context, options),
    settle: (observed, results, context) => settle(observed, results, context, options),
  })
}

/** Autoscalers have no generation (1.36): the specs are compared. */
function isStatusOnly(change: Change): boolean {
  return change.type === "updated" && deepEqual(hpaSpec(change.old), hpaSpec(change.object))
}

function hpaSpec(object: KubeObject): unknown {
  return (object as HorizontalPodAutoscaler).spec
}
