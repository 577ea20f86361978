import type { Counter, Histogram, Metrics } from "@pilothouse/seams"
import type { PolicyType } from "./policy-index.ts"

/** What came of an expression, in upstream's words: one that refuses the request is an invalid_error. */
export type PolicyErrorType = "no_error" | "compile_error" | "out_of_budget" | "invalid_error"

/** One expression that was evaluated through one binding. */
export interface PolicyCheck {
  readonly policy: string
  readonly binding: string
  readonly cause: PolicyErrorType
  /** What became of the request; validating policies only. */
  readonly action?: "allow" | "deny" | "audit" | "warn"
  readonly seconds: number
}

const buckets = [0.0000005, 0.001, 0.01, 0.1, 1]

/** Counts the expressions of policies under kube-apiserver's names. */
export class PolicyMetrics {
  readonly #checks: Counter
  readonly #duration: Histogram

  constructor(metrics: Metrics, type: PolicyType) {
    const labels = type === "validating" ? "policy, binding, kind of error and enforcement action" : "policy, binding and kind of error"
    this.#checks = metrics.counter({
      name: `apiserver_${type}_admission_policy_check_total`,
      help: `Expressions of ${type} admission policies that were evaluated, by ${labels}.`,
    })
    this.#duration = metrics.histogram({
      name: `apiserver_${type}_admission_policy_check_duration_seconds`,
      help: `How long expressions of ${type} admission policies took, by ${labels}.`,
      buckets,
    })
  }

  checked({ policy, binding, cause, action, seconds }: PolicyCheck): void {
    const labels = { policy, policy_binding: binding, error_type: cause, ...(action && { enforcement_action: action }) }
    this.#checks.add(1, labels)
    this.#duration.observe(seconds, labels)
  }
}
