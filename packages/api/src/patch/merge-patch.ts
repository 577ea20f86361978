import { deepEqual } from "../meta/deep-equal.ts"
import { isList, isObject, type JsonObject } from "./values/json-value.ts"
import { ObjectDraft } from "./values/object-draft.ts"

/**
 * Applies an RFC 7386 merge patch; what did not change is shared with the input, and a patch that changes nothing returns the input.
 * As kube-apiserver does, and the RFC does not, nulls are dropped from objects inside lists as well when nothing was there to merge with.
 */
export function applyMergePatch(value: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return isList(patch) && deepEqual(value, patch) ? value : patch
  if (!isObject(value)) return withoutNulls(patch)
  return mergeInto(value, patch)
}

function mergeInto(value: JsonObject, patch: JsonObject): JsonObject {
  const draft = new ObjectDraft(value)
  for (const key of Object.keys(patch)) {
    const change = patch[key]
    if (change === null) draft.delete(key)
    else draft.set(key, merged(draft.get(key), change))
  }
  return draft.done()
}

function merged(current: unknown, change: unknown): unknown {
  if (isObject(current)) return isObject(change) ? mergeInto(current, change) : change
  const taken = withoutNulls(change)
  return deepEqual(current, taken) ? current : taken
}

/** The value without the null members of its objects, at any depth; null elements of lists stay. Shared where nothing was dropped. */
export function withoutNulls(value: unknown): unknown {
  if (isList(value)) {
    const items = value.map(withoutNulls)
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  if (!isObject(value)) return value
  const draft = new ObjectDraft(value)
  for (const key of Object.keys(value)) {
    if (value[key] === null) draft.delete(key)
    else if (typeof value[key] === "object") draft.set(key, withoutNulls(value[key]))
  }
  return draft.done()
}
