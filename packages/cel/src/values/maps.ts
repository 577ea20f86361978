import { Duration } from "./duration.ts"
import { isInt } from "./kinds.ts"
import { Timestamp } from "./timestamp.ts"
import { Double, fail, InternalError, type JsonObject, Opaque, Uint, type Value } from "./value.ts"
import { countReading } from "./work.ts"

/** What finds an entry: numbers that are equal find the same one, whatever their types are. */
type EntryKey = string | boolean | number | bigint | object | null

interface Entry {
  readonly key: Value
  readonly value: Value
}

/** A map that an expression made. Plain objects of the caller stay as they are. */
export class MapValue {
  private readonly entries = new Map<EntryKey, Entry>()
  /** Entries whose keys are equal where their texts are: moments, durations and addresses. */
  private readonly byText = new Map<string, Entry>()

  get(key: Value): Value | undefined {
    const text = keyText(key)
    return (text === undefined ? this.entries.get(entryKeyOf(key)) : this.byText.get(text))?.value
  }

  /** Sets what is at a key. */
  set(key: Value, value: Value): void {
    const text = keyText(key)
    if (text === undefined) this.entries.set(entryKeyOf(key), { key, value })
    else this.byText.set(text, { key, value })
  }

  delete(key: Value): void {
    const text = keyText(key)
    if (text === undefined) this.entries.delete(entryKeyOf(key))
    else this.byText.delete(text)
  }

  /** Sets what is at a key; returns false if something was there. */
  add(key: Value, value: Value): boolean {
    const { size } = this
    this.set(key, value)
    return this.size > size
  }

  /** Returns a map with the same entries, to which others can be added. */
  copy(): MapValue {
    const copy = new MapValue()
    for (const key of this.keys()) copy.set(key, this.get(key) as Value)
    return copy
  }

  get size(): number {
    return this.entries.size + this.byText.size
  }

  /** The keys in the order of insertion; those that are found by their text are behind the others. */
  keys(): Value[] {
    return Array.from([...this.entries.values(), ...this.byText.values()], ({ key }) => key)
  }

  /** The entries as properties; keys become texts. */
  toJSON(): unknown {
    return Object.fromEntries(this.keys().map((key) => [keyName(key), this.get(key)]))
  }
}

/** Either form of a map. */
export type AnyMap = MapValue | JsonObject

/** Lists, maps and what has no order are keys by their identity. */
function entryKeyOf(key: Value): EntryKey {
  if (typeof key !== "object") return key
  if (key instanceof Uint) return key.value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(key.value) : key.value
  if (!(key instanceof Double)) return key
  return Number.isSafeInteger(key.value) ? key.value + 0 : BigInt(key.value)
}

function keyText(key: Value): string | undefined {
  if (typeof key !== "object" || key === null) return undefined
  if (key instanceof Uint8Array) throw new InternalError("runtime error: hash of unhashable type types.Bytes")
  if (key instanceof Duration) return `duration ${key.nanoseconds}`
  if (key instanceof Timestamp) return `timestamp ${key}`
  return key instanceof Opaque ? key.keyText : undefined
}

/** Returns the text that stands for a key where keys are texts, as in JSON. */
export function keyName(key: Value): string {
  return String(key instanceof Uint || key instanceof Double ? key.value : key)
}

/** Reports whether the specification of the language lets a value be the key of a map. */
export function isStandardKey(key: Value): boolean {
  return typeof key === "string" || typeof key === "boolean" || isInt(key) || key instanceof Uint
}

/** Returns the value at a key, or undefined. */
export function mapGet(map: AnyMap, key: Value): Value | undefined {
  if (map instanceof MapValue) return map.get(key)
  if (typeof key === "string" && Object.hasOwn(map, key)) return map[key]
  requireProperties(map)
  return undefined
}

/** What is inside of dyn is checked where nothing is found in it: a Date or a Map has no properties, and would pass for an empty map. */
function requireProperties(map: JsonObject): void {
  const prototype = Object.getPrototypeOf(map) as unknown
  if (prototype === Object.prototype || prototype === null) return
  const name = Object.prototype.toString.call(map).slice("[object ".length, -1)
  if (name !== "Object") fail(`expected a value of CEL inside of dyn, found a ${name}${formOf(map)}`)
}

function formOf(value: unknown): string {
  if (value instanceof Date) return ": parseTimestamp(date.toISOString()) is its form inside of dyn"
  return value instanceof Map ? ": a MapValue is its form inside of dyn" : ""
}

/** How many characters are read in the time that listing one key takes. */
const charactersOfKey = 50

/** Returns the keys of a map in its own order. */
export function mapKeys(map: AnyMap): readonly Value[] {
  if (map instanceof MapValue) return map.keys()
  const keys = Object.keys(map)
  if (keys.length === 0) requireProperties(map)
  countReading(keys.length * charactersOfKey)
  return keys.some((key) => map[key] === undefined) ? keys.filter((key) => map[key] !== undefined) : keys
}

/** Returns how many entries a map has. */
export function mapSize(map: AnyMap): number {
  return map instanceof MapValue ? map.size : mapKeys(map).length
}
