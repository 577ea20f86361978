import { forbidden } from "@pilothouse/api"
import type { RequestAuthorizations } from "@pilothouse/cel/kubernetes"
import type { Counter, Metrics } from "@pilothouse/seams"
import { loadMatchConditions, matchConditionLibrary } from "../../validation/match-conditions.ts"
import { namespaceOf } from "../matching/match-request.ts"
import type { AdmissionAttributes } from "../plugin.ts"
import { admissionReview, type ReviewRequest } from "./admission-review.ts"
import type { IndexedWebhook } from "./webhook-index.ts"

/** Whether the match conditions of a webhook let a request through. Throws a 403 where they cannot be evaluated and the failurePolicy is Fail. */
export async function meetsConditions(hook: IndexedWebhook, type: string, review: ReviewRequest): Promise<boolean> {
  const { matchConditions = [], name, failurePolicy } = hook.webhook
  if (matchConditions.length === 0) return true
  const { attributes } = review
  await loadMatchConditions(attributes.server.clock)
  const { request } = admissionReview("v1", "", review) as { readonly request: Readonly<Record<string, unknown>> }
  const { object, oldObject, uid: _uid, ...about } = request
  const outcome = await hook.conditions().match({
    object: object as object | null,
    oldObject: oldObject as object | null,
    request: about,
    authorizations: authorizationsOf(attributes),
  })
  if (outcome.kind === "matches") return true
  const labels = { name, kind: "webhook", type, operation: attributes.operation }
  const { excluded, failed } = countersOf(attributes.server.admissionMetrics)
  // Upstream has two words for the same.
  if (outcome.errors > 0) failed.add(outcome.errors, { ...labels, type: type === "validate" ? "validating" : type })
  if (outcome.kind === "error" && failurePolicy !== "Ignore") {
    throw forbidden(attributes.resource.descriptor, attributes.name, outcome.message)
  }
  excluded.add(1, labels)
  return false
}

function authorizationsOf(attributes: AdmissionAttributes): RequestAuthorizations {
  const { server, identity, resource, subresource, name } = attributes
  const { group, plural } = resource.descriptor
  const asked = { verb: "", group, version: "*", resource: plural, subresource, namespace: namespaceOf(attributes), name }
  return new (matchConditionLibrary().RequestAuthorizations)(server.authorizer, identity, asked)
}

function countersOf(metrics: Metrics): Readonly<Record<"excluded" | "failed", Counter>> {
  return {
    excluded: metrics.counter({
      name: "apiserver_admission_match_condition_exclusions_total",
      help: "Requests that match conditions have excluded, by webhook or policy, operation and type.",
    }),
    failed: metrics.counter({
      name: "apiserver_admission_match_condition_evaluation_errors_total",
      help: "Match conditions that could not be evaluated, by webhook or policy, operation and type.",
    }),
  }
}
