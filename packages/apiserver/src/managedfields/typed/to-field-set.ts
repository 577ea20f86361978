import type { Schema } from "@pilothouse/api"
import { emptySet, type FieldSet } from "../fieldpath/field-set.ts"
import { formOf, isEmptyMap, isJsonMap, type JsonMap } from "./json-value.ts"
import { duplicateTokens, itemToken, orTypedError, TypedError } from "./list-items.ts"
import { selfToken, type Token } from "./set-prefixes.ts"
import { deducedType, ListType, MapType, type Type, typeOf, wholeElement } from "./type.ts"

/**
 * Returns what a client that applies a configuration owns: every scalar and atomic value in it, every item, and every key of a map. A field that the schema names
 * is itself owned only where it is null or an empty object. Configurations of one shape get one frozen set.
 */
export function toFieldSet(value: unknown, schema: Schema): FieldSet {
  const type = typeOf(schema)
  const { map } = type
  // The root itself is no path.
  return map !== undefined && !map.isAtomic && isJsonMap(value) ? (mapNode(map, value, false) ?? emptySet) : emptySet
}

/** Undefined where nothing is owned; `member` has the node owned in any case. */
function nodeOfValue(type: Type, value: unknown, member: boolean): FieldSet | undefined {
  const form = formOf(type, value)
  if (form instanceof MapType && !form.isAtomic) return isJsonMap(value) ? mapNode(form, value, member) : nothing(member)
  if (form instanceof ListType && !form.isAtomic) return Array.isArray(value) ? listNode(form, value, member) : nothing(member)
  return emptySet
}

function nothing(member: boolean): FieldSet | undefined {
  return member ? emptySet : undefined
}

function mapNode(type: MapType, map: JsonMap, member: boolean): FieldSet | undefined {
  const keys = Object.keys(map)
  let builder = type.prefixes.begin(keys.length)
  if (member) builder = builder.with(selfToken, emptySet)
  for (const key of keys) {
    const value = map[key]
    if (value === undefined) continue
    const named = type.named(key)
    const isOwned = named === undefined || value === null || (isJsonMap(value) && isEmptyMap(value))
    const node = nodeOfValue(named ?? type.at(key) ?? deducedType, value, isOwned)
    if (node !== undefined) builder = builder.with(key, node)
  }
  return builder.build()
}

function listNode(type: ListType, list: readonly unknown[], member: boolean): FieldSet | undefined {
  const tokens: Token[] = []
  for (const item of list) tokens.push(tokenOrKeyless(type, item))
  const duplicates = duplicateTokens(tokens)
  let builder = type.prefixes.begin(list.length)
  if (member) builder = builder.with(selfToken, emptySet)
  for (let at = 0; at < list.length; at++) {
    const token = tokens[at]
    if (duplicates?.has(token)) continue
    builder = builder.with(token, nodeOfValue(type.items, list[at], true) ?? emptySet)
  }
  if (duplicates !== undefined) for (const token of duplicates) builder = builder.with(token, emptySet)
  return builder.build()
}

/** An item that has lost its keys while its object was taken apart is still an item, so that its list is not taken for an empty one. */
function tokenOrKeyless(type: ListType, item: unknown): Token {
  const token = orTypedError(itemToken, type, item)
  return token instanceof TypedError ? keyless : token
}

const keyless = `${wholeElement}k:{}`
