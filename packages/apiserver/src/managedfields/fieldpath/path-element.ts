// The texts of path elements. One element has one text, so that sets are compared and looked up by text.
import { parseJson } from "@pilothouse/seams"

/**
 * One step of a path as fieldsV1 has it: `f:name` a field, `k:{"name":"c"}` an item of a keyed list, `v:"x"` an item of a set, `i:0` an index.
 * None is a name that Object.prototype has.
 */
export type PathElement = string

/** What nests deeper than this is refused: nothing real is a tenth as deep, and every walk is recursive. */
export const maxDepth = 1000

/** A field of an object, or a key of a map. */
export function fieldElement(name: string): PathElement {
  return `f:${name}`
}

/** An item of a keyed list. The names are in byte order. */
export function keyElement(fields: readonly (readonly [name: string, value: unknown])[]): PathElement {
  return `k:{${fields.map(([name, value]) => `${nameText(name)}${jsonText(value)}`).join(",")}}`
}

/** The beginning of a field as elements have it: `"name":`. */
export function nameText(name: string): string {
  return `${plainText(name)}:`
}

/** An item of a set. */
export function valueElement(value: unknown): PathElement {
  return `v:${jsonText(value)}`
}

/** The one text of an element that was read; undefined for a kind of element that is not known. Throws what upstream says of anything else. */
export function readElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new Error("key must be 2 characters long:")
  if (text[1] !== ":") throw new Error(`missing colon: ${text}`)
  switch (text[0]) {
    case "f":
      return text
    case "v":
      return valueElement(parseJson(text.slice(2)))
    case "k":
      return keyElement(keyFields(text))
    case "i":
      return indexElement(text.slice(2))
    default:
      return undefined
  }
}

/** The names and values of a `k:` element, by name in byte order. */
export function keyFields(element: PathElement): readonly (readonly [name: string, value: unknown])[] {
  const fields = parseJson(element.slice(2))
  if (typeof fields !== "object" || fields === null || Array.isArray(fields)) {
    throw new Error(`readObjectCB: expect { or n, but found ${element.slice(2, 12)}`)
  }
  return Object.entries(fields).sort(([a], [b]) => compareText(a, b))
}

/** The value of a `v:` element. */
export function elementValue(element: PathElement): unknown {
  return parseJson(element.slice(2))
}

function indexElement(digits: string): PathElement {
  if (!/^[+-]?\d{1,15}$/.test(digits)) throw new Error(`strconv.Atoi: parsing ${JSON.stringify(digits)}: invalid syntax`)
  return `i:${Number(digits) + 0}`
}

/** As Go's strings are compared: by their UTF-8 bytes. Only where halves of surrogate pairs are concerned is that another order than JavaScript's. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const [one, other] = [a.charCodeAt(at), b.charCodeAt(at)]
    if (one !== other) return byteRank(one) - byteRank(other)
  }
  return a.length - b.length
}

function byteRank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}

/** Compact JSON as Go's encoder writes it: keys sorted, and `<`, `>` and `&` escaped inside of values. */
export function jsonText(value: unknown, depth = 0): string {
  if (typeof value === "string") return isPlain.test(value) ? `"${value}"` : escapedText(value)
  if (typeof value !== "object" || value === null) return String(value)
  if (depth > maxDepth) throw new Error("exceeded max depth")
  if (Array.isArray(value)) return `[${value.map((item) => jsonText(item, depth + 1)).join(",")}]`
  const entries = Object.entries(value).sort(([a], [b]) => compareText(a, b))
  return `{${entries.map(([key, inner]) => `${jsonText(key, depth)}:${jsonText(inner, depth + 1)}`).join(",")}}`
}

/** Nothing that is escaped, and no half of a surrogate pair. */
const isPlain = /^[ !#-%'-;=?-[\]-\u2027\u202a-\ud7ff\ue000-\uffff]*$/

function escapedText(text: string): string {
  return plainText(text).replaceAll(/\\.|[<>&\u2028\u2029]/g, (found) => goEscapes[found] ?? found)
}

const goEscapes: Readonly<Record<string, string>> = {
  "\\b": "\\u0008",
  "\\f": "\\u000c",
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
}

function plainText(text: string): string {
  return JSON.stringify(text.toWellFormed())
}
