import type { Counter, Gauge, Metrics } from "@pilothouse/seams"
import type { RemoteApiService } from "../../server/aggregation.ts"
import { availabilityOf, isAvailable } from "./conditions.ts"

/** Which APIServices are unavailable, under kube-apiserver's names. */
export class AvailabilityMetrics {
  readonly #unavailable: Gauge
  readonly #total: Counter

  constructor(metrics: Metrics) {
    this.#unavailable = metrics.gauge({
      name: "aggregator_unavailable_apiservice",
      help: "Whether an APIService is unavailable (1) or not (0), by name: a local one never is.",
    })
    this.#total = metrics.counter({
      name: "aggregator_unavailable_apiservice_total",
      help: "How often an APIService became unavailable, by name and reason.",
    })
  }

  checked(before: RemoteApiService, after: RemoteApiService): void {
    const name = after.metadata.name ?? ""
    this.#unavailable.set(isAvailable(after) ? 0 : 1, { name })
    if (isAvailable(before) && !isAvailable(after)) this.#total.add(1, { name, reason: availabilityOf(after)?.reason ?? "UnknownReason" })
  }

  /** This server answers for it itself. */
  isLocal(name: string): void {
    this.#unavailable.set(0, { name })
  }

  removed(name: string): void {
    this.#unavailable.remove({ name })
  }
}
