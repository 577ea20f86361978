import type { Reader, TypeBehaviour } from "../../environment/environment.ts"
import { equal } from "../../values/equality.ts"
import type { JsonObject, Value } from "../../values/value.ts"
import { countReading, countWork } from "../../values/work.ts"
import { escapeProperty } from "./escaping.ts"
import type { JsonSchema } from "./json-schema.ts"

type Equals = (left: Value, right: Value) => boolean

/** Returns how lists of a schema compare and join; undefined for lists that do both item by item. */
export function listBehaviour(schema: JsonSchema, element: TypeBehaviour | undefined): TypeBehaviour | undefined {
  const equals = element?.equals ?? equal
  switch (schema["x-kubernetes-list-type"]) {
    case "map":
      return mapListBehaviour(schema["x-kubernetes-list-map-keys"] ?? [], equals)
    case "set":
      return setListBehaviour(equals)
    default:
      return element?.equals && { equals: atomicListEquals(element.equals) }
  }
}

function atomicListEquals(equals: Equals): Equals {
  return (left, right) => {
    if (!Array.isArray(left) || !Array.isArray(right)) return equal(left, right)
    if (left.length !== right.length) return false
    countWork(left.length)
    return left.every((item, index) => equals(item, right[index]))
  }
}

/** Items are found by their keys: order does not matter, and a joined item replaces the one with its key. */
function mapListBehaviour(keys: readonly string[], equals: Equals): TypeBehaviour {
  const properties = keys.map((key) => escapeProperty(key) ?? key)
  const keyOf = (item: Value): string => {
    const key = JSON.stringify(properties.map((property) => (item as JsonObject | null)?.[property] ?? null))
    countReading(key.length)
    return key
  }
  return {
    equals(left, right) {
      if (!Array.isArray(left) || !Array.isArray(right)) return equal(left, right)
      if (left.length !== right.length) return false
      countWork(left.length + right.length)
      const byKey = new Map<string, Value>(left.map((item) => [keyOf(item), item]))
      return right.every((item) => {
        const other = byKey.get(keyOf(item))
        return other !== undefined && equals(other, item)
      })
    },
    concatenate(left, right) {
      countWork(left.length + right.length)
      const joined = [...left]
      const indexes = new Map(left.map((item, index) => [keyOf(item), index]))
      for (const item of right) joined[indexes.get(keyOf(item)) ?? joined.length] = item
      return joined
    },
  }
}

/** Items occur once: order does not matter, and joining adds only what is new. */
function setListBehaviour(equals: Equals): TypeBehaviour {
  // Long sets are almost always of texts: they are looked up.
  const has = (list: readonly Value[], known: ReadonlySet<Value>, item: Value): boolean => {
    if (typeof item === "string") countReading(item.length)
    if (known.has(item)) return true
    if (equals === equal && typeof item === "string") return false
    countWork(list.length)
    return list.some((one) => equals(one, item))
  }
  return {
    equals(left, right) {
      if (!Array.isArray(left) || !Array.isArray(right)) return equal(left, right)
      if (left.length !== right.length) return false
      countWork(left.length + right.length)
      const known = new Set(left)
      return right.every((item) => has(left, known, item))
    },
    concatenate(left, right) {
      countWork(left.length + right.length)
      const [joined, known] = [[...left], new Set(left)]
      for (const item of right) {
        if (has(joined, known, item)) continue
        joined.push(item)
        known.add(item)
      }
      return joined
    },
  }
}

/** What is known of a property: how its values are read and compared. */
interface PropertyType {
  readonly read?: Reader
  readonly behaviour?: TypeBehaviour
}

/** Returns how objects compare whose properties compare in ways of their own. A null counts as absent. */
export function objectBehaviour(typeOf: (property: string) => PropertyType | undefined): TypeBehaviour {
  return {
    equals(left, right) {
      if (!isObject(left) || !isObject(right)) return equal(left, right)
      const [leftKeys, rightKeys] = [presentIn(left), presentIn(right)]
      if (leftKeys.length !== rightKeys.length) return false
      countWork(leftKeys.length)
      return leftKeys.every((key) => Object.hasOwn(right, key) && equalProperty(typeOf(key), left[key], right[key]))
    },
  }
}

function equalProperty(type: PropertyType | undefined, left: Value | undefined, right: Value | undefined): boolean {
  if (left === undefined || right === undefined || right === null) return left === right
  const read = type?.read ?? ((value: Value) => value)
  return (type?.behaviour?.equals ?? equal)(read(left), read(right))
}

function isObject(value: Value): value is JsonObject {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

function presentIn(object: JsonObject): string[] {
  return Object.keys(object).filter((key) => object[key] !== null && object[key] !== undefined)
}
