import type { JsonList, JsonObject } from "../values/json-value.ts"
import { PatchError } from "../values/patch-error.ts"
import type { DiffOptions } from "./diff-options.ts"
import { directiveKey, noMergeKey } from "./directives.ts"
import { elementType, sortByOrder } from "./order.ts"

export interface ListDiff {
  readonly mergeKey: string | undefined
  readonly options: DiffOptions
  readonly diffElement: (before: JsonObject, after: JsonObject) => JsonObject
}

/** What a patch says of one merged list: its elements, its "$deleteFromPrimitiveList" and its "$setElementOrder". */
export interface ListChange {
  readonly changes: JsonList
  readonly deletions: JsonList
  readonly order: JsonList
}

/** The difference of two lists that are known not to be equal. */
export function diffList(before: JsonList, after: JsonList, diff: ListDiff): ListChange {
  if (before.length === 0) return { changes: diff.options.additions ? after : [], deletions: [], order: [] }
  const type = elementType(before, after)
  if (type !== "object") return diffPrimitives(before, after, diff.options)
  if (diff.mergeKey === undefined) throw new PatchError(500, "cannot merge lists without merge key for struct")
  return diffElements(before as readonly JsonObject[], after as readonly JsonObject[], diff.mergeKey, diff)
}

function diffPrimitives(before: JsonList, after: JsonList, options: DiffOptions): ListChange {
  const old = new Set(before)
  const kept = new Set(after)
  const changes = options.additions ? [...kept].filter((element) => !old.has(element)) : []
  const deletions = options.deletions ? [...old].filter((element) => !kept.has(element)).sort() : []
  const order = options.elementOrder && (deletions.length > 0 || options.additions) ? after : []
  return { changes, deletions, order }
}

function diffElements(before: readonly JsonObject[], after: readonly JsonObject[], mergeKey: string, diff: ListDiff): ListChange {
  const { options } = diff
  const { changed, removed } = pairByKey(before, after, mergeKey, diff)
  const changes = [...sortByOrder(changed, after, { type: "object", mergeKey }), ...removed]
  const moved = before.length !== after.length || after.some((element, index) => element[mergeKey] !== before[index]?.[mergeKey])
  const orderMatters = changes.length > 0 || (options.additions && moved)
  const order = options.elementOrder && orderMatters ? after.map((element) => ({ [mergeKey]: element[mergeKey] })) : []
  return { changes, deletions: [], order }
}

/**
 * Walks both lists in the order of their keys. Elements of one key are paired from the last: port 53 twice, UDP and TCP, is what users have
 * although the key says that there can be one only.
 */
function pairByKey(before: readonly JsonObject[], after: readonly JsonObject[], mergeKey: string, { options, diffElement }: ListDiff) {
  const old = byKey(before, mergeKey)
  const current = byKey(after, mergeKey)
  const changed: JsonObject[] = []
  const removed: JsonObject[] = []
  for (const [key, elements] of current) {
    const partners = old.get(key) ?? []
    elements.forEach((element, index) => {
      const partner = partners[index]
      if (partner !== undefined) {
        const change = diffElement(partner, element)
        if (Object.keys(change).length > 0) changed.push({ ...change, [mergeKey]: element[mergeKey] })
      } else if (options.additions) changed.push(element)
    })
  }
  if (options.deletions) {
    for (const [key, elements] of old) {
      for (const element of elements.slice(current.get(key)?.length ?? 0))
        removed.push({ [mergeKey]: element[mergeKey], [directiveKey]: "delete" })
    }
  }
  return { changed, removed }
}

function byKey(elements: readonly JsonObject[], mergeKey: string): Map<string, JsonObject[]> {
  const groups = new Map<string, JsonObject[]>()
  for (const element of elements.toReversed()) {
    if (!Object.hasOwn(element, mergeKey)) throw noMergeKey(element, mergeKey)
    const key = String(element[mergeKey])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [element])
    else group.push(element)
  }
  return new Map([...groups].sort(([left], [right]) => (left < right ? -1 : 1)))
}
