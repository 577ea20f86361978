/** JSON data as patches see it. Nothing here is ever written to: inputs may be frozen, results share what did not change. */
export type JsonObject = Readonly<Record<string, unknown>>
export type JsonList = readonly unknown[]
export type JsonType = "null" | "object" | "list" | "string" | "number" | "boolean"

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

export function isList(value: unknown): value is JsonList {
  return Array.isArray(value)
}

export function typeOf(value: unknown): JsonType {
  if (value === null || value === undefined) return "null"
  if (typeof value === "object") return Array.isArray(value) ? "list" : "object"
  return typeof value === "bigint" ? "number" : (typeof value as JsonType)
}

/** The old list when the new one holds the very same elements, so that a patch that changes nothing returns its input. */
export function keepIfSame(before: JsonList, after: JsonList): JsonList {
  const same = before.length === after.length && before.every((item, index) => item === after[index])
  return same ? before : after
}
