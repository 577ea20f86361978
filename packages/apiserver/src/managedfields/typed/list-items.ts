import { quoted } from "@pilothouse/api"
import { keyElement, type PathElement, valueElement } from "../fieldpath/path-element.ts"
import { isJsonMap, type JsonMap } from "./json-value.ts"
import type { Token } from "./set-prefixes.ts"
import { type ListType, wholeElement } from "./type.ts"

/** A value that its schema does not allow, in upstream's words. */
export class TypedError extends Error {
  override readonly name = "TypedError"
}

/**
 * What tells an item of a keyed list or set from the others: equal for equal items of one list, as keys of a Map are. Throws a TypedError for an item that
 * has no place in such a list.
 */
export function itemToken(list: ListType, item: unknown): Token {
  const [key] = list.keys
  if (key === undefined) return setItem(item)
  const map = keyedItem(item)
  if (list.keys.length > 1) return wholeElement + keyElement(keysOf(list, map))
  const value = keyValue(list, map, key)
  if (value === undefined) throw new TypedError(omittedKeys(list))
  const isPlain = typeof value === "string" ? !value.startsWith(wholeElement) : typeof value !== "object"
  return isPlain ? value : wholeElement + keyElement([[key, value]])
}

/** The element of a path that an item is. */
export function itemElement(list: ListType, item: unknown): PathElement {
  return list.keys.length === 0 ? valueElement(setItem(item)) : keyElement(keysOf(list, keyedItem(item)))
}

function keyedItem(item: unknown): JsonMap {
  if (item === null) throw new TypedError("associative list with keys may not have a null element")
  if (!isJsonMap(item)) throw new TypedError("associative list with keys may not have non-map elements")
  return item
}

/** A key that is neither there nor has a default is left out: that is another item than one where it is set. */
function keysOf(list: ListType, item: JsonMap): readonly (readonly [string, unknown])[] {
  const fields: (readonly [string, unknown])[] = []
  for (const key of list.keys) {
    const value = keyValue(list, item, key)
    if (value !== undefined) fields.push([key, value])
  }
  if (fields.length === 0) throw new TypedError(omittedKeys(list))
  return fields
}

function keyValue({ defaults }: ListType, item: JsonMap, key: string): unknown {
  const value = item[key]
  return value === undefined ? defaults.get(key) : value
}

function omittedKeys({ keys }: ListType): string {
  const names = `[${keys.map(quoted).join(" ")}]`
  return `associative list with keys has an element that omits all key fields ${names} (and doesn't have default values for any key fields)`
}

function setItem(item: unknown): unknown {
  if (item === null) throw new TypedError("associative list without keys has an element that's an explicit null")
  if (Array.isArray(item)) throw new TypedError("not supported: associative list with lists as elements")
  if (typeof item === "object") throw new TypedError("associative list without keys has an element that's a map type")
  return item
}
