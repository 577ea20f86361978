import { deepEqual } from "../../meta/deep-equal.ts"
import type { Schema } from "../../schema/schema.ts"
import { isList, isObject, type JsonList, type JsonObject } from "../values/json-value.ts"
import { refusePrototype } from "../values/object-draft.ts"
import { PatchError } from "../values/patch-error.ts"
import { deletionKey, directiveKey, noMergeKey, orderKey, retainKeysKey } from "./directives.ts"
import { type FieldRule, listRule, objectRule } from "./field.ts"
import { documentOf } from "./merge.ts"
import { elementType, sortByOrder } from "./order.ts"

/** Which half of a difference is wanted: a three-way merge takes deletions from one pair of objects and the rest from another. */
interface DiffOptions {
  readonly additions: boolean
  readonly deletions: boolean
  readonly elementOrder: boolean
}

/** The strategic merge patch that turns one object of a kind into the other; {} when they are equal. */
export function diffStrategicMerge(before: unknown, after: unknown, schema: Schema): JsonObject {
  return diffObjects(documentOf(before), documentOf(after), schema, { additions: true, deletions: true, elementOrder: true })
}

/**
 * Returns the strategic merge patch from one object to another, limited to the additions or deletions that the options name. Keys of
 * prototypes are refused.
 */
export function diffObjects(before: JsonObject, after: JsonObject, schema: Schema, options: DiffOptions, retainKeys = false): JsonObject {
  const patch: Record<string, unknown> = {}
  if (before === after) return patch
  for (const key of Object.keys(after)) {
    refusePrototype(key)
    if (Object.hasOwn(before, key)) Object.assign(patch, diffField(key, before[key], after[key], schema, options))
    else if (options.additions) patch[key] = after[key]
  }
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key))
  removed.forEach(refusePrototype)
  if (options.deletions) for (const key of removed) patch[key] = null
  const retained = Object.keys(after).filter((key) => after[key] !== null)
  const changes = Object.keys(patch).length > 0 || removed.some((key) => before[key] !== null)
  if (retainKeys && retained.length > 0 && changes) patch[retainKeysKey] = retained.sort()
  return patch
}

/** What the patch says of one field that both objects have: nothing, the field, or the field and the directives beside it. */
function diffField(key: string, before: unknown, after: unknown, schema: Schema, options: DiffOptions): JsonObject {
  if (key === directiveKey) return diffDirective(before, after)
  if (deepEqual(before, after)) return {}
  if (isObject(before) && isObject(after)) return diffObjectField(key, before, after, objectRule(schema, key), options)
  if (isList(before) && isList(after)) return diffListField(key, before, after, listRule(schema, key), options)
  return options.additions ? { [key]: after } : {}
}

function diffDirective(before: unknown, after: unknown): JsonObject {
  if (typeof before !== "string" || typeof after !== "string") throw new PatchError(500, `invalid value for special key: ${directiveKey}`)
  return before === after ? {} : { [directiveKey]: after }
}

function diffObjectField(key: string, before: JsonObject, after: JsonObject, rule: FieldRule, options: DiffOptions): JsonObject {
  if (rule.strategy === "replace") return options.additions ? { [key]: after } : {}
  const change = diffObjects(before, after, rule.schema, options, rule.retainKeys)
  return Object.keys(change).length > 0 ? { [key]: change } : {}
}

function diffListField(key: string, before: JsonList, after: JsonList, rule: FieldRule, options: DiffOptions): JsonObject {
  if (rule.strategy !== "merge") return options.additions ? { [key]: after } : {}
  const diffElement = (old: JsonObject, element: JsonObject) => diffObjects(old, element, rule.schema, options, rule.retainKeys)
  const { changes, deletions, order } = diffList(before, after, { mergeKey: rule.mergeKey, options, diffElement })
  return {
    ...(changes.length > 0 && { [key]: changes }),
    ...(deletions.length > 0 && { [deletionKey(key)]: deletions }),
    ...(order.length > 0 && { [orderKey(key)]: order }),
  }
}

interface ListDiff {
  readonly mergeKey: string | undefined
  readonly options: DiffOptions
  readonly diffElement: (before: JsonObject, after: JsonObject) => JsonObject
}

/** What a patch says of one merged list: its elements, its "$deleteFromPrimitiveList" and its "$setElementOrder". */
interface ListChange {
  readonly changes: JsonList
  readonly deletions: JsonList
  readonly order: JsonList
}

/** The difference of two lists that are known not to be equal. */
function diffList(before: JsonList, after: JsonList, diff: ListDiff): ListChange {
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
