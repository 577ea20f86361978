import { deepEqual } from "../../meta/deep-equal.ts"
import { goFormat, goString, goType } from "../values/go-format.ts"
import { isList, isObject, type JsonObject } from "../values/json-value.ts"
import { ObjectDraft } from "../values/object-draft.ts"
import { PatchError } from "../values/patch-error.ts"

export const directiveKey = "$patch"
export const retainKeysKey = "$retainKeys"
export const deletionPrefix = "$deleteFromPrimitiveList"
export const orderPrefix = "$setElementOrder"

/** "apply" puts a patch into an object; "combine" puts a patch into another patch, and keeps its nulls and directives. */
export type MergeMode = "apply" | "combine"

export function deletionKey(field: string): string {
  return `${deletionPrefix}/${field}`
}

export function orderKey(field: string): string {
  return `${orderPrefix}/${field}`
}

/** The list that "$setElementOrder/<field>" or "$deleteFromPrimitiveList/<field>" speaks of. */
export function directedField(key: string, prefix: typeof deletionPrefix | typeof orderPrefix): string {
  if (key.startsWith(`${prefix}/`)) return key.slice(prefix.length + 1)
  throw prefix === orderPrefix ? badElementOrder() : new PatchError(400, "invalid patch format of primitive list")
}

export function badElementOrder(): PatchError {
  return new PatchError(400, "invalid patch format of setElementOrder list")
}

export function badRetainKeys(): PatchError {
  return new PatchError(400, "invalid patch format of retainKeys")
}

export function badArgument(expected: unknown, actual: unknown): PatchError {
  return new PatchError(500, `expected a ${goType(expected)}, but received a ${goType(actual)}`)
}

export function unknownDirective(directive: unknown, patch: JsonObject): PatchError {
  return new PatchError(500, `unknown patch type: ${goString(directive)} in map: ${goFormat(patch)}`)
}

export function noMergeKey(element: JsonObject, mergeKey: string): PatchError {
  return new PatchError(500, `map: ${goFormat(element)} does not contain declared merge key: ${mergeKey}`)
}

/** Returns what a patch with "$patch" turns the object into: an empty one, or the patch itself. "merge" is no directive upstream. */
export function directedObject(patch: JsonObject): JsonObject {
  const directive = patch[directiveKey]
  if (directive === "delete") return {}
  if (directive !== "replace") throw unknownDirective(directive, patch)
  const draft = new ObjectDraft(patch)
  draft.delete(directiveKey)
  return draft.done()
}

/** Drops every key that "$retainKeys" does not name; a patch that sets a key it does not name is malformed. */
export function applyRetainKeys(draft: ObjectDraft, patch: JsonObject, mode: MergeMode): void {
  const retained = patch[retainKeysKey]
  if (retained === undefined) return
  if (mode === "combine") return keepRetainKeys(draft, retained)
  if (!isList(retained)) throw badRetainKeys()
  const names = new Set(retained)
  for (const key of Object.keys(patch)) {
    if (key === retainKeysKey || patch[key] === null || key.startsWith(deletionPrefix) || key.startsWith(orderPrefix)) continue
    if (!names.has(key)) throw badRetainKeys()
  }
  for (const key of draft.keys()) if (!names.has(key)) draft.delete(key)
}

function keepRetainKeys(draft: ObjectDraft, retained: unknown): void {
  if (draft.has(retainKeysKey) && !deepEqual(draft.get(retainKeysKey), retained)) {
    const both = `${goFormat(draft.get(retainKeysKey))} and ${goFormat(retained)}`
    throw new PatchError(500, `${both} are not deep equal: this may happen when calculating the 3-way diff patch`)
  }
  draft.set(retainKeysKey, draft.get(retainKeysKey) ?? retained)
}

/**
 * A patch value for a place where nothing was: without the objects that carry "$patch", and in "apply" without null members.
 * Undefined when the value itself is such an object. Other directives stay in it, as they do upstream.
 */
export function newValue(value: unknown, dropNulls: boolean): unknown {
  if (isList(value)) {
    const items = value.map((item) => newValue(item, dropNulls))
    return items.some((item, index) => item !== value[index]) ? items.filter((item) => item !== undefined) : value
  }
  return isObject(value) ? newObject(value, dropNulls) : value
}

function newObject(value: JsonObject, dropNulls: boolean): JsonObject | undefined {
  if (Object.hasOwn(value, directiveKey) && !(dropNulls && value[directiveKey] === null)) return undefined
  const draft = new ObjectDraft(value)
  for (const key of Object.keys(value)) {
    const member = value[key]
    const kept = member === null && dropNulls ? undefined : newValue(member, dropNulls)
    if (kept === undefined) draft.delete(key)
    else draft.set(key, kept)
  }
  return draft.done()
}
