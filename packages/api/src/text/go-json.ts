import { stringifyJson } from "@pilothouse/seams"
import { compareText } from "./compare-text.ts"

/** Only what stands in texts: none of these is part of JSON's own grammar. */
const escaped = /[<>&\u2028\u2029]/g

/**
 * JSON with the escapes of Go's encoder: the same value in another text. A server that keeps JSON as text (the data of a ControllerRevision)
 * hands that text to programs that compare it byte by byte.
 */
export function escapedAsGo(json: string): string {
  return json.replace(escaped, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
}

export interface GoJsonOptions {
  /** Spaces of each level; everything stands in one line by default. */
  readonly indent?: number
  /** Values that nest deeper are refused with an Error. */
  readonly maxDepth?: number
}

/**
 * The JSON that Go's encoder writes of a decoded value: keys in byte order, and its escapes. It is put together as text, since the objects of JavaScript have
 * keys such as "9" and "10" in an order of their own.
 */
export function goJson(value: unknown, { indent = 0, maxDepth = Number.POSITIVE_INFINITY }: GoJsonOptions = {}): string {
  const space = indent === 0 ? "" : " "
  const lineEnd = (depth: number) => (indent === 0 ? "" : `\n${" ".repeat(indent * depth)}`)
  const enclosed = (open: string, parts: readonly string[], close: string, depth: number) =>
    parts.length === 0 ? open + close : `${open}${lineEnd(depth + 1)}${parts.join(`,${lineEnd(depth + 1)}`)}${lineEnd(depth)}${close}`
  const write = (part: unknown, depth: number): string => {
    if (typeof part === "string") return escapedAsGo(JSON.stringify(part.toWellFormed()))
    if (typeof part !== "object" || part === null) return stringifyJson(part) ?? "null"
    if (depth > maxDepth) throw new Error("exceeded max depth")
    const below = (inner: unknown) => write(inner, depth + 1)
    if (Array.isArray(part)) return enclosed("[", part.map(below), "]", depth)
    const entries = Object.entries(part).filter(([, inner]) => inner !== undefined)
    entries.sort(([a], [b]) => compareText(a, b))
    const fields = entries.map(([key, inner]) => `${write(key, depth)}:${space}${below(inner)}`)
    return enclosed("{", fields, "}", depth)
  }
  return write(value, 0)
}
