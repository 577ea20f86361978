import { deepEqual } from "../deep-equal.ts"
import type { Schema } from "../schema.ts"
import { isList, isObject, type JsonList, type JsonObject, typeOf } from "./json-value.ts"
import { refusePrototype } from "./object-draft.ts"
import { PatchError } from "./patch-error.ts"
import type { DiffOptions } from "./strategic-diff-options.ts"
import { deletionKey, directiveKey, orderKey, retainKeysKey } from "./strategic-directives.ts"
import { type FieldRule, listRule, objectRule } from "./strategic-field.ts"
import { diffList } from "./strategic-list-diff.ts"
import { documentOf } from "./strategic-merge.ts"

/** The strategic merge patch that turns one object of a kind into the other; {} when they are equal. */
export function diffStrategicMerge(before: unknown, after: unknown, schema: Schema): JsonObject {
  return diffObjects(documentOf(before), documentOf(after), schema, { additions: true, deletions: true, elementOrder: true })
}

export function diffObjects(before: JsonObject, after: JsonObject, schema: Schema, options: DiffOptions, retainKeys = false): JsonObject {
  const patch: Record<string, unknown> = {}
  if (before === after) return patch
  for (const key of Object.keys(after)) {
    refusePrototype(key)
    if (Object.hasOwn(before, key)) diffField(key, before[key], after[key], patch, schema, options)
    else if (options.additions) patch[key] = after[key]
  }
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key))
  if (options.deletions) for (const key of removed) patch[key] = null
  const retained = Object.keys(after).filter((key) => after[key] !== null)
  const changes = Object.keys(patch).length > 0 || removed.some((key) => before[key] !== null)
  if (retainKeys && retained.length > 0 && changes) patch[retainKeysKey] = retained.sort()
  return patch
}

type Patch = Record<string, unknown>

function diffField(key: string, before: unknown, after: unknown, patch: Patch, schema: Schema, options: DiffOptions): void {
  if (key === directiveKey) diffDirective(before, after, patch)
  else if (deepEqual(before, after)) return
  else if (isObject(before) && isObject(after)) diffObjectField(key, before, after, patch, objectRule(schema, key), options)
  else if (isList(before) && isList(after)) diffListField(key, before, after, patch, listRule(schema, key), options)
  else if (options.additions) patch[key] = after
}

function diffDirective(before: unknown, after: unknown, patch: Patch): void {
  if (typeOf(before) !== "string" || typeOf(after) !== "string") throw new PatchError(500, `invalid value for special key: ${directiveKey}`)
  if (before !== after) patch[directiveKey] = after
}

function diffObjectField(key: string, before: JsonObject, after: JsonObject, patch: Patch, rule: FieldRule, options: DiffOptions): void {
  if (rule.strategy === "replace") {
    if (options.additions) patch[key] = after
    return
  }
  const change = diffObjects(before, after, rule.schema, options, rule.retainKeys)
  if (Object.keys(change).length > 0) patch[key] = change
}

function diffListField(key: string, before: JsonList, after: JsonList, patch: Patch, rule: FieldRule, options: DiffOptions): void {
  if (rule.strategy !== "merge") {
    if (options.additions) patch[key] = after
    return
  }
  const diffElement = (old: JsonObject, element: JsonObject) => diffObjects(old, element, rule.schema, options, rule.retainKeys)
  const { changes, deletions, order } = diffList(before, after, { mergeKey: rule.mergeKey, options, diffElement })
  if (changes.length > 0) patch[key] = changes
  if (deletions.length > 0) patch[deletionKey(key)] = deletions
  if (order.length > 0) patch[orderKey(key)] = order
}
