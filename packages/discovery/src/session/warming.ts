import type { Kind } from "../xds/kinds.ts"
import type { Step } from "../xds/step.ts"
import type { WatchState } from "../xds/watch.ts"
import type { Pending } from "./pending.ts"

/** What clusters wait for before they are used. */
export interface WarmingOptions {
  /** The client takes endpoints that it has not asked for yet. */
  readonly isEager: boolean
  waitsForEndpoints(cluster: string): boolean
  /** Of the endpoints. */
  readonly watch: WatchState
  readonly pending: Pending
}

/** Sees to it that no cluster waits for its endpoints: a client uses one only when endpoints came after it, the same ones too. */
export class Warming {
  readonly #options: WarmingOptions
  /** It was connected before, and has not been sent its endpoints again yet. */
  #wasBefore = false

  constructor(options: WarmingOptions) {
    this.#options = options
  }

  /**
   * A request was answered. A client that was cut off between a cluster and its endpoints is back with the new cluster and the endpoints of the old: both
   * are as we have them, and yet the cluster waits (envoyproxy/envoy#13009). The server cannot detect that, so endpoints are sent once more.
   */
  received(kind: Kind, { held, answer }: Step): void {
    const { watch, pending } = this.#options
    if (kind === "cluster" && held !== undefined && held.size > 0) this.#wasBefore = true
    if (!this.#wasBefore || !watch.asked) return
    this.#wasBefore = false
    const justSent = new Set(kind === "endpoint" ? answer?.names : [])
    pending.force(
      "endpoint",
      [...watch.names].filter((name) => !justSent.has(name) && this.#options.waitsForEndpoints(name)),
    )
  }

  /**
   * These clusters were sent, new or changed; by delta clients do not request their endpoints. Envoy accepts those of a cluster that it has not asked for
   * yet, so that a route may follow at once; gRPC asks by itself.
   */
  sent(clusters: readonly string[]): void {
    const { watch, pending, isEager } = this.#options
    if (!watch.asked) return
    pending.force(
      "endpoint",
      clusters.filter((name) => (isEager || watch.names.has(name)) && this.#options.waitsForEndpoints(name)),
    )
  }
}
