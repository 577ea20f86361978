import { deepEqual } from "../../meta/deep-equal.ts"
import type { Schema } from "../../schema/schema.ts"
import { goJsonWord } from "../values/go-format.ts"
import { isList, isObject, type JsonList, type JsonObject, keepIfSame, typeOf } from "../values/json-value.ts"
import { ObjectDraft } from "../values/object-draft.ts"
import { PatchError } from "../values/patch-error.ts"
import {
  applyRetainKeys,
  badArgument,
  badElementOrder,
  deletionPrefix,
  directedField,
  directedObject,
  directiveKey,
  type MergeMode,
  newValue,
  orderPrefix,
  retainKeysKey,
} from "./directives.ts"
import { type FieldRule, listRule, objectRule } from "./field.ts"
import { type MergedList, mergeList } from "./list.ts"
import { arrange, checkElementOrder, elementType, partition } from "./order.ts"

/**
 * Applies a strategic merge patch to an object of a kind, as kube-apiserver does.
 * Neither input is touched; the result shares with both, and is the input itself when nothing changed.
 */
export function applyStrategicMerge(value: unknown, patch: unknown, schema: Schema): JsonObject {
  return mergeObjects(documentOf(value), documentOf(patch), schema, "apply")
}

export function documentOf(value: unknown): JsonObject {
  if (isObject(value)) return value
  throw new PatchError(400, `json: cannot unmarshal ${goJsonWord(value)} into Go value of type map[string]interface {}`)
}

/** One level of the merge. In "combine" the original is a patch too: see MergeMode. */
export function mergeObjects(original: JsonObject, patch: JsonObject, schema: Schema, mode: MergeMode): JsonObject {
  if (Object.hasOwn(patch, directiveKey)) return directedObject(patch)
  const draft = new ObjectDraft(original)
  const keys = Object.keys(patch)
  if (!keys.some((key) => key.startsWith("$"))) {
    for (const key of keys) mergeField(draft, key, patch[key], schema, mode)
    return draft.done()
  }
  applyRetainKeys(draft, patch, mode)
  const ordered = mergeOrderedLists(draft, patch, schema, mode)
  const rest = keys.filter((key) => key !== retainKeysKey && !key.startsWith(orderPrefix) && !ordered.has(key))
  for (const key of rest) if (!key.startsWith(deletionPrefix)) mergeField(draft, key, patch[key], schema, mode)
  // Last, as "$setElementOrder" makes it upstream; without one Go's map order decides there.
  for (const key of rest) if (key.startsWith(deletionPrefix)) deletePrimitives(draft, key, patch[key], schema, mode)
  return draft.done()
}

function mergeField(draft: ObjectDraft, key: string, change: unknown, schema: Schema, mode: MergeMode): void {
  if (change === null) {
    if (mode === "apply") draft.delete(key)
    else draft.set(key, null)
    return
  }
  const current = draft.get(key)
  if (isObject(current) && isObject(change)) draft.set(key, mergeObjectField(current, change, objectRule(schema, key), mode))
  else if (isList(current) && isList(change)) draft.set(key, mergeListField(current, change, listRule(schema, key), false, mode).list)
  else setNew(draft, key, change, mode)
}

function setNew(draft: ObjectDraft, key: string, change: unknown, mode: MergeMode): void {
  const value = newValue(change, mode === "apply")
  if (value === undefined) draft.delete(key)
  else draft.set(key, value)
}

function mergeObjectField(current: JsonObject, change: JsonObject, rule: FieldRule, mode: MergeMode): JsonObject {
  if (rule.strategy !== "replace") return mergeObjects(current, change, rule.schema, mode)
  return deepEqual(current, change) ? current : change
}

function mergeListField(current: JsonList, change: JsonList, rule: FieldRule, deleting: boolean, mode: MergeMode): MergedList {
  if (rule.strategy !== "merge" && !deleting) return { list: deepEqual(current, change) ? current : change, serverOrder: current }
  const mergeElement = (element: JsonObject, patch: JsonObject) => mergeObjects(element, patch, rule.schema, mode)
  const { list, serverOrder } = mergeList(current, change, { mergeKey: rule.mergeKey, deleting, mode, mergeElement })
  return { list: keepIfSame(current, list), serverOrder }
}

function deletePrimitives(draft: ObjectDraft, key: string, change: unknown, schema: Schema, mode: MergeMode): void {
  if (mode === "combine") return draft.set(key, change)
  const field = directedField(key, deletionPrefix)
  const current = draft.get(field)
  if (change === null) draft.delete(field)
  else if (isList(current) && isList(change)) draft.set(field, mergeListField(current, change, listRule(schema, field), true, mode).list)
  else if (isObject(current) && isObject(change)) draft.set(field, mergeObjectField(current, change, objectRule(schema, field), mode))
  // A scalar meets its own type: upstream takes the patch's value then.
  else if (typeOf(current) === typeOf(change)) draft.set(field, change)
}

/** Merges and orders every list that "$setElementOrder/<field>" names; gives the fields that need no more merging. */
function mergeOrderedLists(draft: ObjectDraft, patch: JsonObject, schema: Schema, mode: MergeMode): Set<string> {
  const merged = new Set<string>()
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(orderPrefix)) continue
    const order = patch[key]
    if (mode === "combine") keepElementOrder(draft, key, order)
    if (!isList(order)) throw badArgument([], order)
    const field = directedField(key, orderPrefix)
    const list = orderedList(
      listAt(draft.has(field), draft.get(field)),
      listAt(Object.hasOwn(patch, field), patch[field]),
      order,
      listRule(schema, field),
      mode,
    )
    if (list === undefined) continue
    draft.set(field, list)
    merged.add(field)
  }
  return merged
}

function keepElementOrder(draft: ObjectDraft, key: string, order: unknown): void {
  if (draft.has(key) && !deepEqual(draft.get(key), order)) throw badElementOrder()
  draft.set(key, draft.get(key) ?? order)
}

function listAt(present: boolean, value: unknown): JsonList | undefined {
  if (!present) return undefined
  if (!isList(value)) throw badArgument([], value)
  return value
}

function orderedList(
  current: JsonList | undefined,
  change: JsonList | undefined,
  order: JsonList,
  rule: FieldRule,
  mode: MergeMode,
): JsonList | undefined {
  checkElementOrder(change ?? [], order, rule.mergeKey)
  if (current === undefined && change === undefined) return undefined
  const merged = mergedOrTaken(current, change, rule, mode)
  const { named, others } = partition(merged.list, order, rule.mergeKey)
  const type = elementType(current ?? [], change ?? [])
  const list = arrange({ type, mergeKey: rule.mergeKey, named, patchOrder: order, others, serverOrder: merged.serverOrder })
  return current === undefined ? list : keepIfSame(current, list)
}

function mergedOrTaken(current: JsonList | undefined, change: JsonList | undefined, rule: FieldRule, mode: MergeMode): MergedList {
  if (current === undefined) return { list: newValue(change, false) as JsonList, serverOrder: [] }
  if (change === undefined) return { list: current, serverOrder: current }
  return mergeListField(current, change, rule, false, mode)
}
