import { quoted } from "@pilothouse/api"
import { jsonText, type PathElement, valueElement } from "../fieldpath/path-element.ts"
import { isJsonMap, type JsonMap } from "./json-value.ts"
import type { Token } from "./set-prefixes.ts"
import { type ListType, wholeElement } from "./type.ts"

/** A value that its schema does not allow, in upstream's words. */
export class TypedError extends Error {
  override readonly name = "TypedError"
}

/**
 * Returns what distinguishes an item of a keyed list or set: equal for equal items of one list, as keys of a Map are. Throws a TypedError for an item that
 * has no place in such a list.
 */
export function itemToken(list: ListType, item: unknown): Token {
  if (list.keys.length === 0) return setItem(item)
  const map = keyedItem(item)
  if (list.onlyKey !== undefined) {
    const value = keyValue(list, map, list.onlyKey)
    if (typeof value === "string" ? !value.startsWith(wholeElement) : typeof value === "number") return value
  }
  return wholeElement + keyedElement(list, map)
}

/** The element of a path that an item is. Throws a TypedError as `itemToken` does. */
export function itemElement(list: ListType, item: unknown): PathElement {
  return list.keys.length === 0 ? valueElement(setItem(item)) : keyedElement(list, keyedItem(item))
}

/** Returns the result of a function for an item, or the TypedError that it throws: an item that has lost its keys while it was taken apart is no fault. */
export function orTypedError<T>(read: (list: ListType, item: unknown) => T, list: ListType, item: unknown): T | TypedError {
  try {
    return read(list, item)
  } catch (error) {
    if (error instanceof TypedError) return error
    throw error
  }
}

function keyedItem(item: unknown): JsonMap {
  if (item === null) throw new TypedError("associative list with keys may not have a null element")
  if (!isJsonMap(item)) throw new TypedError("associative list with keys may not have non-map elements")
  return item
}

/** A key that is neither there nor has a default is left out: that is another item than one where it is set. */
function keyedElement(list: ListType, item: JsonMap): PathElement {
  let fields = ""
  for (let at = 0; at < list.keys.length; at++) {
    const value = keyValue(list, item, list.keys[at]!)
    if (value !== undefined) fields += `${fields === "" ? "" : ","}${list.keyTexts[at]}${jsonText(value)}`
  }
  if (fields === "") throw new TypedError(omittedKeys(list))
  return `k:{${fields}}`
}

function keyValue(list: ListType, item: JsonMap, key: string): unknown {
  const value = item[key]
  return value === undefined ? list.defaults.get(key) : value
}

function omittedKeys({ declaredKeys }: ListType): string {
  const names = `[${declaredKeys.map(quoted).join(" ")}]`
  return `associative list with keys has an element that omits all key fields ${names} (and doesn't have default values for any key fields)`
}

function setItem(item: unknown): unknown {
  if (item === null) throw new TypedError("associative list without keys has an element that's an explicit null")
  if (Array.isArray(item)) throw new TypedError("not supported: associative list with lists as elements")
  if (typeof item === "object") throw new TypedError("associative list without keys has an element that's a map type")
  return item
}

/** The tokens of a list's items. */
export function itemTokens(list: ListType, items: readonly unknown[]): readonly Token[] {
  const tokens: Token[] = []
  for (const item of items) tokens.push(itemToken(list, item))
  return tokens
}

/** The tokens that are there more than once; undefined when each is there once. */
export function duplicateTokens(tokens: readonly Token[]): ReadonlySet<Token> | undefined {
  if (tokens.length <= fewTokens ? !hasTwice(tokens) : new Set(tokens).size === tokens.length) return undefined
  const seen = new Set<Token>()
  return new Set(tokens.filter((token) => seen.has(token) || (seen.add(token), false)))
}

/** So few are compared with each other in less time than a Set takes. */
const fewTokens = 6

function hasTwice(tokens: readonly Token[]): boolean {
  for (let at = 1; at < tokens.length; at++) for (let other = 0; other < at; other++) if (tokens[at] === tokens[other]) return true
  return false
}
