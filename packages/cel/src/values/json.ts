import { Duration } from "./duration.ts"
import { kindOf } from "./kinds.ts"
import { type AnyMap, keyName, mapGet, mapKeys } from "./maps.ts"
import { Timestamp } from "./timestamp.ts"
import { Double, integerAsJson, Opaque, Optional, Uint, type Value } from "./value.ts"

/** What a conversion into JSON leaves to the one who asks for it. */
export interface JsonConversion {
  /** What stands for an integer; by default a number, or its digits as a text beyond ±2^53. */
  readonly integer?: (value: bigint) => unknown
  /** What stands for a double that JSON cannot write; by default `NaN`, `Infinity` or `-Infinity` as a text. */
  readonly notFinite?: (value: number) => unknown
  /** Answers a value that JSON cannot hold; by default a TypeError. */
  readonly refuse?: (message: string) => never
}

/** Parts of a value in JSON. Macros make small values of which each part is used twice, and so double what is written with each link of a chain. */
export const maxJsonParts = 1_000_000

/** A conversion, and how many parts it has written. */
interface Conversion extends JsonConversion {
  parts: number
}

/**
 * Returns a value as the JSON that protocol buffers write for it: an int or a uint beyond ±2^53 is a text of its digits, bytes are base64, a duration
 * is `"1.5s"`, a timestamp is RFC 3339, an optional is what it holds or null. Keys of maps become texts.
 */
export function jsonOf(value: Value, conversion: JsonConversion = {}): unknown {
  return converted(value, { ...conversion, parts: 0 })
}

function converted(value: Value, conversion: Conversion): unknown {
  if (++conversion.parts > maxJsonParts) (conversion.refuse ?? refuse)(`expected a value of at most ${maxJsonParts} parts, found more`)
  if (typeof value === "bigint") return (conversion.integer ?? integerAsJson)(value)
  if (typeof value === "number") return Number.isFinite(value) ? value : (conversion.notFinite ?? String)(value)
  if (typeof value !== "object" || value === null) return value
  return Array.isArray(value) ? value.map((item) => converted(item as Value, conversion)) : convertedObject(value, conversion)
}

function convertedObject(value: Value & object, conversion: Conversion): unknown {
  if (value instanceof Uint) return (conversion.integer ?? integerAsJson)(value.value)
  if (value instanceof Uint8Array) return btoa(Array.from(value, (byte) => String.fromCharCode(byte)).join(""))
  if (value instanceof Double || value instanceof Timestamp || value instanceof Duration) return value.toJSON()
  if (value instanceof Optional) return value.value === undefined ? null : converted(value.value, conversion)
  const kind = kindOf(value)
  if (kind !== "map") return (conversion.refuse ?? refuse)(`expected a value that JSON can hold, found one of type ${nameOf(value, kind)}`)
  const map = value as AnyMap
  return Object.fromEntries(mapKeys(map).map((key) => [keyName(key), converted(mapGet(map, key) as Value, conversion)]))
}

function nameOf(value: Value, kind: string): string {
  return value instanceof Opaque ? value.type.name : kind
}

function refuse(message: string): never {
  throw new TypeError(message)
}
