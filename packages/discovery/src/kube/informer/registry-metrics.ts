import type { CountedEvent } from "@pilothouse/runtime"
import { type Labels, type Metrics, noMetrics } from "@pilothouse/seams"

const eventNames: Readonly<Record<CountedEvent, string>> = { add: "add", update: "update", updateSame: "updatesame", delete: "delete" }

/** What a registry tells about itself, with Istio's names where it has them. */
export class RegistryMetrics {
  readonly #series: ReturnType<typeof series>
  /** Several clusters may tell about themselves side by side. */
  readonly #labels: Labels

  constructor(metrics: Metrics = noMetrics, cluster = "") {
    this.#series = series(metrics)
    this.#labels = Object.freeze({ cluster })
  }

  counterOf(kind: string): (event: CountedEvent) => void {
    const labels = (event: CountedEvent) => Object.freeze({ ...this.#labels, type: kind, event: eventNames[event] })
    // Made once and frozen: passed with every event of every object.
    const all = { add: labels("add"), update: labels("update"), updateSame: labels("updateSame"), delete: labels("delete") }
    return (event) => this.#series.events.add(1, all[event])
  }

  pendingPods(count: number): void {
    this.#series.pending.set(count, this.#labels)
    this.#series.noPod.set(count, this.#labels)
  }

  endpointWithoutPod(): void {
    this.#series.withoutPod.add(1, this.#labels)
  }

  proxyWithoutService(): void {
    this.#series.noTargets.add(1, this.#labels)
  }

  proxyNotReady(): void {
    this.#series.notReady.add(1, this.#labels)
  }

  stuck(count: number): void {
    this.#series.stuck.set(count, this.#labels)
  }

  audited(): void {
    this.#series.audits.add(1, this.#labels)
  }

  drift(kind: string, count: number): void {
    this.#series.drift.add(count, { ...this.#labels, kind })
  }
}

function series(metrics: Metrics) {
  return {
    events: metrics.counter({ name: "pilot_k8s_reg_events", help: "Events from the watched kinds" }),
    pending: metrics.gauge({ name: "pilot_k8s_endpoints_pending_pod", help: "Endpoints that wait for their pod" }),
    noPod: metrics.gauge({ name: "endpoint_no_pod", help: "The same under its older name" }),
    withoutPod: metrics.counter({
      name: "pilot_k8s_endpoints_with_no_pods",
      help: "Endpoints that were held back because their pod was not known",
    }),
    noTargets: metrics.counter({
      name: "pilot_k8s_proxies_with_no_service_targets",
      help: "Proxies that asked for their services and have none",
    }),
    notReady: metrics.counter({ name: "pilot_endpoint_not_ready", help: "Proxies that asked for their services and are ready in none" }),
    stuck: metrics.gauge({ name: "pilothouse_discovery_stuck_objects", help: "Objects whose handlers have failed ten times or more" }),
    audits: metrics.counter({ name: "pilothouse_discovery_audits_total", help: "Comparisons of the index with its sources" }),
    drift: metrics.counter({ name: "pilothouse_discovery_drift_total", help: "Differences that a comparison found and repaired" }),
  }
}
