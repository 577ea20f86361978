import { parseJson } from "@pilothouse/seams"

/**
 * Reads a JSON text as Go does into a struct: of a field that is there twice the second is read into what the first has left. Objects are merged,
 * lists item by item, and of all else the last counts; JSON.parse would drop the first whole. The text has been parsed before: it is well-formed.
 */
export function mergedJson(text: string): unknown {
  const tokens = text.matchAll(/\s*("(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+)/gsy)
  const next = () => String(tokens.next().value?.[1])
  return readInto(undefined, next(), next)
}

type Next = () => string

/** The value that begins with a token, into what is there of it. */
function readInto(before: unknown, token: string, next: Next): unknown {
  if (token === "{") return readObject(before, next)
  if (token === "[") return readList(before, next)
  return parseJson(token, { beyondInt64: "bigint" })
}

function readObject(into: unknown, next: Next): unknown {
  const fields = new Map(isObject(into) ? Object.entries(into) : [])
  for (let token = next(); token !== "}"; token = next()) {
    if (token === ",") continue
    const key: string = JSON.parse(token)
    next()
    const before = fields.get(key)
    const value = readInto(before, next(), next)
    fields.set(key, value === null && isNoPointer(key, before) ? before : value)
  }
  // As JSON.parse: "__proto__" is a key like any other.
  return Object.fromEntries(fields)
}

/** What null leaves as it was: Go's structs and texts. Numbers and words are nearly always pointers, as are other objects, and lists and maps are like them. */
function isNoPointer(key: string, before: unknown): boolean {
  return typeof before === "string" || (isObject(before) && ["metadata", "spec", "status", "resources"].includes(key))
}

function readList(before: unknown, next: Next): unknown {
  const items: unknown[] = []
  for (let token = next(); token !== "]"; token = next()) {
    if (token !== ",") items.push(readInto(Array.isArray(before) ? before[items.length] : undefined, token, next))
  }
  return items
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
