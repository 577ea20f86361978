import { forbidden } from "@pilothouse/api"
import type { RequestAuthorizations } from "@pilothouse/cel/kubernetes"
import { loadMatchConditions, matchConditionLibrary } from "../../validation/match-conditions.ts"
import { countConditions, countExclusion } from "../matching/match-condition-metrics.ts"
import { namespaceOf } from "../matching/match-request.ts"
import type { AdmissionAttributes } from "../plugin.ts"
import { admissionReview, type ReviewRequest } from "./admission-review.ts"
import type { IndexedWebhook } from "./webhook-index.ts"

/**
 * Whether the match conditions of a webhook let a request through. Throws a 403 where they cannot be evaluated and the failurePolicy is Fail.
 */
export async function meetsConditions(hook: IndexedWebhook, type: "admit" | "validate", review: ReviewRequest): Promise<boolean> {
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
  const of = { name, kind: "webhook", type } as const
  countConditions(outcome, of, attributes)
  if (outcome.kind === "error" && failurePolicy !== "Ignore") {
    throw forbidden(attributes.resource.descriptor, attributes.name, outcome.message)
  }
  countExclusion(of, attributes)
  return false
}

/** What the `authorizer` of an expression knows: the user of the request, and the resource that it is about. */
function authorizationsOf(attributes: AdmissionAttributes): RequestAuthorizations {
  const { server, identity, resource, subresource, name } = attributes
  const { group, plural } = resource.descriptor
  const asked = { verb: "", group, version: "*", resource: plural, subresource, namespace: namespaceOf(attributes), name }
  return new (matchConditionLibrary().RequestAuthorizations)(server.authorizer, identity, asked)
}
