import { badRequest, type FieldError, fieldError, invalid, type KubeObject, type LabelOperator } from "@pilothouse/api"
import type { LocalSubjectAccessReview, SelfSubjectAccessReview, SubjectAccessReview } from "@pilothouse/api/authorization/v1"
import type { TransportResponse } from "@pilothouse/seams"
import type { Identity } from "../authentication/identity.ts"
import type { Attributes, Selectors } from "../authorization/authorizer.ts"
import { parsedSelectors } from "../authorization/request-attributes.ts"
import { decodeBody } from "../objects/decode-object.ts"
import { valueResponse } from "../response/response.ts"
import type { Call } from "../server/call.ts"

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
  const { allowed, denied = false, reason = "", error } = await call.server.authorizer.authorize(who, attributesOf(spec))
  const status = {
    allowed,
    ...(denied && { denied }),
    ...(reason !== "" && { reason }),
    ...(error !== undefined && { evaluationError: error }),
  }
  return valueResponse(call, { ...review, status }, 201)
}

function attributesOf({ resourceAttributes, nonResourceAttributes }: AccessSpec): Attributes {
  if (resourceAttributes === undefined) return { verb: nonResourceAttributes?.verb ?? "", path: nonResourceAttributes?.path ?? "" }
  const { verb = "", group = "", version = "", resource = "", subresource = "", namespace = "", name = "" } = resourceAttributes
  const selectors = selectorsIn(resourceAttributes)
  return { verb, group, version, resource, subresource, namespace, name, ...(selectors && { selectors }) }
}

/** Requirements that a selector cannot have are left out: without them it selects more, so no right is decided on too little. */
function selectorsIn({ fieldSelector, labelSelector }: NonNullable<AccessSpec["resourceAttributes"]>): Selectors | undefined {
  if (fieldSelector === undefined && labelSelector === undefined) return undefined
  const raw = parsedSelectors(fieldSelector?.rawSelector ?? "", labelSelector?.rawSelector ?? "")
  const fields = (fieldSelector?.requirements ?? []).flatMap(({ key, operator, values = [] }) => {
    const sign = operator === "In" ? "=" : operator === "NotIn" ? "!=" : undefined
    return sign === undefined || values.length !== 1 ? [] : [{ field: key, operator: sign, value: values[0]! } as const]
  })
  const operators: Readonly<Record<string, LabelOperator>> = { In: "in", NotIn: "notin", Exists: "exists", DoesNotExist: "!" }
  const labels = (labelSelector?.requirements ?? []).flatMap(({ key, operator, values = [] }) => {
    const known = operators[operator]
    return known === undefined ? [] : [{ key, operator: known, values }]
  })
  return { fields: fields.length > 0 ? fields : raw.fields, labels: labels.length > 0 ? labels : raw.labels }
}

/** Serves SelfSubjectRulesReview: what the user may do */
export async function rulesReview(call: Call): Promise<TransportResponse> {
  const review = decodeBody(call) as ReturnType<typeof decodeBody> & { spec?: { namespace?: string } }
  const namespace = review.spec?.namespace ?? ""
  if (namespace === "") throw badRequest("no namespace on request")
  return valueResponse(call, { ...review, status: await call.server.authorizer.rules(call.identity, namespace) }, 201)
}

type AccessSpec = Partial<NonNullable<SubjectAccessReview["spec"]>>

/** What a question must say to be one. */
function accessErrors({ resource, namespace = "" }: Call, { metadata }: KubeObject, spec: AccessSpec): readonly FieldError[] {
  const { plural } = resource.descriptor
  const { namespace: _place, ...more } = metadata
  const local = plural === "localsubjectaccessreviews"
  const empty = Object.keys(local ? more : metadata).length === 0
  return [
    ...attributeErrors(spec),
    ...(plural === "selfsubjectaccessreviews" ? [] : subjectErrors(spec)),
    ...(empty ? [] : [fieldError.invalid("metadata", metadata, local ? "must be empty except for namespace" : "must be empty")]),
    ...(local ? placeErrors(spec, namespace) : []),
  ]
}

function attributeErrors({ resourceAttributes, nonResourceAttributes }: AccessSpec): readonly FieldError[] {
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    return [
      fieldError.invalid("spec.nonResourceAttributes", nonResourceAttributes, "cannot be specified in combination with resourceAttributes"),
    ]
  }
  if (resourceAttributes !== undefined || nonResourceAttributes !== undefined) return []
  const text = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
  return [fieldError.invalid("spec.resourceAttributes", null, text)]
}

function subjectErrors({ user = "", groups = [] }: AccessSpec): readonly FieldError[] {
  return user === "" && groups.length === 0
    ? [fieldError.invalid("spec.user", user, "at least one of user or group must be specified")]
    : []
}

function placeErrors({ resourceAttributes, nonResourceAttributes }: AccessSpec, namespace: string): readonly FieldError[] {
  const asked = resourceAttributes?.namespace ?? ""
  return [
    ...(resourceAttributes !== undefined && asked !== namespace
      ? [fieldError.invalid("spec.resourceAttributes.namespace", asked, "must match metadata.namespace")]
      : []),
    ...(nonResourceAttributes !== undefined
      ? [fieldError.invalid("spec.nonResourceAttributes", nonResourceAttributes, "disallowed on this kind of request")]
      : []),
  ]
}
