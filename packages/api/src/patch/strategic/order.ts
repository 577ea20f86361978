import { goFormat } from "../values/go-format.ts"
import { isObject, type JsonList, type JsonObject, type JsonType, typeOf } from "../values/json-value.ts"
import { PatchError } from "../values/patch-error.ts"
import { badArgument, badElementOrder, directiveKey, noMergeKey } from "./directives.ts"

/** How elements of a merged list are distinguished: objects by the value of their merge key, anything else by itself. */
export interface Identity {
  readonly type: JsonType
  readonly mergeKey: string | undefined
}

/** The one type that all elements have. Lists of lists, mixed lists and no elements at all cannot be merged. */
export function elementType(...lists: readonly JsonList[]): JsonType {
  const elements = lists.flat()
  if (elements.length === 0) throw new PatchError(500, "no elements in any of the given slices")
  const type = typeOf(elements[0])
  if (type === "list") throw new PatchError(422, "lists of lists are not supported")
  if (type !== "null" && elements.every((element) => typeOf(element) === type)) return type
  throw new PatchError(500, `list element types are not identical: ${goFormat(lists)}`)
}

function identityOf(element: unknown, { type, mergeKey }: Identity): unknown {
  if (type !== "object") return element
  return isObject(element) && mergeKey !== undefined ? element[mergeKey] : undefined
}

/** Splits a merged list into the elements an order names and those it does not. */
export function partition(merged: JsonList, order: JsonList, mergeKey: string | undefined): { named: unknown[]; others: unknown[] } {
  const names = new Set(mergeKey === undefined ? order : order.map((element) => identityOf(element, { type: "object", mergeKey })))
  const named: unknown[] = []
  const others: unknown[] = []
  for (const element of merged) (names.has(checkedIdentity(element, mergeKey)) ? named : others).push(element)
  return { named, others }
}

function checkedIdentity(element: unknown, mergeKey: string | undefined): unknown {
  if (mergeKey === undefined) {
    if (isObject(element)) throw new PatchError(422, `a list of objects without merge key has no order to set: ${goFormat(element)}`)
    return element
  }
  if (!isObject(element)) throw badArgument({}, element)
  if (!Object.hasOwn(element, mergeKey)) throw noMergeKey(element, mergeKey)
  return element[mergeKey]
}

export interface Arrangement extends Identity {
  /** Elements that the patch names, and the order it asks for. */
  readonly named: JsonList
  readonly patchOrder: JsonList
  /** Elements only the server has, and the order they were in. */
  readonly others: JsonList
  readonly serverOrder: JsonList
}

/**
 * One list of both kinds, each kind in its own order. Where they meet the server's order decides, as far as it knows both elements;
 * an element it does not know goes first. Server [a b c]: a patch that names [c x] gives a b c x, one that names [x a] gives x a b c.
 */
export function arrange(arrangement: Arrangement): JsonList {
  const { named, others, patchOrder, serverOrder } = arrangement
  const right = sortByOrder(named, patchOrder, arrangement)
  const left = sortByOrder(others, serverOrder, arrangement)
  const position = positions(serverOrder, arrangement)
  const result: unknown[] = []
  let taken = 0
  for (const element of right) {
    const limit = position(element)
    while (taken < left.length && isBefore(position(left[taken]), limit)) result.push(left[taken++])
    result.push(element)
  }
  return [...result, ...left.slice(taken)]
}

function isBefore(left: number | undefined, right: number | undefined): boolean {
  return left !== undefined && right !== undefined && left < right
}

/** Elements in the order of another list; those marked "$patch: delete" go last. */
export function sortByOrder(elements: JsonList, order: JsonList, identity: Identity): JsonList {
  if (identity.type === "object") for (const element of [...elements, ...order]) checkedIdentity(element, identity.mergeKey ?? "")
  const kept = elements.filter((element) => !isDeletion(element))
  const position = positions(order, identity)
  const known = kept.every((element) => position(element) !== undefined)
  const sorted = known ? kept.sort((a, b) => Number(position(a)) - Number(position(b))) : sortAsGoDoes(kept, position)
  return kept.length === elements.length ? sorted : [...sorted, ...elements.filter(isDeletion)]
}

export function isDeletion(element: unknown): boolean {
  return isObject(element) && element[directiveKey] === "delete"
}

function positions(order: JsonList, identity: Identity): (element: unknown) => number | undefined {
  const first = new Map<unknown, number>()
  order.forEach((element, index) => {
    const name = identityOf(element, identity)
    if (!first.has(name)) first.set(name, index)
  })
  return (element) => first.get(identityOf(element, identity))
}

/** Elements that Go sorts by insertion. */
const maxInsertionSort = 20

/**
 * Upstream's comparison calls an element before any other when either is unknown to the order, which is no order at all. What comes out is then
 * decided by Go's insertion sort (up to 20 elements), and a server may be asked for exactly that: order [] and new elements [x y] put y first.
 * Longer lists have the unknown elements first, the last of them before the others: the insertion sort takes quadratic time.
 */
function sortAsGoDoes(elements: unknown[], position: (element: unknown) => number | undefined): unknown[] {
  if (elements.length > maxInsertionSort) return unknownFirst(elements, position)
  const before = (a: unknown, b: unknown) => {
    const left = position(a)
    const right = position(b)
    return left === undefined || right === undefined || left < right
  }
  for (let end = 1; end < elements.length; end++) {
    for (let at = end; at > 0 && before(elements[at], elements[at - 1]); at--) {
      ;[elements[at - 1], elements[at]] = [elements[at], elements[at - 1]]
    }
  }
  return elements
}

function unknownFirst(elements: readonly unknown[], position: (element: unknown) => number | undefined): unknown[] {
  const unknown = elements.filter((element) => position(element) === undefined)
  const known = elements.filter((element) => position(element) !== undefined)
  return [...unknown.reverse(), ...known.sort((a, b) => Number(position(a)) - Number(position(b)))]
}

/** The elements of a patch must be named by its "$setElementOrder", in that order; deletions and replacements need not be. */
export function checkElementOrder(patch: JsonList, order: JsonList, mergeKey: string | undefined): void {
  if (order.length === 0 || patch.length === 0) return
  if (mergeKey === undefined && [...patch, ...order].some(isObject)) throw badElementOrder()
  const elements = patch.filter((element) => !isDeletion(element))
  let at = 0
  let next = 0
  while (at < elements.length && next < order.length) {
    if (isObject(elements[at]) && Object.hasOwn(elements[at] as JsonObject, directiveKey)) at++
    else if (checkedIdentity(elements[at], mergeKey) === checkedIdentity(order[next++], mergeKey)) at++
  }
  if (at === elements.length) return
  throw new PatchError(500, `The order in patch list:\n${goFormat(patch)}\n doesn't match $setElementOrder list:\n${goFormat(order)}\n`)
}
