import { deepEqual, type Schema } from "@pilothouse/api"
import { emptySet, type FieldSet } from "../fieldpath/field-set.ts"
import { addedBelow, addedTree, isLeaf, isNullField } from "./added-set.ts"
import { type Change, type Comparison, changeOfSets, modifiedLeaf, noChange } from "./change.ts"
import { formOf, isEmptyMap, isJsonMap, type JsonMap, ownField } from "./json-value.ts"
import { duplicateTokens, itemTokens } from "./list-items.ts"
import type { NodeBuilder, Token } from "./set-prefixes.ts"
import { deducedType, ListType, MapType, type Type, typeOf } from "./type.ts"

/**
 * The fields and items that an update removed, modified and added. Lists with keys are matched by key; order is of no account. Parts that are one
 * object on both sides cost nothing. Throws a TypedError for a list item that has no key.
 */
export function compare(old: unknown, next: unknown, schema: Schema): Comparison {
  // The root itself is no path: it is never added or removed.
  return changeOf(typeOf(schema), old ?? null, next ?? null)?.comparison ?? noChange
}

function changeOf(type: Type, old: unknown, next: unknown): Change | undefined {
  if (old === next) return undefined
  if (old === undefined) return changeOfSets({ added: addedTree(type, next) })
  if (next === undefined) return changeOfSets({ removed: addedTree(type, old) })
  if (typeof old !== "object" && typeof next !== "object") return modifiedLeaf
  const form = formOf(type, old)
  const nextForm = formOf(type, next)
  if (form === nextForm || old === null || next === null) return changeOfForm(old === null ? nextForm : form, old, next)
  return changeOfKind(type, old, next)
}

/** Of one form on both sides, or null on one of them. */
function changeOfForm(form: ReturnType<typeof formOf>, old: unknown, next: unknown): Change | undefined {
  if (form instanceof MapType && !form.isAtomic) return changeOfMap(form, old, next)
  return form instanceof ListType && !form.isAtomic ? changeOfList(form, old, next) : changeOfLeaf(old, next)
}

function changeOfLeaf(old: unknown, next: unknown): Change | undefined {
  return deepEqual(old, next) ? undefined : modifiedLeaf
}

/** From one form to another, where the type allows both: the place is modified, and what is below a map comes or goes. */
function changeOfKind(type: Type, old: unknown, next: unknown): Change {
  return changeOfSets({ removed: belowMap(type, old), modified: emptySet, added: belowMap(type, next) })
}

function belowMap(type: Type, value: unknown): FieldSet | undefined {
  return type.map?.isAtomic === false && isJsonMap(value) && !isEmptyMap(value) ? addedBelow(type, value) : undefined
}

function changeOfMap(type: MapType, old: unknown, next: unknown): Change | undefined {
  const [before, after] = [isJsonMap(old) ? old : undefined, isJsonMap(next) ? next : undefined]
  if (isLeaf(type, before) && isLeaf(type, after)) return changeOfLeaf(old, next)
  if (before === undefined || after === undefined) return changeOfNullMap(type, before, after)
  let builder = type.changes.begin(0)
  for (const key of Object.keys(after)) {
    const [was, is] = [ownField(before, key), after[key]]
    if (is !== undefined && is !== was) builder = withField(builder, type, key, was, is)
  }
  for (const key of Object.keys(before)) {
    if (ownField(after, key) === undefined && before[key] !== undefined) builder = withField(builder, type, key, before[key], undefined)
  }
  return builder.build()
}

/** What Go writes as null is there on the side that is there. */
function changeOfNullMap(type: MapType, before: JsonMap | undefined, after: JsonMap | undefined): Change | undefined {
  let builder = type.changes.begin(0)
  for (const key of new Set([...Object.keys(before ?? after ?? {}), ...type.nulls])) {
    const change = changeOf(type.at(key) ?? deducedType, fieldOf(type, before, key), fieldOf(type, after, key))
    if (change !== undefined) builder = builder.with(key, change)
  }
  return builder.build()
}

function fieldOf(type: MapType, map: JsonMap | undefined, key: string): unknown {
  if (map === undefined) return undefined
  const value = ownField(map, key)
  return isNullField(type, key, value) ? null : value
}

function withField(builder: NodeBuilder<Change>, type: MapType, key: string, was: unknown, is: unknown): NodeBuilder<Change> {
  const [old, next] = [isNullField(type, key, was) ? null : was, isNullField(type, key, is) ? null : is]
  const change = changeOf(type.at(key) ?? deducedType, old, next)
  return change === undefined ? builder : builder.with(key, change)
}

function changeOfList(type: ListType, old: unknown, next: unknown): Change | undefined {
  const [before, after] = [listOf(old), listOf(next)]
  if (before.length === 0 && after.length === 0) return changeOfLeaf(old, next)
  const [olds, nexts] = [itemTokens(type, before), itemTokens(type, after)]
  const builder = type.changes.begin(0)
  if (duplicateTokens(olds) === undefined && hasSameTokens(olds, nexts)) return withItems(builder, type, olds, before, after).build()
  return withItemsByToken(builder, type, itemsByToken(olds, before), itemsByToken(nexts, after)).build()
}

function hasSameTokens(olds: readonly Token[], nexts: readonly Token[]): boolean {
  if (olds.length !== nexts.length) return false
  for (let at = 0; at < olds.length; at++) if (olds[at] !== nexts[at]) return false
  return true
}

/** The same items in the same order: nearly always. */
function withItems(
  begun: NodeBuilder<Change>,
  { items }: ListType,
  tokens: readonly Token[],
  before: readonly unknown[],
  after: readonly unknown[],
): NodeBuilder<Change> {
  let builder = begun
  for (let at = 0; at < tokens.length; at++) {
    const change = changeOf(items, before[at], after[at])
    if (change !== undefined) builder = builder.with(tokens[at], change)
  }
  return builder
}

function withItemsByToken(begun: NodeBuilder<Change>, { items }: ListType, olds: ItemsByToken, nexts: ItemsByToken): NodeBuilder<Change> {
  let builder = begun
  for (const token of new Set([...olds.keys(), ...nexts.keys()])) {
    const change = changeOfItems(items, olds.get(token) ?? none, nexts.get(token) ?? none)
    if (change !== undefined) builder = builder.with(token, change)
  }
  return builder
}

const none: readonly unknown[] = []

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : none
}

type ItemsByToken = ReadonlyMap<Token, unknown[]>

function itemsByToken(tokens: readonly Token[], list: readonly unknown[]): ItemsByToken {
  const items = new Map<Token, unknown[]>()
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]
    const same = items.get(token)
    if (same === undefined) items.set(token, [list[at]])
    else same.push(list[at])
  }
  return items
}

/** All items of one key. Where there are several they are owned as one, which has nothing below it. */
function changeOfItems(type: Type, olds: readonly unknown[], nexts: readonly unknown[]): Change | undefined {
  if (olds.length > 1 && nexts.length > 1) return changeOfLeaf(olds, nexts)
  if (olds.length > 1) return changeOfSets({ removed: emptySet, added: nexts.length === 0 ? undefined : addedTree(type, nexts[0]) })
  if (nexts.length > 1) return changeOfSets({ added: emptySet, removed: olds.length === 0 ? undefined : addedTree(type, olds[0]) })
  return changeOf(type, olds[0], nexts[0])
}
