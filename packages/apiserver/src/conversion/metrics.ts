import type { Counter, Histogram, Metrics } from "@pilothouse/seams"

/** Why a conversion failed, in upstream's words for metrics. */
export type FailureType =
  | "conversion_webhook_call_failure"
  | "conversion_webhook_malformed_response_failure"
  | "conversion_webhook_partial_response_failure"
  | "conversion_webhook_invalid_converted_object_failure"

/** One request to a conversion webhook. */
export interface ConversionOutcome {
  readonly definition: string
  /** The versions, without the group. */
  readonly from: string
  readonly to: string
  readonly seconds: number
  /** Undefined where it succeeded. */
  readonly failure: FailureType | undefined
}

/** Counts conversions by webhooks under kube-apiserver's names. */
export class ConversionMetrics {
  readonly #requests: Counter
  readonly #duration: Histogram
  readonly #byDefinition: Histogram

  constructor(metrics: Metrics) {
    this.#requests = metrics.counter({
      name: "apiserver_conversion_webhook_request_total",
      help: "Requests to conversion webhooks, by result and type of failure.",
    })
    this.#duration = metrics.histogram({
      name: "apiserver_conversion_webhook_duration_seconds",
      help: "How long requests to conversion webhooks took, by result and type of failure.",
      buckets: [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60],
    })
    this.#byDefinition = metrics.histogram({
      name: "apiserver_crd_conversion_webhook_duration_seconds",
      help: "How long conversions by webhooks took, by definition, versions and success.",
      buckets: Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power),
    })
  }

  converted({ definition, from, to, seconds, failure }: ConversionOutcome): void {
    const labels = { result: failure === undefined ? "success" : "failure", failure_type: failure ?? "" }
    this.#requests.add(1, labels)
    this.#duration.observe(seconds, labels)
    const versions = { crd_name: definition, from_version: from, to_version: to }
    this.#byDefinition.observe(seconds, { ...versions, succeeded: String(failure === undefined) })
  }
}
