import type { Field, Schema } from "../../schema/schema.ts"
import { directiveKey } from "../strategic/directives.ts"
import { isList, isObject, type JsonObject } from "../values/json-value.ts"

/**
 * What a strategic merge means, without order, speed or error messages: a merged list is a map from key to element. For tests:
 * the real merge must give the same after `unordered`.
 */
export function modelMerge(value: JsonObject, patch: JsonObject, schema: Schema): JsonObject {
  const result = new Map(Object.entries(value))
  for (const [key, change] of Object.entries(patch)) {
    const current = result.get(key)
    const field = schema.fields?.[key]
    if (change === null) result.delete(key)
    else if (isObject(current) && isObject(change)) result.set(key, mergeObject(current, change, field))
    else if (isList(current) && isList(change)) result.set(key, mergeLists(current, change, field))
    else result.set(key, fresh(change))
  }
  return Object.fromEntries(result)
}

function mergeObject(current: JsonObject, change: JsonObject, field: Field | undefined): JsonObject {
  return field?.patchStrategy?.includes("replace") ? change : modelMerge(current, change, field?.schema ?? { type: "any" })
}

function mergeLists(current: readonly unknown[], change: readonly unknown[], field: Field | undefined): unknown[] {
  const key = field?.patchMergeKey
  if (!field?.patchStrategy?.includes("merge")) return [...change]
  if (key === undefined) return [...new Set([...current, ...change])]
  const changes = change as readonly JsonObject[]
  const replaced = changes.some((element) => element[directiveKey] === "replace")
  const elements = new Map((replaced ? [] : (current as readonly JsonObject[])).map((element) => [element[key], element]))
  for (const element of changes) {
    const old = elements.get(element[key])
    if (element[directiveKey] === "delete") elements.delete(element[key])
    else if (element[directiveKey] === undefined)
      elements.set(element[key], old === undefined ? element : modelMerge(old, element, field.schema.items ?? { type: "any" }))
  }
  return [...elements.values()]
}

/** A value for an empty place: no nulls in objects, no elements that are directives. */
function fresh(value: unknown): unknown {
  if (isList(value)) return value.filter((element) => !(isObject(element) && directiveKey in element)).map(fresh)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).flatMap(([key, member]) => (member === null ? [] : [[key, fresh(member)]])))
}

/** The value with every merged list sorted by its key. */
export function unordered(value: unknown, schema: Schema | undefined, field?: Field): unknown {
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [
        key,
        member === null ? null : unordered(member, schema?.fields?.[key]?.schema, schema?.fields?.[key]),
      ]),
    )
  if (!isList(value) || !field?.patchStrategy?.includes("merge")) return value
  const name = (element: unknown) => String(field.patchMergeKey === undefined ? element : (element as JsonObject)[field.patchMergeKey])
  return value.map((element) => unordered(element, schema?.items)).sort((left, right) => (name(left) < name(right) ? -1 : 1))
}
