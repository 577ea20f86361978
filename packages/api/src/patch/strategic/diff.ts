import { deepEqual } from "../../meta/deep-equal.ts"
import type { Schema } from "../../schema/schema.ts"
import { isList, isObject, type JsonList, type JsonObject } from "../values/json-value.ts"
import { refusePrototype } from "../values/object-draft.ts"
import { PatchError } from "../values/patch-error.ts"
import type { DiffOptions } from "./diff-options.ts"
import { deletionKey, directiveKey, orderKey, retainKeysKey } from "./directives.ts"
import { type FieldRule, listRule, objectRule } from "./field.ts"
import { diffList } from "./list-diff.ts"
import { documentOf } from "./merge.ts"

/** The strategic merge patch that turns one object of a kind into the other; {} when they are equal. */
export function diffStrategicMerge(before: unknown, after: unknown, schema: Schema): JsonObject {
  return diffObjects(documentOf(before), documentOf(after), schema, { additions: true, deletions: true, elementOrder: true })
}

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
