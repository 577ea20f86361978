import { parseJson } from "@pilothouse/seams"

/**
 * Reads a JSON text as Go does into a struct: of a field that is there twice the second is read into what the first has left. Objects are merged,
 * lists item by item, and of all else the last counts; JSON.parse would drop the first whole. The text has been parsed before: it is well-formed.
 */
export function mergedJson(text: string): unknown {
  const tokens = text.matchAll(/\s*("(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+)/gsy)
  const next = () => String(tokens.next().value?.[1])
  return plain(readInto(undefined, next(), next))
}

/** An object while it is read: a field that is there again is read into it in place, however often that happens. */
type Fields = Map<string, unknown>

type Next = () => string

/** The value that begins with a token, into what is there of it. */
function readInto(before: unknown, token: string, next: Next): unknown {
  if (token === "{") return readObject(before, next)
  if (token === "[") return readList(before, next)
  return parseJson(token, { beyondInt64: "bigint" })
}

function readObject(into: unknown, next: Next): unknown {
  const fields: Fields = into instanceof Map ? into : new Map()
  for (let token = next(); token !== "}"; token = next()) {
    if (token === ",") continue
    const key: string = JSON.parse(token)
    next()
    const before = fields.get(key)
    const value = readInto(before, next(), next)
    fields.set(key, value === null && isNoPointer(key, before) ? before : value)
  }
  return fields
}

/** As JSON.parse would have made it: "__proto__" is a key like any other. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  return value instanceof Map ? Object.fromEntries(value.entries().map(([key, inner]) => [key, plain(inner)])) : value
}

/** What null leaves as it was: Go's structs and texts. Numbers and words are nearly always pointers, as are other objects, and lists and maps are like them. */
function isNoPointer(key: string, before: unknown): boolean {
  return typeof before === "string" || (before instanceof Map && ["metadata", "spec", "status", "resources"].includes(key))
}

function readList(before: unknown, next: Next): unknown {
  const items: unknown[] = []
  for (let token = next(); token !== "]"; token = next()) {
    if (token !== ",") items.push(readInto(Array.isArray(before) ? before[items.length] : undefined, token, next))
  }
  return items
}
