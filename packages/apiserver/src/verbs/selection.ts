import {
  badRequest,
  type FieldSelector,
  isEverything,
  type KubeObject,
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
  requiredFieldValue,
} from "@pilothouse/api"
import { messageOf, queryValue } from "@pilothouse/seams"
import { selectorLimit } from "../request/list-options.ts"
import type { Resource } from "../resources/resource.ts"
import type { Call } from "../server/call.ts"

/** Which objects of a collection a request speaks of. */
export interface Selection {
  /** Without selectors. */
  readonly all: boolean
  /** Where it can only be one object: its name. */
  readonly name: string | undefined
  matches(object: KubeObject): boolean
}

/** Returns the filter of the selectors and the name of a call. Throws BadRequest for a field that its kind cannot be selected by. */
export function selectionOf(call: Call): Selection {
  const labels = parsed(() => parseLabelSelector(selectorText(call, "labelSelector")))
  const fields = withName(
    call,
    parsed(() => parseFieldSelector(selectorText(call, "fieldSelector"))),
  )
  for (const { field } of fields.requirements) refuseUnknownField(call.resource, field)
  const all = isEverything(labels) && fields.requirements.length === 0
  if (all) return { all, name: undefined, matches: () => true }
  return {
    all,
    name: requiredFieldValue(fields, "metadata.name"),
    matches: (object) =>
      matchesLabels(labels, object.metadata.labels) && matchesFields(fields, (field) => fieldValue(call.resource, object, field)),
  }
}

function selectorText({ query }: Call, name: "labelSelector" | "fieldSelector"): string {
  const text = queryValue(query, name) ?? ""
  if (text.length > selectorLimit)
    throw badRequest(`${name} is too long: expected at most ${selectorLimit} characters, found ${text.length}`)
  return text
}

function parsed<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw badRequest(messageOf(error))
  }
}

/** A watch of one object's path is a watch of the collection for its name. */
function withName({ name }: Call, fields: FieldSelector): FieldSelector {
  if (name === "") return fields
  if (fields.requirements.length === 0) return { requirements: [{ field: "metadata.name", operator: "=", value: name }] }
  if (requiredFieldValue(fields, "metadata.name") === name) return fields
  throw badRequest("fieldSelector metadata.name doesn't match requested name")
}

function refuseUnknownField({ descriptor, strategy }: Resource, field: string): void {
  if (field === "metadata.name") return
  if (field === "metadata.namespace" && (descriptor.namespaced || strategy.fields === undefined)) return
  if (strategy.fields === undefined) {
    throw badRequest(`"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`)
  }
  if (!Object.hasOwn(strategy.fields, field)) throw badRequest(unknownField(descriptor.kind, field))
}

function fieldValue({ strategy }: Resource, object: KubeObject, field: string): string {
  if (field === "metadata.name") return object.metadata.name ?? ""
  if (field === "metadata.namespace") return object.metadata.namespace ?? ""
  return strategy.fields?.[field]?.(object) ?? ""
}

/** Of all kinds, Job has words of its own. */
function unknownField(kind: string, field: string): string {
  return kind === "Job" ? `field label ${JSON.stringify(field)} not supported for Job` : `field label not supported: ${field}`
}
