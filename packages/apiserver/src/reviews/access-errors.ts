import { type FieldError, fieldError, type KubeObject } from "@pilothouse/api"
import type { SubjectAccessReview } from "@pilothouse/api/authorization/v1"
import type { Call } from "../server/call.ts"

export type AccessSpec = Partial<NonNullable<SubjectAccessReview["spec"]>>

/** What a question must say to be one. */
export function accessErrors({ resource, namespace = "" }: Call, { metadata }: KubeObject, spec: AccessSpec): readonly FieldError[] {
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
