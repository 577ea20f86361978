import { deepEqual } from "../meta/deep-equal.ts"
import { isObject, type JsonObject } from "./values/json-value.ts"
import { refusePrototype } from "./values/object-draft.ts"

/**
 * The merge patch that turns one document into the other. A null in `after` cannot be said in a merge patch: it becomes a deletion.
 * Equal objects give {}; for anything that is not an object the patch is the new value itself.
 */
export function diffMergePatch(before: unknown, after: unknown): unknown {
  return isObject(before) && isObject(after) ? diffObjects(before, after) : after
}

function diffObjects(before: JsonObject, after: JsonObject): JsonObject {
  const patch: Record<string, unknown> = {}
  for (const key of Object.keys(before)) {
    refusePrototype(key)
    if (!Object.hasOwn(after, key)) patch[key] = null
  }
  for (const key of Object.keys(after)) {
    refusePrototype(key)
    const old = Object.hasOwn(before, key) ? before[key] : undefined
    if (deepEqual(old, after[key])) continue
    patch[key] = diffMergePatch(old, after[key])
  }
  return patch
}
