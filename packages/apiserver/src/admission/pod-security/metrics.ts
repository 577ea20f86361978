import type { Counter, Metrics } from "@pilothouse/seams"
import type { AdmissionAttributes } from "../plugin.ts"
import { type LevelVersion, latest, type Mode } from "./checks/policy.ts"

/** Counters under upstream's names. */
export interface PodSecurityMetrics {
  readonly evaluations: Counter
  readonly exemptions: Counter
  readonly errors: Counter
}

/** Registers upstream's metrics of Pod Security admission. */
export function podSecurityMetrics(metrics: Metrics): PodSecurityMetrics {
  return {
    evaluations: metrics.counter({
      name: "pod_security_evaluations_total",
      help: "Pods and templates that were checked against a Pod Security Standard, by decision, level, version and mode.",
    }),
    exemptions: metrics.counter({
      name: "pod_security_exemptions_total",
      help: "Requests that are exempt from Pod Security by their namespace, user or runtime class.",
    }),
    errors: metrics.counter({
      name: "pod_security_errors_total",
      help: "Pods and templates whose namespace has labels that are no policy, so that the strictest was enforced, or does not exist (fatal).",
    }),
  }
}

/** The newest version that this server knows: later ones are counted as one. */
const ownMinor = 36

export function countEvaluation(attributes: AdmissionAttributes, decision: "allow" | "deny", policy: LevelVersion, mode: Mode): void {
  attributes.server.metrics.podSecurity.evaluations.add(1, {
    decision,
    policy_level: policy.level,
    policy_version: versionLabel(policy),
    mode,
    ...requestLabels(attributes),
  })
}

export function countExemption(attributes: AdmissionAttributes): void {
  attributes.server.metrics.podSecurity.exemptions.add(1, requestLabels(attributes))
}

/** A fatal failure leaves the pod unchecked; after another one the strictest policy is enforced. */
export function countFailure(attributes: AdmissionAttributes, fatal: boolean): void {
  attributes.server.metrics.podSecurity.errors.add(1, { fatal: String(fatal), ...requestLabels(attributes) })
}

function versionLabel({ level, version }: LevelVersion): string {
  if (level === "privileged" || version === latest) return latest
  return Number(version.slice("v1.".length)) > ownMinor ? "future" : version
}

function requestLabels({ operation, resource, subresource }: AdmissionAttributes) {
  const kinds: Readonly<Record<string, string>> = { "/pods": "pod", "/namespaces": "namespace" }
  const { group, plural } = resource.descriptor
  return { request_operation: operation.toLowerCase(), resource: kinds[`${group}/${plural}`] ?? "controller", subresource }
}
