// Sets of paths against the schema of the object that they are of.
import type { Schema } from "@pilothouse/api"
import { asMember, emptySet, type FieldSet, isEmptySet, self } from "../fieldpath/field-set.ts"
import type { PathElement } from "../fieldpath/path-element.ts"
import { type MapType, type Type, typeOf } from "./type.ts"

/**
 * A set after a change of its schema: where a type has become atomic, and the set reaches below it, the place itself is a member and nothing below it is.
 * Undefined when the set stays as it is.
 */
export function reconcileSet(set: FieldSet, schema: Schema): FieldSet | undefined {
  const type = typeOf(schema)
  const known = type.map?.reconciled.get(set)
  const reconciled = known ?? reconciledNode(set, type)
  if (known === undefined) type.map?.reconciled.set(set, reconciled)
  return reconciled === set ? undefined : reconciled
}

function reconciledNode(node: FieldSet, type: Type): FieldSet {
  if (type.map !== undefined) {
    if (type.map.isDeduced || isEmptySet(node)) return node
    return type.map.isAtomic ? emptySet : withElements(node, (element) => typeAt(type.map!, element))
  }
  if (type.list === undefined || type.scalar !== undefined || isEmptySet(node)) return node
  return type.list.isAtomic ? emptySet : withElements(node, () => type.list!.items)
}

function typeAt(type: MapType, element: PathElement): Type | undefined {
  return element.startsWith("f:") ? type.at(element.slice(2)) : type.at("")
}

function withElements(node: FieldSet, typeOfElement: (element: PathElement) => Type | undefined): FieldSet {
  const changed = new Map<PathElement, FieldSet>()
  for (const element of Object.keys(node)) {
    const type = element === self ? undefined : typeOfElement(element)
    const below = type === undefined ? node[element]! : reconciledNode(node[element]!, type)
    if (below !== node[element]) changed.set(element, below)
  }
  return withChanged(node, changed)
}

/** Elements keep their places. */
function withChanged(node: FieldSet, changed: ReadonlyMap<PathElement, FieldSet>): FieldSet {
  if (changed.size === 0) return node
  const made: Record<PathElement, FieldSet> = {}
  for (const element of Object.keys(node)) made[element] = changed.get(element) ?? node[element]!
  return Object.freeze(made)
}

/** A set with every field that the schema names and that something below is a member of; not with keys of maps and items of lists. */
export function ensureNamedFields(set: FieldSet, schema: Schema): FieldSet {
  return namedElements(set, typeOf(schema))
}

function namedElements(node: FieldSet, type: Type | undefined): FieldSet {
  const changed = new Map<PathElement, FieldSet>()
  for (const element of Object.keys(node)) {
    const below = node[element]!
    if (element === self || isEmptySet(below)) continue
    const isField = element.startsWith("f:")
    const named = isField ? type?.map?.named(element.slice(2)) : undefined
    const inner = namedElements(below, isField ? (named ?? type?.map?.at(element.slice(2))) : type?.list?.items)
    const made = named === undefined ? inner : asMember(inner)
    if (made !== below) changed.set(element, made)
  }
  return withChanged(node, changed)
}
