import { type FieldError, fieldError } from "@pilothouse/api"
import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { itemListOf, itemsOf, propertyOf } from "../../schema/structural/schema-walk.ts"
import { goItems } from "./go-form.ts"

const [listType, mapType, keys] = ["x-kubernetes-list-type", "x-kubernetes-map-type", "x-kubernetes-list-map-keys"] as const

/** The rules that schemas of a stored definition may have broken before they were made. */
export interface SchemaStrictness {
  readonly requiresKnownTypes: boolean
  readonly requiresAtomicSets: boolean
  readonly requiresMapKeys: boolean
}

/** Returns what is wrong with x-kubernetes-map-type. */
export function mapTypeErrors(schema: JSONSchemaProps, path: string): readonly FieldError[] {
  const { type = "", [mapType]: value } = schema
  if (value === undefined) return []
  const known = value === "atomic" || value === "granular"
  return [
    ...(type === "object" ? [] : [typeError(type, path, `must be object if ${mapType} is specified`)]),
    ...(known ? [] : [fieldError.notSupported(`${path}.${mapType}`, value, ["atomic", "granular"])]),
  ]
}

/** Yields what is wrong with x-kubernetes-list-type and its keys, one by one: a list of keys is shown in full with each that is wrong. */
export function* listTypeErrors(schema: JSONSchemaProps, path: string, strictness: SchemaStrictness): Generator<FieldError, undefined> {
  const { type = "", [listType]: value, [keys]: mapKeys = [] } = schema
  const at = `${path}.${listType}`
  if (value !== undefined && type !== "array") yield typeError(type, path, `must be array if ${listType} is specified`)
  else if (value === "set" && strictness.requiresAtomicSets && hasNonAtomicItems(schema)) yield nonAtomicError(schema, path)
  if (value !== undefined && !["atomic", "set", "map"].includes(value)) yield fieldError.notSupported(at, value, ["atomic", "set", "map"])
  if (mapKeys.length > 0 && value !== "map") {
    const text = `must be map if ${keys} is non-empty`
    yield value === undefined ? fieldError.required(at, text) : fieldError.invalid(at, value, text)
  }
  if (value === "map") yield* mapErrors(schema, path)
  if (strictness.requiresMapKeys) yield* mapKeyErrors(schema, path)
  return undefined
}

/** Whether a set has items that clients can own in part. */
export function hasNonAtomicItems(schema: JSONSchemaProps): boolean {
  const items = itemsOf(schema)
  if (schema[listType] !== "set" || items === undefined) return false
  if (items.type === "array") return (items[listType] ?? "atomic") !== "atomic"
  return items.type === "object" && items[mapType] !== "atomic"
}

function nonAtomicError(schema: JSONSchemaProps, path: string): FieldError {
  const items = itemsOf(schema)
  const at = `${path}.items.${items?.type === "array" ? listType : mapType}`
  // Upstream shows the list type in both cases.
  return fieldError.invalid(at, items?.[listType] ?? null, `must be atomic as item of a list with ${listType}=set`)
}

function* mapErrors(schema: JSONSchemaProps, path: string): Generator<FieldError, undefined> {
  const { [keys]: mapKeys = [] } = schema
  const items = itemsOf(schema)
  if (mapKeys.length === 0) yield fieldError.required(`${path}.${keys}`, `must not be empty if ${listType} is map`)
  if (schema.items === undefined) yield fieldError.required(`${path}.items`, `must have a schema if ${listType} is map`)
  if (itemListOf(schema).length > 0) {
    yield fieldError.invalid(`${path}.items`, goItems(schema), `must only have a single schema if ${listType} is map`)
  }
  if (items !== undefined && items.type !== "object") {
    yield fieldError.invalid(`${path}.items.type`, items.type ?? "", `must be object if parent array's ${listType} is map`)
  }
  if (items?.type !== "object") return undefined
  const seen = new Set<string>()
  for (const key of mapKeys) {
    yield* mapKeyTypeErrors(items, key, mapKeys, path)
    if (seen.has(key)) yield fieldError.invalid(`${path}.${keys}`, mapKeys, "must not contain duplicate entries")
    seen.add(key)
  }
  return undefined
}

function mapKeyTypeErrors(items: JSONSchemaProps, key: string, mapKeys: readonly string[], path: string): readonly FieldError[] {
  const property = propertyOf(items, key)
  if (property === undefined) return [fieldError.invalid(`${path}.${keys}`, mapKeys, "entries must all be names of item properties")]
  if (property.type !== "array" && property.type !== "object") return []
  // Upstream shows the type of the items.
  const text = `must be a scalar type if parent array's ${listType} is map`
  return [fieldError.invalid(`${path}.items.properties[${key}].type`, items.type, text)]
}

/** Items are distinguished by their keys: an item without one, or null, has no place in a set or a map. */
export function* mapKeyErrors(schema: JSONSchemaProps, path: string): Generator<FieldError, undefined> {
  const items = itemsOf(schema)
  const value = schema[listType]
  if (items === undefined || (value !== "set" && value !== "map")) return undefined
  if (items.nullable === true) yield fieldError.forbidden(`${path}.items.nullable`, `cannot be nullable when ${listType} is ${value}`)
  if (value === "set") return undefined
  const required = new Set(items.required)
  for (const key of schema[keys] ?? []) {
    const property = propertyOf(items, key)
    const at = `${path}.items.properties[${key}]`
    if (property !== undefined && property.default === undefined && !required.has(key)) {
      yield fieldError.required(`${at}.default`, `this property is in ${keys}, so it must have a default or be a required property`)
    }
    if (property?.nullable === true) yield fieldError.forbidden(`${at}.nullable`, `this property is in ${keys}, so it cannot be nullable`)
  }
  return undefined
}

function typeError(type: string, path: string, text: string): FieldError {
  return type === "" ? fieldError.required(`${path}.type`, text) : fieldError.invalid(`${path}.type`, type, text)
}
