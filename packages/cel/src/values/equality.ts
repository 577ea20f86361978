import { sameType, Type } from "../types/types.ts"
import { Duration } from "./duration.ts"
import { isDouble, kindOf } from "./kinds.ts"
import { type AnyMap, mapGet, mapKeys, mapSize } from "./maps.ts"
import { Timestamp } from "./timestamp.ts"
import { doubleValue, fail, Opaque, Optional, Uint, type Value } from "./value.ts"
import { countReading, countWork } from "./work.ts"

/** Reports whether two values are equal. Numbers are compared by what they count, so `1 == 1u == 1.0`; values of different sorts are not equal. */
export function equal(left: Value, right: Value): boolean {
  if (typeof left === "string") return equalTexts(left, right)
  if (left === right) return true
  const kind = kindOf(left)
  if (kind === "int" || kind === "uint" || kind === "double") return isNumber(right) && compareNumbers(left, right) === 0
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false
  return equalObjects(left, right)
}

function equalTexts(left: string, right: Value): boolean {
  countReading(left.length)
  return left === right
}

function equalObjects(left: object, right: object): boolean {
  if (Array.isArray(left)) return Array.isArray(right) && equalLists(left, right)
  if (left instanceof Uint8Array) return right instanceof Uint8Array && compareBytes(left, right) === 0
  if (left instanceof Duration) return right instanceof Duration && left.nanoseconds === right.nanoseconds
  if (left instanceof Timestamp) return right instanceof Timestamp && left.compare(right) === 0
  return equalOthers(left, right)
}

function equalOthers(left: object, right: object): boolean {
  if (left instanceof Type) return right instanceof Type && equalTypes(left, right)
  if (left instanceof Optional) return right instanceof Optional && equalOptionals(left, right)
  if (left instanceof Opaque) return right instanceof Opaque && sameType(left.type, right.type) && left.equals(right)
  return kindOf(right as Value) === "map" && equalMaps(left as AnyMap, right as AnyMap)
}

function equalLists(left: readonly Value[], right: readonly Value[]): boolean {
  if (left.length !== right.length) return false
  countWork(left.length)
  for (let index = 0; index < left.length; index++) {
    if (!equal(left[index] as Value, right[index] as Value)) return false
  }
  return true
}

/** At run time a type has no parameters: the type of every list is `list`. */
function equalTypes(left: Type, right: Type): boolean {
  return left.name === right.name
}

function equalOptionals(left: Optional, right: Optional): boolean {
  if (left.value === undefined || right.value === undefined) return left.value === right.value
  return equal(left.value, right.value)
}

function equalMaps(left: AnyMap, right: AnyMap): boolean {
  if (mapSize(left) !== mapSize(right)) return false
  countWork(mapSize(left))
  return mapKeys(left).every((key) => {
    const other = mapGet(right, key)
    return other !== undefined && equal(mapGet(left, key) as Value, other)
  })
}

function isNumber(value: Value): boolean {
  return typeof value === "number" || typeof value === "bigint" || value instanceof Uint || isDouble(value)
}

/** Returns the order of two numbers of any types, or undefined if one is not a number. Beside a double, both are compared as doubles. */
function compareNumbers(left: Value, right: Value): number | undefined {
  const exact = !isDouble(left) && !isDouble(right)
  const [a, b] = exact ? [integer(left), integer(right)] : [Number(integer(left)), Number(integer(right))]
  if (a < b) return -1
  if (a > b) return 1
  return Number.isNaN(a) || Number.isNaN(b) ? undefined : 0
}

/** JavaScript orders numbers and bigints exactly, so ints and uints need no conversion. */
function integer(value: Value): number | bigint {
  if (value instanceof Uint) return value.value
  return typeof value === "bigint" ? value : doubleValue(value)
}

/** Returns the order of two values as -1, 0 or 1; fails where the language defines none. */
export function compare(left: Value, right: Value): number {
  return orderOf(left, right) ?? fail(isNumber(left) && isNumber(right) ? "NaN values cannot be ordered" : "no such overload")
}

/** Returns the order of two values as -1, 0 or 1; undefined where the language defines none. */
export function orderOf(left: Value, right: Value): number | undefined {
  if (typeof left === "string" && typeof right === "string") return compareStrings(left, right)
  if (isNumber(left) && isNumber(right)) return compareNumbers(left, right)
  if (typeof left === "boolean" && typeof right === "boolean") return Number(left) - Number(right)
  if (left instanceof Uint8Array && right instanceof Uint8Array) return compareBytes(left, right)
  if (left instanceof Timestamp && right instanceof Timestamp) return left.compare(right)
  if (left instanceof Duration && right instanceof Duration) return order(left.nanoseconds, right.nanoseconds)
  return undefined
}

/** Compares by code points, as UTF-8 does; UTF-16 differs where surrogates meet characters above them. */
export function compareStrings(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index++) {
    const [a, b] = [left.charCodeAt(index), right.charCodeAt(index)]
    if (a !== b) return isSurrogate(a) === isSurrogate(b) ? order(a, b) : isSurrogate(a) ? 1 : -1
  }
  return order(left.length, right.length)
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff
}

/** Compares byte by byte; a prefix is less. */
export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index++) {
    const difference = (left[index] as number) - (right[index] as number)
    if (difference !== 0) return Math.sign(difference)
  }
  return order(left.length, right.length)
}

function order<T extends number | bigint>(left: T, right: T): number {
  if (left < right) return -1
  return left > right ? 1 : 0
}
