import { deepEqual, type Schema } from "@pilothouse/api"
import { emptySet, type FieldSet } from "../fieldpath/field-set.ts"
import { formOf, isEmptyMap, isJsonMap, type JsonMap, ownField } from "./json-value.ts"
import { itemToken } from "./list-items.ts"
import { selfToken, type Token } from "./set-prefixes.ts"
import { deducedType, ListType, MapType, type Type, typeOf } from "./type.ts"

/**
 * What the client that creates an object owns: everything that is added to or differs from the object that Go has before a body is read. A struct
 * that is no pointer is there from the beginning, so that only its fields are owned: `f:spec` has no "." of its own, `f:labels` has one.
 * Objects of one shape get one frozen set. Throws a TypedError for a list item that has no key.
 */
export function createdSet(value: unknown, schema: Schema): FieldSet {
  const type = typeOf(schema)
  return addedNode(type, type.map?.zero, value) ?? emptySet
}

/** The node of a value that was not there before: itself and all that it has. */
export function addedTree(type: Type, value: unknown): FieldSet {
  return addedNode(type, undefined, value) ?? emptySet
}

/** What is below the node of a value that was null or of another form before; undefined for nothing. */
export function addedBelow(type: Type, value: unknown): FieldSet | undefined {
  return addedNode(type, null, value)
}

/** What is added or modified from one value to another; undefined for nothing. The old value is absent (undefined), null, or Go's empty one. */
function addedNode(type: Type, old: unknown, value: unknown): FieldSet | undefined {
  if (typeof value === "object" && value !== null) {
    const form = formOf(type, value)
    if (form instanceof MapType && !form.isAtomic && isJsonMap(value)) return addedMap(form, old, value)
    if (form instanceof ListType && !form.isAtomic && Array.isArray(value)) return addedList(form, old, value)
  }
  return addedLeaf(old, value)
}

function addedLeaf(old: unknown, value: unknown): FieldSet | undefined {
  return old !== undefined && deepEqual(old, value) ? undefined : emptySet
}

function addedMap(type: MapType, old: unknown, map: JsonMap): FieldSet | undefined {
  const before = isJsonMap(old) ? old : undefined
  const keys = Object.keys(map)
  if (type.nulls.length === 0 && isEmptyMap(map) && (before === undefined || isEmptyMap(before))) return addedLeaf(old, map)
  let builder = type.prefixes.begin(keys.length)
  if (old === undefined) builder = builder.with(selfToken, emptySet)
  for (const key of keys) {
    const value = map[key]
    if (value === undefined || isNullField(type, key, value)) continue
    const node = addedNode(type.at(key) ?? deducedType, fieldBefore(type, before, key), value)
    if (node !== undefined) builder = builder.with(key, node)
  }
  if (before === undefined) for (const key of type.nulls) if (isNullField(type, key, map[key])) builder = builder.with(key, emptySet)
  return builder.build()
}

/** A field of Go's empty object. */
function fieldBefore({ nulls }: MapType, before: JsonMap | undefined, key: string): unknown {
  if (before === undefined) return undefined
  const value = ownField(before, key)
  return value === undefined && nulls.includes(key) ? null : value
}

/** Whether Go writes null for a field: it does not tell an empty list from one that is not there. */
export function isNullField({ nulls }: MapType, key: string, value: unknown): boolean {
  const isNil = value === undefined || value === null || (Array.isArray(value) && value.length === 0)
  return isNil && nulls.includes(key)
}

function addedList(type: ListType, old: unknown, list: readonly unknown[]): FieldSet | undefined {
  if (list.length === 0) return addedLeaf(old, list)
  const tokens = list.map((item) => itemToken(type, item))
  const duplicates = duplicateTokens(tokens)
  let builder = type.prefixes.begin(list.length)
  if (old === undefined) builder = builder.with(selfToken, emptySet)
  for (const [at, token] of tokens.entries()) {
    if (duplicates === undefined || !duplicates.has(token)) builder = builder.with(token, addedTree(type.items, list[at]))
  }
  // What is there more than once is owned as a whole.
  for (const token of duplicates ?? []) builder = builder.with(token, emptySet)
  return builder.build()
}

/** Undefined when each is there once. */
export function duplicateTokens(tokens: readonly Token[]): ReadonlySet<Token> | undefined {
  if (tokens.length < 2) return undefined
  const seen = new Set(tokens)
  if (seen.size === tokens.length) return undefined
  const duplicates = new Set<Token>()
  for (const token of tokens) if (!seen.delete(token)) duplicates.add(token)
  return duplicates
}
