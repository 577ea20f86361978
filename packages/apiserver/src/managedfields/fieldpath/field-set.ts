import { sortElements } from "./element-order.ts"
import type { PathElement } from "./path-element.ts"

/**
 * A set of paths as fieldsV1 has it on the wire: a tree of frozen plain objects with the elements of paths as keys, in upstream's order. A node is a
 * member of the set when it has no elements, or has "." among them; the root is never a member, so that `{}` there is the empty set.
 * Every function here returns its argument itself where the result is equal to it, and shares all parts that do not change.
 */
export interface FieldSet {
  readonly [element: PathElement]: FieldSet
}

/** The empty set; as a node inside of a set: a member that has nothing below it. */
export const emptySet: FieldSet = Object.freeze({})

/** The key of a node that is itself a member although it has elements. */
export const self = "."

/** Whether a set has no member. */
export function isEmptySet(set: FieldSet): boolean {
  for (const _element in set) return false
  return true
}

/** Whether a node that is not the root is a member itself. */
export function isMember(node: FieldSet): boolean {
  return node[self] !== undefined || isEmptySet(node)
}

/** The node as a member besides what is below it. */
export function asMember(node: FieldSet): FieldSet {
  if (isMember(node)) return node
  // Of thousands of elements a spread takes three times as long.
  const made: Record<PathElement, FieldSet> = { [self]: emptySet }
  for (const element of Object.keys(node)) made[element] = node[element]!
  return Object.freeze(made)
}

/** Returns what is below a node, without the node itself: as a set of its own. */
export function belowNode(node: FieldSet): FieldSet {
  if (node[self] === undefined) return node
  const { [self]: _member, ...below } = node
  return Object.freeze(below)
}

/** A node of elements in any order. Each is there once. */
export function nodeOf(entries: (readonly [element: PathElement, node: FieldSet])[]): FieldSet {
  sortElements(entries)
  return frozenNode(entries)
}

function frozenNode(entries: readonly (readonly [element: PathElement, node: FieldSet])[]): FieldSet {
  const node: Record<PathElement, FieldSet> = {}
  for (const [element, below] of entries) node[element] = below
  return Object.freeze(node)
}

/** Returns the members of either set. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmptySet(b)) return a
  return isEmptySet(a) ? b : unionOfElements(a, b)
}

function unionOfNodes(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a
  if (isEmptySet(b)) return asMember(a)
  return isEmptySet(a) ? asMember(b) : unionOfElements(a, b)
}

function unionOfElements(a: FieldSet, b: FieldSet): FieldSet {
  const entries: [PathElement, FieldSet][] = []
  let [common, changed] = [0, false]
  for (const element of Object.keys(a)) {
    const [mine, theirs] = [a[element]!, b[element]]
    const both = theirs === undefined ? mine : unionOfNodes(mine, theirs)
    if (theirs !== undefined) common++
    if (both !== mine) changed = true
    entries.push([element, both])
  }
  const others = Object.keys(b)
  if (common === others.length) return changed ? frozenNode(entries) : a
  for (const element of others) if (a[element] === undefined) entries.push([element, b[element]!])
  return nodeOf(entries)
}

/** Returns the members of both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return a === b ? a : (commonElements(a, b, false) ?? emptySet)
}

function commonNode(a: FieldSet, b: FieldSet): FieldSet | undefined {
  return a === b ? a : commonElements(a, b, isMember(a) && isMember(b))
}

function commonElements(a: FieldSet, b: FieldSet, member: boolean): FieldSet | undefined {
  const entries: [PathElement, FieldSet][] = member ? [[self, emptySet]] : []
  const [ours, theirs] = [Object.keys(a), Object.keys(b)]
  // Both are in order: the elements of the shorter one that the other has are too.
  for (const element of theirs.length < ours.length ? theirs : ours) {
    const [mine, other] = [a[element], b[element]]
    const both = mine === undefined || other === undefined || element === self ? undefined : commonNode(mine, other)
    if (both !== undefined) entries.push([element, both])
  }
  if (ours.length > 0 && entries.length === ours.length && entries.every(([element, both]) => both === a[element])) return a
  if (entries.length > (member ? 1 : 0)) return frozenNode(entries)
  return member ? emptySet : undefined
}

/** The members of one that are not members of the other. To remove a node leaves what is below it, and the other way round. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return emptySet
  return isEmptySet(b) ? a : (otherElements(a, b, false) ?? emptySet)
}

function otherNode(a: FieldSet, b: FieldSet): FieldSet | undefined {
  return a === b ? undefined : otherElements(a, b, isMember(a) && !isMember(b))
}

function otherElements(a: FieldSet, b: FieldSet, member: boolean): FieldSet | undefined {
  return kept(a, member, (element, below) => {
    const theirs = b[element]
    return theirs === undefined ? below : otherNode(below, theirs)
  })
}

/** As `difference`, but a member of the other takes away everything below it too. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return isEmptySet(b) ? a : (otherTrees(a, b, false) ?? emptySet)
}

function otherTrees(a: FieldSet, b: FieldSet, member: boolean): FieldSet | undefined {
  return kept(a, member, (element, below) => {
    const theirs = b[element]
    if (theirs === undefined) return below
    return isMember(theirs) ? undefined : otherTrees(below, theirs, isMember(below))
  })
}

/** A node with what is left of each of its elements; undefined when that is nothing. The root is no member. */
function kept(
  node: FieldSet,
  member: boolean,
  rest: (element: PathElement, below: FieldSet) => FieldSet | undefined,
): FieldSet | undefined {
  const entries: [PathElement, FieldSet][] = []
  let changed = member !== (node[self] !== undefined)
  for (const element of Object.keys(node)) {
    if (element === self) continue
    const below = node[element]!
    const left = rest(element, below)
    if (left !== below) changed = true
    if (left !== undefined) entries.push([element, left])
  }
  if (entries.length === 0) return member ? emptySet : undefined
  if (!changed) return node
  return frozenNode(member ? [[self, emptySet], ...entries] : entries)
}

/** Whether two sets have the same members. */
export function equalSets(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true
  const elements = Object.keys(a)
  if (elements.length !== Object.keys(b).length) return false
  return elements.every((element) => b[element] !== undefined && equalSets(a[element]!, b[element]))
}

/** The union of many sets. Halves are joined before wholes: one after the other would take quadratic time. */
export function unionAll(sets: readonly FieldSet[]): FieldSet {
  if (sets.length < 2) return sets[0] ?? emptySet
  const middle = sets.length >> 1
  return union(unionAll(sets.slice(0, middle)), unionAll(sets.slice(middle)))
}
