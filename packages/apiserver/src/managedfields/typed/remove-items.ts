import type { Schema } from "@pilothouse/api"
import { type FieldPath, hasPath, pathsOf, setOfPaths } from "../fieldpath/field-path.ts"
import { belowNode, type FieldSet, isEmptySet, isMember, union } from "../fieldpath/field-set.ts"
import { fieldElement, keyFields, type PathElement } from "../fieldpath/path-element.ts"
import { formOf, isJsonMap, type JsonMap, setField } from "./json-value.ts"
import { itemElement, orTypedError, TypedError } from "./list-items.ts"
import { toFieldSet } from "./to-field-set.ts"
import { deducedType, ListType, MapType, type Type, typeOf } from "./type.ts"

/**
 * A value without the members of a set and all that is below them. A list or map that nothing is left of is null, and so is an atomic one that the set
 * reaches into. Parts that do not change are shared.
 */
export function removeItems(value: unknown, schema: Schema, set: FieldSet): unknown {
  return isEmptySet(set) ? value : removed(typeOf(schema), value, set)
}

function removed(type: Type, value: unknown, set: FieldSet): unknown {
  const form = formOf(type, value)
  if (form instanceof MapType) return isJsonMap(value) && !form.isAtomic ? removedFromMap(form, value, set) : null
  if (form instanceof ListType) return Array.isArray(value) && !form.isAtomic ? removedFromList(form, value, set) : null
  return value
}

function removedFromMap(type: MapType, map: JsonMap, set: FieldSet): JsonMap | null {
  const result: Record<string, unknown> = {}
  let [size, changed] = [0, false]
  for (const key of Object.keys(map)) {
    const before = map[key]
    if (before === undefined) continue
    const node = set[fieldElement(key)]
    if (node !== undefined && isMember(node)) {
      changed = true
      continue
    }
    const value = node === undefined ? before : removed(type.at(key) ?? deducedType, before, node)
    if (value !== before) changed = true
    setField(result, key, value)
    size++
  }
  if (size === 0) return null
  return changed ? result : map
}

function removedFromList(type: ListType, list: readonly unknown[], set: FieldSet): readonly unknown[] | null {
  const result: unknown[] = []
  let changed = false
  for (const item of list) {
    const node = nodeOfItem(set, type, item)
    if (node !== undefined && isMember(node)) {
      changed = true
      continue
    }
    const value = node === undefined ? item : removed(type.items, item, node)
    if (value !== item) changed = true
    result.push(value)
  }
  if (result.length === 0) return null
  return changed ? result : list
}

function nodeOfItem(set: FieldSet, type: ListType, item: unknown): FieldSet | undefined {
  const element = orTypedError(itemElement, type, item)
  return element instanceof TypedError ? undefined : set[element]
}

/**
 * Only the members of a set, as far as the value has them, with the keys of the items that they are in. Atomic values come whole; a list or map that
 * nothing is left of is null.
 */
export function extractItems(value: unknown, schema: Schema, set: FieldSet): unknown {
  return extracted(typeOf(schema), value, union(set, keysIn(set, toFieldSet(value, schema))))
}

/** The key fields of all items on the paths that a value has. */
function keysIn(set: FieldSet, has: FieldSet): FieldSet {
  const paths = pathsOf(set).filter((path) => hasPath(has, path))
  return setOfPaths(paths.flatMap((path) => path.flatMap((element, at) => keyPaths(path.slice(0, at + 1), element))))
}

function keyPaths(path: FieldPath, element: PathElement): readonly FieldPath[] {
  return element.startsWith("k:") ? keyFields(element).map(([name]) => [...path, fieldElement(name)]) : []
}

function extracted(type: Type, value: unknown, set: FieldSet): unknown {
  const form = formOf(type, value)
  if (form instanceof MapType) return isJsonMap(value) ? extractedMap(form, value, set) : null
  if (form instanceof ListType) return Array.isArray(value) ? extractedList(form, value, set) : null
  return value
}

function extractedMap(type: MapType, map: JsonMap, set: FieldSet): JsonMap | null {
  const keys = Object.keys(map).filter((key) => map[key] !== undefined)
  if (type.isAtomic || keys.length === 0) return map
  const result: Record<string, unknown> = {}
  for (const key of keys) {
    const node = set[fieldElement(key)]
    if (node === undefined) continue
    // Upstream goes into a field that is itself a member with the set that it is a member of: only what is atomic or empty comes out of it.
    setField(result, key, extracted(type.at(key) ?? deducedType, map[key], isMember(node) ? set : node))
  }
  return Object.keys(result).length === 0 ? null : result
}

function extractedList(type: ListType, list: readonly unknown[], set: FieldSet): readonly unknown[] | null {
  if (type.isAtomic || list.length === 0) return list
  const result = list.flatMap((item) => {
    const node = nodeOfItem(set, type, item)
    if (node === undefined) return []
    const below = belowNode(node)
    return [isEmptySet(below) ? item : extracted(type.items, item, below)]
  })
  return result.length === 0 ? null : result
}
