import type { FieldRequirement, LabelOperator, LabelRequirement } from "@pilothouse/api"
import { stringifyJson } from "@pilothouse/seams"
import { type Attributes, type Identity, isResource, type ResourceAttributes } from "../authorizer.ts"

/** The spec of a SubjectAccessReview about a request: every text is there, "" where the request says nothing, as match conditions read it. */
export interface AccessReviewSpec {
  readonly user: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
  readonly resourceAttributes?: object
  readonly nonResourceAttributes?: object
}

/** Returns the review of a request that a webhook receives. */
export function accessReviewSpec({ name, uid = "", groups, extra = {} }: Identity, what: Attributes): AccessReviewSpec {
  const who = { user: name, uid, groups, extra }
  if (!isResource(what)) return { ...who, nonResourceAttributes: { path: what.path, verb: what.verb } }
  return { ...who, resourceAttributes: resourceAttributes(what) }
}

function resourceAttributes({ selectors, ...what }: ResourceAttributes): object {
  const { verb, group, version, resource, subresource, namespace, name } = what
  const fields = (selectors?.fields ?? []).map(fieldRequirement)
  const labels = (selectors?.labels ?? []).flatMap(labelRequirement)
  return {
    namespace,
    verb,
    group,
    version,
    resource,
    subresource,
    name,
    ...(fields.length > 0 && { fieldSelector: { requirements: fields } }),
    ...(labels.length > 0 && { labelSelector: { requirements: labels } }),
  }
}

function fieldRequirement({ field, operator, value }: FieldRequirement): object {
  return { key: field, operator: operator === "=" ? "In" : "NotIn", values: [value] }
}

const operators: Readonly<Partial<Record<LabelOperator, string>>> = {
  "=": "In",
  "==": "In",
  in: "In",
  "!=": "NotIn",
  notin: "NotIn",
  exists: "Exists",
  "!": "DoesNotExist",
}

/** Comparisons of numbers are left out: without them the review is about more objects, never about fewer. */
function labelRequirement({ key, operator, values }: LabelRequirement): readonly object[] {
  const known = operators[operator]
  return known === undefined ? [] : [{ key, operator: known, ...(values.length > 0 && { values }) }]
}

/** Returns the spec without empty texts, as Go writes it. */
export function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty)
  if (typeof value !== "object" || value === null) return value
  const kept = Object.entries(value).filter(([, member]) => !isEmpty(member))
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutEmpty(member)]))
}

function isEmpty(value: unknown): boolean {
  if (value === "") return true
  return typeof value === "object" && value !== null && Object.keys(value).length === 0
}

/** Reports whether the decision on a request may be kept: not where a client could fill the cache with long texts. */
export function isCacheable(what: Attributes): boolean {
  const texts = Object.values(what).map((member) => (typeof member === "string" ? member : stringifyJson(member ?? "")))
  return texts.reduce((size, text) => size + text.length, 0) < 10_000
}
