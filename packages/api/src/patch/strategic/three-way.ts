import { stringifyJson } from "@pilothouse/seams"
import { deepEqual } from "../../meta/deep-equal.ts"
import type { Schema } from "../../schema/schema.ts"
import { goFormat } from "../values/go-format.ts"
import { isList, isObject, type JsonList, type JsonObject } from "../values/json-value.ts"
import { PatchError } from "../values/patch-error.ts"
import { diffObjects } from "./diff.ts"
import { deletionPrefix, directiveKey, retainKeysKey } from "./directives.ts"
import { type FieldRule, listRule, objectRule } from "./field.ts"
import { documentOf, mergeObjects } from "./merge.ts"

/** The three sides of a three-way merge, as kubectl apply has them. */
export interface ThreeWayMerge {
  /** What was applied last time; undefined the first time. */
  readonly original: unknown
  /** What is to be applied now. */
  readonly modified: unknown
  /** What the server has. */
  readonly current: unknown
  readonly schema: Schema
  /** False: a field that another client changed since `original`, and that the patch would set otherwise, is a conflict (status 409). */
  readonly overwrite: boolean
}

/**
 * The patch `kubectl apply` sends: whatever `modified` says and `current` does not, and the removal of what `original` had and `modified` has not.
 * Fields that are in `current` only stay as they are.
 */
export function threeWayStrategicMerge({ original, modified, current, schema, overwrite }: ThreeWayMerge): JsonObject {
  const before = documentOf(original ?? {})
  const wanted = documentOf(modified)
  const live = documentOf(current)
  const additions = diffObjects(live, wanted, schema, { additions: true, deletions: false, elementOrder: true })
  const deletions = diffObjects(before, wanted, schema, { additions: false, deletions: true, elementOrder: true })
  const patch = mergeObjects(deletions, additions, schema, "combine")
  if (!overwrite)
    refuseConflicts(patch, diffObjects(before, live, schema, { additions: true, deletions: true, elementOrder: false }), schema)
  return patch
}

function refuseConflicts(patch: JsonObject, changed: JsonObject, schema: Schema): void {
  if (!haveConflicts(patch, changed, schema)) return
  const [ours, theirs] = [patch, changed].map((value) => stringifyJson(value, 2))
  throw new PatchError(409, `patch:\n${ours}\nconflicts with changes made from original to current:\n${theirs}\n`)
}

/** True when two strategic merge patches of one kind set the same place differently. */
function haveConflicts(left: JsonObject, right: JsonObject, schema: Schema): boolean {
  if (left[directiveKey] !== right[directiveKey]) return true
  return Object.keys(left).some((key) => {
    if (key === directiveKey || key === retainKeysKey || key.startsWith(deletionPrefix) || !Object.hasOwn(right, key)) return false
    return fieldConflicts(key, left[key], right[key], schema)
  })
}

function fieldConflicts(key: string, left: unknown, right: unknown, schema: Schema): boolean {
  if (isObject(left)) return !isObject(right) || objectsConflict(left, right, objectRule(schema, key))
  if (isList(left)) return !isList(right) || listsConflict(left, right, listRule(schema, key))
  return left !== right
}

function objectsConflict(left: JsonObject, right: JsonObject, rule: FieldRule): boolean {
  if (rule.strategy !== "replace") return haveConflicts(left, right, rule.schema)
  return left[directiveKey] !== right[directiveKey]
}

function listsConflict(left: JsonList, right: JsonList, rule: FieldRule): boolean {
  if (rule.strategy === "merge") return rule.mergeKey !== undefined && mergedListsConflict(left, right, rule.mergeKey, rule.schema)
  if (left.length !== right.length) return true
  if (left.every((element) => !isObject(element))) return !deepEqual(left.toSorted(), right.toSorted())
  return left.some((element, index) => elementsConflict(element, right[index], rule.schema))
}

function elementsConflict(left: unknown, right: unknown, schema: Schema): boolean {
  return isObject(left) && isObject(right) ? haveConflicts(left, right, schema) : !deepEqual(left, right)
}

/** Sets of primitives never conflict; elements of one key do when they would within an object. */
function mergedListsConflict(left: JsonList, right: JsonList, mergeKey: string, schema: Schema): boolean {
  const others = elementsByKey(right, mergeKey)
  return [...elementsByKey(left, mergeKey)].some(([key, element]) => {
    const other = others.get(key)
    return other !== undefined && haveConflicts(element, other, schema)
  })
}

function elementsByKey(list: JsonList, mergeKey: string): Map<string, JsonObject> {
  return new Map(
    list.map((element) => {
      if (!isObject(element)) throw new PatchError(500, `invalid element type in merging list:${goFormat(list)}`)
      if (Object.hasOwn(element, mergeKey)) return [String(element[mergeKey]), element]
      throw new PatchError(500, `cannot find merge key \`${mergeKey}\` in merging list element:${goFormat(element)}`)
    }),
  )
}
