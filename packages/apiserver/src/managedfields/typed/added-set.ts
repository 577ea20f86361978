import { deepEqual, type Schema } from "@pilothouse/api"
import { emptySet, type FieldSet } from "../fieldpath/field-set.ts"
import { isEmptyMap, isJsonMap, type JsonMap, ownField } from "./json-value.ts"
import { duplicateTokens, itemTokens } from "./list-items.ts"
import { type NodeBuilder, selfToken } from "./set-prefixes.ts"
import { deducedType, type ListType, type MapType, type Type, typeOf } from "./type.ts"

/**
 * Returns what the client that creates an object owns: everything that is added to or differs from the object that Go has before a body is read. A struct
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

/** Returns the fields below the node of a value that was null or of another form before; undefined for nothing. */
export function addedBelow(type: Type, value: unknown): FieldSet | undefined {
  return addedNode(type, null, value)
}

/** What is added or modified from one value to another; undefined for nothing. The old value is absent (undefined), null, or Go's empty one. */
function addedNode(type: Type, old: unknown, value: unknown): FieldSet | undefined {
  if (typeof value === "object" && value !== null) {
    if (Array.isArray(value)) {
      if (type.list !== undefined && !type.list.isAtomic) return addedList(type.list, old, value)
    } else if (type.map !== undefined && !type.map.isAtomic) return addedMap(type.map, old, value as JsonMap)
  }
  return addedLeaf(old, value)
}

function addedLeaf(old: unknown, value: unknown): FieldSet | undefined {
  return old !== undefined && deepEqual(old, value) ? undefined : emptySet
}

function addedMap(type: MapType, old: unknown, map: JsonMap): FieldSet | undefined {
  const before = isJsonMap(old) ? old : undefined
  const keys = Object.keys(map)
  if (isLeaf(type, before) && isLeaf(type, map)) return addedLeaf(old, map)
  let builder = type.prefixes.begin(keys.length)
  if (old === undefined) builder = builder.with(selfToken, emptySet)
  for (const key of keys) {
    const value = map[key]
    if (value === undefined || isNullField(type, key, value)) continue
    const previous = before === undefined ? undefined : fieldBefore(type, before, key)
    const node = addedNode(type.at(key) ?? deducedType, previous, value)
    if (node !== undefined) builder = builder.with(key, node)
  }
  return before === undefined ? withNulls(type, map, builder).build() : builder.build()
}

/** Whether a map has no field, also none that Go writes as null. */
export function isLeaf({ nulls }: MapType, map: JsonMap | undefined): boolean {
  return map === undefined || (nulls.length === 0 && isEmptyMap(map))
}

/** What Go writes as null is there in a map that was not there before. */
function withNulls(type: MapType, map: JsonMap, builder: NodeBuilder<FieldSet>): NodeBuilder<FieldSet> {
  let result = builder
  for (const key of type.nulls) if (isNullField(type, key, map[key])) result = result.with(key, emptySet)
  return result
}

/** A field of Go's empty object. */
function fieldBefore({ nulls }: MapType, before: JsonMap, key: string): unknown {
  const value = ownField(before, key)
  return value === undefined && nulls.includes(key) ? null : value
}

/** Whether Go writes null for a field: it does not tell an empty list from one that is not there. */
export function isNullField({ nulls }: MapType, key: string, value: unknown): boolean {
  if (nulls.length === 0) return false
  const isNil = value === undefined || value === null || (Array.isArray(value) && value.length === 0)
  return isNil && nulls.includes(key)
}

function addedList(type: ListType, old: unknown, list: readonly unknown[]): FieldSet | undefined {
  if (list.length === 0) return addedLeaf(old, list)
  const tokens = itemTokens(type, list)
  const duplicates = duplicateTokens(tokens)
  let builder = type.prefixes.begin(list.length)
  if (old === undefined) builder = builder.with(selfToken, emptySet)
  for (let at = 0; at < list.length; at++) {
    if (!duplicates?.has(tokens[at])) builder = builder.with(tokens[at], addedTree(type.items, list[at]))
  }
  // What is there more than once is owned as a whole.
  if (duplicates !== undefined) for (const token of duplicates) builder = builder.with(token, emptySet)
  return builder.build()
}
