import type { Pod } from "@pilothouse/api/core/v1"
import type { HandlerEvent } from "@pilothouse/runtime"
import type { Clock, Histogram, Metrics } from "@pilothouse/seams"

/** Seconds. kuryr's begin at 10. */
const buckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120]

/**
 * How long pods wait for an active VIF, from when they have a node.
 * Always true between calls: #since has the pods that were seen with a node and without an active VIF, and not since seen otherwise.
 */
export class WaitingPods {
  readonly #clock: Clock
  readonly #latency: Histogram
  readonly #since = new Map<string, number>()

  constructor(clock: Clock, metrics: Metrics) {
    this.#clock = clock
    this.#latency = metrics.histogram({ name: "kuryr_pod_creation_latency", help: "Seconds from a pod's node to its active VIF.", buckets })
  }

  /** Milliseconds that the pod has waited; undefined: it waits for nothing. */
  record({ type, object: { metadata, spec } }: HandlerEvent<Pod>, isActive: boolean): number | undefined {
    const { uid = "" } = metadata
    const now = this.#clock.elapsed()
    const since = this.#since.get(uid)
    if (type === "deleted" || isActive || !spec?.nodeName) {
      this.#since.delete(uid)
      if (isActive && type !== "deleted" && since !== undefined) this.#latency.observe((now - since) / 1000)
      return undefined
    }
    if (since === undefined) this.#since.set(uid, now)
    return now - (since ?? now)
  }
}
