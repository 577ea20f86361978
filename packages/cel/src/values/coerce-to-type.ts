import { isOptional, type Type } from "../types/types.ts"
import { int, maxInt, maxUint, minInt } from "./integers.ts"
import { kindOf } from "./kinds.ts"
import { MapValue } from "./maps.ts"
import { Timestamp } from "./timestamp.ts"
import { double, EvaluationError, type JsonObject, Opaque, Optional, Uint, type Value } from "./value.ts"

/** Returns what the caller's value is as one of a type: mostly the value itself. Undefined if it does not fit. */
export type Coercion = (value: unknown) => Value | undefined

/**
 * Returns how values of the caller are checked against a declared type, and brought into the form that the overloads of the type compute with:
 * `5` becomes a `Uint` where a uint is declared. Lists and maps are checked to their items; the fields of objects when they are selected, and what
 * is inside of dyn by the overloads that get it.
 */
export function coercionOf(type: Type): Coercion {
  const [first, second] = type.parameters.map(coercionOf)
  if (type.kind === "list") return coerceList(first ?? coerceAny)
  if (type.kind === "map") return coerceMap(first ?? coerceAny, second ?? coerceAny)
  if (type.kind !== "opaque") return coercions[type.kind] ?? coerceAny
  if (isOptional(type)) return coerceOptional(first ?? coerceAny)
  return (value) => (value instanceof Opaque && value.type.name === type.name ? value : undefined)
}

const coercions: Readonly<Partial<Record<Type["kind"], Coercion>>> = {
  bool: (value) => (typeof value === "boolean" ? value : undefined),
  bytes: ofKind("bytes"),
  double: coerceDouble,
  duration: ofKind("duration"),
  int: coerceInt,
  null: (value) => (value === null ? null : undefined),
  object: (value) => (value === null || isRecord(value) ? (value as Value) : undefined),
  string: (value) => (typeof value === "string" ? value : undefined),
  timestamp: coerceTimestamp,
  type: ofKind("type"),
  uint: coerceUint,
}

function ofKind(kind: Type["kind"]): Coercion {
  return (value) => (typeof value === "object" && kindOf(value as Value) === kind ? (value as Value) : undefined)
}

/** An int beyond ±2^53 must be a bigint: the digits of a number may not be those that were meant. */
function coerceInt(value: unknown): Value | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? value : undefined
  return typeof value === "bigint" && value >= minInt && value <= maxInt ? int(value) : undefined
}

function coerceUint(value: unknown): Value | undefined {
  if (value instanceof Uint) return value.value >= 0n && value.value <= maxUint ? value : undefined
  const whole = typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : value
  return typeof whole === "bigint" && whole >= 0n && whole <= maxUint ? new Uint(whole) : undefined
}

function coerceDouble(value: unknown): Value | undefined {
  if (typeof value === "number") return double(value)
  return typeof value === "object" && kindOf(value as Value) === "double" ? (value as Value) : undefined
}

function coerceTimestamp(value: unknown): Value | undefined {
  if (value instanceof Timestamp) return value
  if (!(value instanceof Date)) return undefined
  const milliseconds = value.getTime()
  const seconds = Math.floor(milliseconds / 1000)
  try {
    return Timestamp.of(seconds, (milliseconds - seconds * 1000) * 1_000_000)
  } catch (thrown) {
    if (thrown instanceof EvaluationError) return undefined
    throw thrown
  }
}

function coerceOptional(coerce: Coercion): Coercion {
  return (value) => {
    if (!(value instanceof Optional)) return undefined
    if (value.value === undefined) return value
    const inner = coerce(value.value)
    if (inner === undefined) return undefined
    return Object.is(inner, value.value) ? value : new Optional(inner)
  }
}

/** The list itself serves if no item changes. */
function coerceList(coerce: Coercion): Coercion {
  return (value) => {
    if (!Array.isArray(value)) return undefined
    let changed: Value[] | undefined
    for (let index = 0; index < value.length; index++) {
      const item = coerce(value[index])
      if (item === undefined) return undefined
      if (!changed && !Object.is(item, value[index])) changed = value.slice(0, index)
      changed?.push(item)
    }
    return changed ?? value
  }
}

function coerceMap(coerceKey: Coercion, coerceValue: Coercion): Coercion {
  return (value) => {
    if (value instanceof MapValue || value instanceof Map) return coerceEntries(value, coerceKey, coerceValue)
    return isRecord(value) ? coerceProperties(value, coerceKey, coerceValue) : undefined
  }
}

/** The keys of an object are texts; a property that is undefined is none. The object itself serves if no value changes. */
function coerceProperties(object: JsonObject, coerceKey: Coercion, coerceValue: Coercion): Value | undefined {
  let changed: [string, Value][] | undefined
  for (const key of Object.keys(object)) {
    const value = object[key]
    if (value === undefined) continue
    const coerced = coerceKey(key) === undefined ? undefined : coerceValue(value)
    if (coerced === undefined) return undefined
    if (!Object.is(coerced, value)) (changed ??= []).push([key, coerced])
  }
  return changed ? { ...object, ...Object.fromEntries(changed) } : object
}

function coerceEntries(map: MapValue | ReadonlyMap<unknown, unknown>, coerceKey: Coercion, coerceValue: Coercion): Value | undefined {
  const coerced = new MapValue()
  let changed = !(map instanceof MapValue)
  for (const key of map.keys()) {
    const value = map.get(key as Value)
    const [wantedKey, wantedValue] = [coerceKey(key), coerceValue(value)]
    if (wantedKey === undefined || wantedValue === undefined) return undefined
    changed ||= !Object.is(wantedKey, key) || !Object.is(wantedValue, value)
    coerced.set(wantedKey, wantedValue)
  }
  return changed ? coerced : (map as MapValue)
}

const coerceAnyMap = coerceMap(coerceAny, coerceAny)

function coerceAny(value: unknown): Value | undefined {
  if (typeof value === "bigint") return coerceInt(value)
  if (typeof value === "function" || typeof value === "symbol") return undefined
  if (typeof value !== "object" || value === null) return value as Value | undefined
  if (value instanceof Date) return coerceTimestamp(value)
  if (value instanceof Map) return coerceAnyMap(value)
  return kindOf(value as Value) !== "map" || value instanceof MapValue || isRecord(value) ? (value as Value) : undefined
}

/** Reports whether a value is an object whose properties are what it holds: no Date, Set or Promise. */
export function isRecord(value: unknown): value is JsonObject {
  if (typeof value !== "object" || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return true
  return Object.prototype.toString.call(value) === "[object Object]" && kindOf(value as Value) === "map" && !(value instanceof MapValue)
}
