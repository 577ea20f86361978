import { compareText } from "@pilothouse/api"
import { elementValue, keyFields, type PathElement } from "./path-element.ts"

/**
 * Sorts by upstream's order inside of a node: the node itself ("."), fields by name, items by key, items by value, indexes. Keys and values that are
 * numbers are compared as numbers, so that port 80 stands before 443.
 */
export function sortElements<T>(entries: (readonly [element: PathElement, value: T])[]): void {
  if (entries.length < 2) return
  const places = entries.map((entry) => ({ entry, kind: kinds.indexOf(entry[0][0]!), content: contentOf(entry[0]) }))
  if (places.every((place, at) => at === 0 || comparePlaces(places[at - 1]!, place) < 0)) return
  places.sort(comparePlaces)
  for (const [at, { entry }] of places.entries()) entries[at] = entry
}

/** What is compared of an element; read once, since an element is compared with many. */
interface Place {
  readonly kind: number
  readonly content: unknown
}

const kinds = ".fkvi"

function contentOf(element: PathElement): unknown {
  switch (element[0]) {
    case "k":
      return keyFields(element)
    case "v":
      return elementValue(element)
    case "i":
      return Number(element.slice(2))
    default:
      return element
  }
}

function comparePlaces(a: Place, b: Place): number {
  if (a.kind !== b.kind) return a.kind - b.kind
  return a.kind === kinds.indexOf("k") ? compareKeys(a.content as KeyFields, b.content as KeyFields) : compareValues(a.content, b.content)
}

type KeyFields = ReturnType<typeof keyFields>

function compareKeys(a: KeyFields, b: KeyFields): number {
  for (const [at, [name, value]] of a.entries()) {
    const other = b[at]
    if (other === undefined) return 1
    const order = compareText(name, other[0]) || compareValues(value, other[1])
    if (order !== 0) return order
  }
  return a.length - b.length
}

/** A total order of JSON values: numbers, texts, booleans, lists, maps, null. */
function compareValues(a: unknown, b: unknown): number {
  const rank = rankOf(a)
  if (rank !== rankOf(b)) return rank - rankOf(b)
  switch (rank) {
    case Rank.text:
      return compareText(a as string, b as string)
    case Rank.list:
      return compareLists(a as readonly unknown[], b as readonly unknown[])
    case Rank.map:
      return compareMaps(a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>)
    default:
      return a === b ? 0 : (a as number) < (b as number) ? -1 : 1
  }
}

const Rank = { number: 0, text: 1, boolean: 2, list: 3, map: 4, null: 5 } as const

function rankOf(value: unknown): number {
  if (typeof value === "string") return Rank.text
  if (typeof value === "boolean") return Rank.boolean
  if (typeof value !== "object") return Rank.number
  if (value === null) return Rank.null
  return Array.isArray(value) ? Rank.list : Rank.map
}

function compareLists(a: readonly unknown[], b: readonly unknown[]): number {
  for (const [at, item] of a.entries()) {
    if (at >= b.length) return 1
    const order = compareValues(item, b[at])
    if (order !== 0) return order
  }
  return a.length - b.length
}

/** By the first key, in order, that is not in both or has another value; the map that has it is the smaller one. */
function compareMaps(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): number {
  const [keys, others] = [Object.keys(a).sort(compareText), Object.keys(b).sort(compareText)]
  for (const [at, key] of keys.entries()) {
    const other = others[at]
    if (other === undefined) return 1
    const order = compareText(key, other) || compareValues(a[key], b[key])
    if (order !== 0) return order
  }
  return keys.length - others.length
}
