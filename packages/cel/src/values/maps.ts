import { isDouble, isInt } from "./kinds.ts"
import { doubleValue, type JsonObject, Uint, type Value } from "./value.ts"

/** What finds an entry: numbers that are equal find the same one, whatever their types are. */
type EntryKey = string | boolean | number | bigint

/** A map that an expression made. Plain objects of the caller stay as they are. */
export class MapValue {
  private readonly entries = new Map<EntryKey, { readonly key: Value; readonly value: Value }>()

  get(key: Value): Value | undefined {
    const entryKey = entryKeyOf(key)
    return entryKey === undefined ? undefined : this.entries.get(entryKey)?.value
  }

  /** Adds an entry; returns false if the key exists or cannot be a key. */
  add(key: Value, value: Value): boolean {
    const entryKey = entryKeyOf(key)
    if (entryKey === undefined || this.entries.has(entryKey)) return false
    this.entries.set(entryKey, { key, value })
    return true
  }

  /** Returns a map with the same entries, to which others can be added. */
  copy(): MapValue {
    const copy = new MapValue()
    for (const [entryKey, entry] of this.entries) copy.entries.set(entryKey, entry)
    return copy
  }

  get size(): number {
    return this.entries.size
  }

  /** The keys in the order of insertion. */
  keys(): Value[] {
    return Array.from(this.entries.values(), ({ key }) => key)
  }
}

/** Either form of a map. */
export type AnyMap = MapValue | JsonObject

function entryKeyOf(key: Value): EntryKey | undefined {
  if (typeof key === "string" || typeof key === "boolean") return key
  if (isInt(key)) return key
  if (key instanceof Uint) return key.value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(key.value) : key.value
  if (!isDouble(key)) return undefined
  const number = doubleValue(key)
  if (!Number.isInteger(number)) return undefined
  return Number.isSafeInteger(number) ? number + 0 : BigInt(number)
}

/** Reports whether a value can be the key of a map literal. */
export function isMapKey(key: Value): boolean {
  return typeof key === "string" || typeof key === "boolean" || isInt(key) || key instanceof Uint
}

/** Returns the value at a key, or undefined. */
export function mapGet(map: AnyMap, key: Value): Value | undefined {
  if (map instanceof MapValue) return map.get(key)
  if (typeof key !== "string" || !Object.hasOwn(map, key)) return undefined
  return map[key]
}

/** Returns the keys of a map in its own order. */
export function mapKeys(map: AnyMap): readonly Value[] {
  if (map instanceof MapValue) return map.keys()
  const keys = Object.keys(map)
  return keys.some((key) => map[key] === undefined) ? keys.filter((key) => map[key] !== undefined) : keys
}

/** Returns how many entries a map has. */
export function mapSize(map: AnyMap): number {
  return map instanceof MapValue ? map.size : mapKeys(map).length
}
