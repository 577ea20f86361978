import type { MatchOutcome } from "@pilothouse/cel/kubernetes"
import type { AdmissionAttributes } from "../plugin.ts"

/** Whose conditions they are, in upstream's words. */
interface ConditionsOf {
  readonly name: string
  readonly kind: "webhook" | "policy"
  /** Of webhooks; policies of both types are counted as "validate". */
  readonly type?: "admit" | "validate"
}

/** Counts what match conditions have decided, under kube-apiserver's names. `isIgnored`: those that failed let nothing through. */
export function countConditions(
  outcome: MatchOutcome,
  { name, kind, type = "validate" }: ConditionsOf,
  attributes: AdmissionAttributes,
): void {
  if (outcome.kind === "matches") return
  const { admissionMetrics: metrics } = attributes.server
  const labels = { name, kind, type, operation: attributes.operation }
  if (outcome.errors > 0) {
    const failed = metrics.counter({
      name: "apiserver_admission_match_condition_evaluation_errors_total",
      help: "Match conditions that could not be evaluated, by webhook or policy, operation and type.",
    })
    // Upstream has two words for the type of a validating webhook.
    failed.add(outcome.errors, { ...labels, type: kind === "webhook" && type === "validate" ? "validating" : type })
  }
}

/** Counts a webhook that its conditions have kept from being called. */
export function countExclusion({ name, kind, type = "validate" }: ConditionsOf, { server, operation }: AdmissionAttributes): void {
  const excluded = server.admissionMetrics.counter({
    name: "apiserver_admission_match_condition_exclusions_total",
    help: "Requests that match conditions have excluded, by webhook, operation and type.",
  })
  excluded.add(1, { name, kind, type, operation })
}
