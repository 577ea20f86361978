// The texts of path elements. One element has one text, so that sets are compared and looked up by text.
import { compareText, goJson } from "@pilothouse/api"
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

/** JSON as json-iterator writes it, which upstream's path elements are written with: two letters have other escapes than Go's own encoder gives them. */
export function jsonText(value: unknown): string {
  if (typeof value === "string" ? isPlain.test(value) : typeof value !== "object")
    return typeof value === "string" ? `"${value}"` : String(value)
  return goJson(value, { maxDepth }).replaceAll(/\\./g, (found) => iteratorEscapes[found] ?? found)
}

/** Nothing that is escaped, and no half of a surrogate pair. */
const isPlain = /^[ !#-%'-;=?-[\]-\u2027\u202a-\ud7ff\ue000-\uffff]*$/

const iteratorEscapes: Readonly<Record<string, string>> = { "\\b": "\\u0008", "\\f": "\\u000c" }

function plainText(text: string): string {
  return JSON.stringify(text.toWellFormed())
}
