import { compareText } from "@pilothouse/api"
import { setOwn } from "@pilothouse/seams"
import { isJsonObject } from "./changed-value.ts"

/** A copy of a JSON value with the keys of its objects in byte order: so Go writes maps, and so they stand in messages. */
export function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys)
  if (!isJsonObject(value)) return value
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value).sort(compareText)) setOwn(copy, key, sortedKeys(value[key]))
  return copy
}
