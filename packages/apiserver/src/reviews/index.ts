import { notAcceptable } from "@pilothouse/api"
import type { TransportResponse } from "@pilothouse/seams"
import type { Call } from "../server/call.ts"
import { collectionBinding } from "../subresources/binding.ts"
import { accessReview, rulesReview, selfAccessReview } from "./access.ts"
import { selfReview, tokenReview } from "./identity.ts"

type Review = (call: Call) => Promise<TransportResponse>

/** Kinds that are asked and answered, and never kept. */
const reviews: Readonly<Record<string, Review>> = {
  "/bindings": collectionBinding,
  "authentication.k8s.io/selfsubjectreviews": selfReview,
  "authentication.k8s.io/tokenreviews": tokenReview,
  "authorization.k8s.io/selfsubjectaccessreviews": selfAccessReview,
  "authorization.k8s.io/subjectaccessreviews": accessReview,
  "authorization.k8s.io/localsubjectaccessreviews": accessReview,
  "authorization.k8s.io/selfsubjectrulesreviews": rulesReview,
}

export function reviewFunction({ verb, resource }: Call): Review | undefined {
  const review = verb === "create" ? reviews[`${resource.descriptor.group}/${resource.descriptor.plural}`] : undefined
  return review && ((call) => review(inItsForm(call)))
}

/** What has no metadata is no row of a table. */
function inItsForm(call: Call): Call {
  if (call.wanted.form === "Table") throw notAcceptable(["application/json", "application/yaml"])
  return call
}
