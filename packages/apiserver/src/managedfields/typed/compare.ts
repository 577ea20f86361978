import { deepEqual, type Schema } from "@pilothouse/api"
import { emptySet, type FieldSet, nodeOf } from "../fieldpath/field-set.ts"
import { fieldElement, type PathElement } from "../fieldpath/path-element.ts"
import { addedBelow, addedTree, isLeaf, isNullField } from "./added-set.ts"
import { formOf, isEmptyMap, isJsonMap, type JsonMap, ownField } from "./json-value.ts"
import { itemToken } from "./list-items.ts"
import type { Token } from "./set-prefixes.ts"
import { deducedType, ListType, MapType, type Type, typeOf } from "./type.ts"

/** What changed from one value to another. No path is in two of the sets, but for an item that was or is there more than once. */
export interface Comparison {
  readonly removed: FieldSet
  readonly modified: FieldSet
  readonly added: FieldSet
}

/** Nothing changed. */
export const noChange: Comparison = { removed: emptySet, modified: emptySet, added: emptySet }

/**
 * The fields and items that an update removed, modified and added. Lists with keys are matched by key; order is of no account. Parts that are one
 * object on both sides cost nothing. Throws a TypedError for a list item that has no key.
 */
export function compare(old: unknown, next: unknown, schema: Schema): Comparison {
  // The root itself is no path: it is never added or removed.
  const change = changeOf(typeOf(schema), old ?? null, next ?? null)
  if (change === undefined) return noChange
  return { removed: change.removed ?? emptySet, modified: change.modified ?? emptySet, added: change.added ?? emptySet }
}

/** Nodes of the three sets; undefined where a set has nothing at or below a place. */
type Change = { readonly [Set in keyof Comparison]?: FieldSet }

const modifiedLeaf: Change = { modified: emptySet }

function changeOf(type: Type, old: unknown, next: unknown): Change | undefined {
  if (old === next) return undefined
  if (old === undefined) return { added: addedTree(type, next) }
  if (next === undefined) return { removed: addedTree(type, old) }
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
  return { removed: belowMap(type, old), modified: emptySet, added: belowMap(type, next) }
}

function belowMap(type: Type, value: unknown): FieldSet | undefined {
  return type.map?.isAtomic === false && isJsonMap(value) && !isEmptyMap(value) ? addedBelow(type, value) : undefined
}

function changeOfMap(type: MapType, old: unknown, next: unknown): Change | undefined {
  const [before, after] = [isJsonMap(old) ? old : undefined, isJsonMap(next) ? next : undefined]
  if (isLeaf(type, before) && isLeaf(type, after)) return changeOfLeaf(old, next)
  const changes = new Changes()
  for (const key of changedKeys(type, before, after)) {
    const change = changeOf(type.at(key) ?? deducedType, fieldOf(type, before, key), fieldOf(type, after, key))
    if (change !== undefined) changes.add(fieldElement(key), change)
  }
  return changes.build()
}

/** Where two maps may differ. */
function changedKeys({ nulls }: MapType, before: JsonMap | undefined, after: JsonMap | undefined): readonly string[] {
  // What Go writes as null is there on the side that is there.
  if (before === undefined || after === undefined) return [...new Set([...Object.keys(before ?? after ?? {}), ...nulls])]
  const keys: string[] = []
  for (const key of Object.keys(after)) if (after[key] !== undefined && after[key] !== ownField(before, key)) keys.push(key)
  for (const key of Object.keys(before)) if (ownField(after, key) === undefined) keys.push(key)
  return keys
}

function fieldOf(type: MapType, map: JsonMap | undefined, key: string): unknown {
  if (map === undefined) return undefined
  const value = ownField(map, key)
  return isNullField(type, key, value) ? null : value
}

function changeOfList(type: ListType, old: unknown, next: unknown): Change | undefined {
  const [before, after] = [listOf(old), listOf(next)]
  if (before.length === 0 && after.length === 0) return changeOfLeaf(old, next)
  const [olds, nexts] = [itemsByToken(type, before), itemsByToken(type, after)]
  const changes = new Changes()
  for (const token of new Set([...olds.keys(), ...nexts.keys()])) {
    const change = changeOfItems(type.items, olds.get(token) ?? none, nexts.get(token) ?? none)
    if (change !== undefined) changes.add(type.elementOf(token), change)
  }
  return changes.build()
}

const none: readonly unknown[] = []

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : none
}

function itemsByToken(type: ListType, list: readonly unknown[]): ReadonlyMap<Token, unknown[]> {
  const items = new Map<Token, unknown[]>()
  for (const item of list) {
    const token = itemToken(type, item)
    const same = items.get(token)
    if (same === undefined) items.set(token, [item])
    else same.push(item)
  }
  return items
}

/** All items of one key. Where there are several they are owned as one, which has nothing below it. */
function changeOfItems(type: Type, olds: readonly unknown[], nexts: readonly unknown[]): Change | undefined {
  if (olds.length > 1 && nexts.length > 1) return changeOfLeaf(olds, nexts)
  if (olds.length > 1) return { removed: emptySet, added: nexts.length === 0 ? undefined : addedTree(type, nexts[0]) }
  if (nexts.length > 1) return { added: emptySet, removed: olds.length === 0 ? undefined : addedTree(type, olds[0]) }
  return changeOf(type, olds[0], nexts[0])
}

type Entries = (readonly [PathElement, FieldSet])[]

/** The changes below one node. */
class Changes {
  #removed: Entries | undefined
  #modified: Entries | undefined
  #added: Entries | undefined

  add(element: PathElement, { removed, modified, added }: Change): void {
    if (removed !== undefined) (this.#removed ??= []).push([element, removed])
    if (modified !== undefined) (this.#modified ??= []).push([element, modified])
    if (added !== undefined) (this.#added ??= []).push([element, added])
  }

  build(): Change | undefined {
    const [removed, modified, added] = [this.#removed, this.#modified, this.#added]
    if (removed === undefined && modified === undefined && added === undefined) return undefined
    return { removed: removed && nodeOf(removed), modified: modified && nodeOf(modified), added: added && nodeOf(added) }
  }
}
