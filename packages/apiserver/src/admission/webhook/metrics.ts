import type { Counter, Histogram, Metrics } from "@pilothouse/seams"

export type AdmissionType = "admit" | "validating"

/** What became of one call. */
export interface Outcome {
  readonly name: string
  readonly type: AdmissionType
  readonly operation: string
  readonly seconds: number
  readonly rejected: boolean
  /** 200, the code of the refusal, or 0 for a fault of this server. */
  readonly code: number
}

/** Why a request is refused at a webhook. */
export type RejectionCause = "calling_webhook_error" | "apiserver_internal_error" | "no_error"

/** Counts the calls of webhooks under kube-apiserver's names. */
export class WebhookMetrics {
  readonly #duration: Histogram
  readonly #requests: Counter
  readonly #rejections: Counter
  readonly #failedOpen: Counter

  constructor(metrics: Metrics) {
    this.#duration = metrics.histogram({
      name: "apiserver_admission_webhook_admission_duration_seconds",
      help: "How long calls of admission webhooks took, by webhook, operation and type (admit or validating).",
      buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25],
    })
    this.#requests = metrics.counter({
      name: "apiserver_admission_webhook_request_total",
      help: "Calls of admission webhooks, by webhook, operation, type, status code and whether the request was rejected.",
    })
    this.#rejections = metrics.counter({
      name: "apiserver_admission_webhook_rejection_count",
      help: "Requests that were rejected at an admission webhook, by webhook, operation, type, kind of error and status code.",
    })
    this.#failedOpen = metrics.counter({
      name: "apiserver_admission_webhook_fail_open_count",
      help: "Calls of admission webhooks that failed and were ignored, by webhook and type.",
    })
  }

  called({ name, type, operation, seconds, rejected, code }: Outcome): void {
    const labels = { name, operation, rejected: String(rejected), type }
    this.#duration.observe(seconds, labels)
    this.#requests.add(1, { ...labels, code: String(bounded(code)) })
  }

  rejected({ name, type, operation, code }: Outcome, error_type: RejectionCause): void {
    this.#rejections.add(1, { name, operation, error_type, rejection_code: String(bounded(code)), type })
  }

  failedOpen({ name, type }: Pick<Outcome, "name" | "type">): void {
    this.#failedOpen.add(1, { name, type })
  }
}

/** So that a webhook cannot make a series of every number. */
function bounded(code: number): number {
  return Math.min(code, 600)
}
