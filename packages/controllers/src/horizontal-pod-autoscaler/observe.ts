import { keyOf } from "@pilothouse/api"
import type { Scale } from "@pilothouse/api/autoscaling/v1"
import { type HorizontalPodAutoscaler, horizontalPodAutoscalers } from "@pilothouse/api/autoscaling/v2"
import type { Pod } from "@pilothouse/api/core/v1"
import { type CacheObserver, cacheObserver, type Reader } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import { type FoundScale, findScale } from "../scale-target/find-scale.ts"
import { selectedPods } from "../shared/selected-pods.ts"
import { type CustomMetricsVersion, readMetrics } from "./metrics-client.ts"
import type { ScalingHistory, ScalingHistoryStore } from "./recommendation-history.ts"
import type { Reading } from "./samples.ts"
import { metricSpecs, syncMode } from "./sync-mode.ts"
import { type KnownSelectors, targetSelector } from "./target-selector.ts"

/** A HorizontalPodAutoscaler, the scale of its target, its pods and the readings of its metrics. */
export interface Observed {
  readonly key: string
  readonly hpa: HorizontalPodAutoscaler
  /** The scale of its target, or why it cannot be read. */
  readonly target: FoundScale | { readonly failure: string }
  /** Undefined at the first reconcile. */
  readonly history?: ScalingHistory
  /** Read only where the metrics are to decide. */
  readonly pods: readonly Pod[]
  /** Every autoscaler that scales one of these pods; this one is among them. */
  readonly scaledBy: readonly string[]
  /** In the order of the metrics; read only where no other autoscaler scales these pods. */
  readonly readings: readonly Reading[]
}

/** What one controller keeps between reconciles. */
export interface ControllerState {
  readonly memory: ScalingHistoryStore
  readonly selectors: KnownSelectors
  readonly version: CustomMetricsVersion
}

/** Reads an autoscaler, the scale of its target and, where it has to be measured, the pods and metrics; undefined when it is gone. */
export async function observe(key: string, read: Reader, { memory, selectors, version }: ControllerState): Promise<Observed | undefined> {
  const first = read.get(horizontalPodAutoscalers, key)
  if (first === undefined) return undefined
  const { namespace = "", uid = "" } = first.metadata
  const target = await findScale(read, { ...first.spec.scaleTargetRef, namespace }).catch((error: unknown) => ({
    failure: messageOf(error),
  }))
  const seen = { key, hpa: first, target, history: memory.recall(key, uid), pods: [], scaledBy: [], readings: [] }
  if ("failure" in target || syncMode(first, scaleReplicas(target.scale)).do !== "measure") return seen
  const selector = targetSelector(target.scale)
  if ("problem" in selector) return seen
  // Filled by reading, as any cache is: two autoscalers that reconcile at the same time have to see each other.
  selectors.learn(key, selector)
  const scaledBy = selectors.scaling(selectedPods(read, namespace, selector))
  if (scaledBy.length > 1) return { ...seen, scaledBy }
  const readings = await readMetrics(metricSpecs(first), { read, namespace, selector, version })
  // The caches may have changed while the metrics were read.
  return { ...seen, scaledBy, readings, pods: selectedPods(read, namespace, selector) }
}

/** Forgets deleted autoscalers as the cache changes. */
export function observeAutoscalers({ memory, selectors }: ControllerState): CacheObserver {
  return cacheObserver(horizontalPodAutoscalers, {
    restart() {
      memory.restart()
      selectors.restart()
    },
    changed({ type, object }) {
      if (type !== "deleted") return
      memory.forget(keyOf(object))
      selectors.forget(keyOf(object))
    },
  })
}

/** Returns spec.replicas of a scale. A zero is left out on the wire. */
export function scaleReplicas({ spec }: Scale): number {
  return spec?.replicas ?? 0
}
