import { badRequest, invalid } from "@pilothouse/api"
import type { LocalSubjectAccessReview, SelfSubjectAccessReview, SubjectAccessReview } from "@pilothouse/api/authorization/v1"
import type { TransportResponse } from "@pilothouse/seams"
import type { Identity } from "../authentication/identity.ts"
import type { Attributes } from "../authorization/authorizer.ts"
import { decodeBody } from "../objects/decode-object.ts"
import { valueResponse } from "../response/response.ts"
import type { Call } from "../server/call.ts"
import { type AccessSpec, accessErrors } from "./access-errors.ts"

/** May I do something? */
export async function selfAccessReview(call: Call): Promise<TransportResponse> {
  const review = decodeBody(call) as SelfSubjectAccessReview
  return decided(call, review, call.identity)
}

/** Whether a user may do something, anywhere or in the namespace of the path. */
export async function accessReview(call: Call): Promise<TransportResponse> {
  const review = decodeBody(call) as SubjectAccessReview | LocalSubjectAccessReview
  const { user = "", groups = [], uid, extra } = review.spec ?? {}
  return decided(call, review, { name: user, groups, ...(uid !== undefined && { uid }), ...(extra && { extra }) })
}

type Review = SelfSubjectAccessReview | SubjectAccessReview | LocalSubjectAccessReview

async function decided(call: Call, review: Review, who: Identity): Promise<TransportResponse> {
  const spec: AccessSpec = review.spec ?? {}
  const errors = accessErrors(call, review, spec)
  if (errors.length > 0) throw invalid(call.resource.descriptor, "", errors)
  const { allowed, denied = false, reason = "" } = await call.server.authorizer.authorize(who, attributesOf(spec))
  return valueResponse(call, { ...review, status: { allowed, ...(denied && { denied }), ...(reason !== "" && { reason }) } }, 201)
}

function attributesOf({ resourceAttributes, nonResourceAttributes }: AccessSpec): Attributes {
  if (resourceAttributes === undefined) return { verb: nonResourceAttributes?.verb ?? "", path: nonResourceAttributes?.path ?? "" }
  const { verb = "", group = "", version = "", resource = "", subresource = "", namespace = "", name = "" } = resourceAttributes
  return { verb, group, version, resource, subresource, namespace, name }
}

/** What may I do? */
export async function rulesReview(call: Call): Promise<TransportResponse> {
  const review = decodeBody(call) as ReturnType<typeof decodeBody> & { spec?: { namespace?: string } }
  const namespace = review.spec?.namespace ?? ""
  if (namespace === "") throw badRequest("no namespace on request")
  return valueResponse(call, { ...review, status: await call.server.authorizer.rules(call.identity, namespace) }, 201)
}
