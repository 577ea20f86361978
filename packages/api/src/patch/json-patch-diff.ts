import { deepEqual } from "../meta/deep-equal.ts"
import { escapeToken, type JsonPatchOperation } from "./json-patch.ts"
import { isList, isObject, type JsonList, type JsonObject } from "./values/json-value.ts"

/** Operations that turn one document into the other. Lists are compared by their common head and tail; what lies between is changed in place. */
export function diffJsonPatch(before: unknown, after: unknown): JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = []
  diffValues(before, after, "", operations)
  return operations
}

function diffValues(before: unknown, after: unknown, path: string, operations: JsonPatchOperation[]): void {
  if (before === after) return
  if (isObject(before) && isObject(after)) diffObjects(before, after, path, operations)
  else if (isList(before) && isList(after)) diffLists(before, after, path, operations)
  else operations.push({ op: "replace", path, value: after })
}

function diffObjects(before: JsonObject, after: JsonObject, path: string, operations: JsonPatchOperation[]): void {
  for (const key of Object.keys(before)) {
    if (!Object.hasOwn(after, key)) operations.push({ op: "remove", path: `${path}/${escapeToken(key)}` })
  }
  for (const key of Object.keys(after)) {
    const known = Object.hasOwn(before, key)
    // Most fields are the same: the text of their path is not even made.
    if (known && before[key] === after[key]) continue
    const place = `${path}/${escapeToken(key)}`
    if (known) diffValues(before[key], after[key], place, operations)
    else operations.push({ op: "add", path: place, value: after[key] })
  }
}

function diffLists(before: JsonList, after: JsonList, path: string, operations: JsonPatchOperation[]): void {
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < shorter && deepEqual(before[head], after[head])) head++
  let tail = 0
  while (tail < shorter - head && deepEqual(before.at(-1 - tail), after.at(-1 - tail))) tail++
  const common = shorter - tail
  for (let index = head; index < common; index++) diffValues(before[index], after[index], `${path}/${index}`, operations)
  // From the end, so that the indexes of what is still to be removed stay right.
  for (let index = before.length - tail - 1; index >= common; index--) operations.push({ op: "remove", path: `${path}/${index}` })
  for (let index = common; index < after.length - tail; index++)
    operations.push({ op: "add", path: `${path}/${index}`, value: after[index] })
}
