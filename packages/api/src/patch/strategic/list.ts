import { isObject, type JsonList, type JsonObject } from "../values/json-value.ts"
import { PatchError } from "../values/patch-error.ts"
import { directiveKey, type MergeMode, noMergeKey, unknownDirective } from "./directives.ts"
import { arrange, elementType, partition } from "./order.ts"

export interface ListMerge {
  readonly mergeKey: string | undefined
  /** The patch is a "$deleteFromPrimitiveList". */
  readonly deleting: boolean
  readonly mode: MergeMode
  readonly mergeElement: (original: JsonObject, patch: JsonObject) => JsonObject
}

export interface MergedList {
  readonly list: JsonList
  /** The order of the original for a "$setElementOrder" that follows: see `Slots`. */
  readonly serverOrder: JsonList
}

/** Merges two lists: primitives as sets, objects by their merge key. */
export function mergeList(original: JsonList, patch: JsonList, merge: ListMerge): MergedList {
  if (original.length === 0 && patch.length === 0) return { list: original, serverOrder: original }
  const type = elementType(original, patch)
  if (type === "object") return mergeObjectList(original, patch, merge)
  if (merge.mode === "apply" && merge.deleting) return { list: difference(original, patch), serverOrder: original }
  const union = [...new Set([...original, ...patch])]
  const { named, others } = partition(union, patch, merge.mergeKey)
  const list = arrange({ type, mergeKey: merge.mergeKey, named, patchOrder: patch, others, serverOrder: original })
  return { list, serverOrder: original }
}

function difference(original: JsonList, removed: JsonList): JsonList {
  const names = new Set(removed)
  return original.filter((element) => !names.has(element))
}

function mergeObjectList(original: JsonList, patch: JsonList, merge: ListMerge): MergedList {
  const { mergeKey } = merge
  if (mergeKey === undefined) throw new PatchError(500, "cannot merge lists without merge key for struct")
  const { replace, ordinary, deleted } = readDirectives(patch as readonly JsonObject[], mergeKey)
  const slots = new Slots(original, deleted, mergeKey)
  const start = replace ? ordinary : slots.elements()
  const changes = replace ? [] : ordinary
  const { merged, added } = mergeByKey(start, changes, mergeKey, merge.mergeElement)
  const { named, others } = partition(merged, changes, mergeKey)
  const list = arrange({ type: "object", mergeKey, named, patchOrder: changes, others, serverOrder: start })
  for (const element of added) slots.append(element)
  return { list, serverOrder: slots.view() }
}

interface Directives {
  readonly replace: boolean
  readonly ordinary: JsonObject[]
  /** The merge keys of deleted elements, in the order of the patch. */
  readonly deleted: unknown[]
}

/** Separates the elements that are directives from the others. */
function readDirectives(patch: readonly JsonObject[], mergeKey: string): Directives {
  const [ordinary, deleted]: [JsonObject[], unknown[]] = [[], []]
  let replace = false
  for (const element of patch) {
    if (!Object.hasOwn(element, directiveKey)) ordinary.push(element)
    else if (element[directiveKey] === "replace") replace = true
    else deleted.push(deletedKey(element, mergeKey))
  }
  return { replace, ordinary, deleted }
}

function deletedKey(element: JsonObject, mergeKey: string): unknown {
  const directive = element[directiveKey]
  if (directive === "merge") throw new PatchError(500, "merging lists cannot yet be specified in the patch")
  if (directive !== "delete") throw unknownDirective(directive, element)
  if (!Object.hasOwn(element, mergeKey)) throw noMergeKey(element, mergeKey)
  return element[mergeKey]
}

function mergeByKey(
  start: JsonList,
  changes: readonly JsonObject[],
  mergeKey: string,
  mergeElement: ListMerge["mergeElement"],
): { merged: unknown[]; added: JsonObject[] } {
  const merged = [...start]
  const added: JsonObject[] = []
  const places = new Map<unknown, number>()
  merged.forEach((element, index) => {
    const key = keyOf(element, mergeKey)
    if (key !== undefined && !places.has(key)) places.set(key, index)
  })
  for (const change of changes) {
    if (!Object.hasOwn(change, mergeKey)) throw noMergeKey(change, mergeKey)
    const key = change[mergeKey]
    const place = places.get(key)
    if (place !== undefined) merged[place] = mergeElement(merged[place] as JsonObject, change)
    else {
      places.set(key, merged.push(change) - 1)
      added.push(change)
    }
  }
  return { merged, added }
}

function keyOf(element: unknown, mergeKey: string): unknown {
  return isObject(element) && Object.hasOwn(element, mergeKey) ? element[mergeKey] : undefined
}

/**
 * The original list as upstream's array holds it while elements are deleted and appended in place: a later "$setElementOrder" reads the server's order from
 * this array, at its old length. So after deleting a from [a s b] and adding z it sees [s b z], and z counts as known to the server: visible when a server-only
 * element stands between. Between calls: `#slots` has the original's length, the first `#length` of them are in use (more when appended past the end).
 */
class Slots {
  readonly #slots: unknown[]
  #length: number

  /** Linear in both lists: each element is looked up by its key. */
  constructor(original: JsonList, deleted: readonly unknown[], mergeKey: string) {
    this.#slots = [...original]
    this.#length = original.length
    if (deleted.length > 0) this.#delete(original, deleted, mergeKey)
  }

  /** A slot that falls out of use keeps the element that was last when it did. */
  #delete(original: JsonList, deleted: readonly unknown[], mergeKey: string): void {
    const places = placesByKey(original, mergeKey)
    const gone = new Set<number>()
    let last = original.length - 1
    for (const key of deleted) {
      for (const place of places.get(key) ?? []) {
        this.#length--
        this.#slots[this.#length] = original[last]
        gone.add(place)
        while (gone.has(last)) last--
      }
      places.delete(key)
    }
    let next = 0
    original.forEach((element, place) => {
      if (!gone.has(place)) this.#slots[next++] = element
    })
  }

  append(element: unknown): void {
    if (this.#length < this.#slots.length) this.#slots[this.#length] = element
    this.#length++
  }

  elements(): JsonList {
    return this.#slots.slice(0, this.#length)
  }

  view(): JsonList {
    return this.#slots
  }
}

function placesByKey(list: JsonList, mergeKey: string): Map<unknown, number[]> {
  const places = new Map<unknown, number[]>()
  list.forEach((element, place) => {
    const key = keyOf(element, mergeKey)
    if (key === undefined) return
    const same = places.get(key)
    if (same === undefined) places.set(key, [place])
    else same.push(place)
  })
  return places
}
