import { errorType, type Type } from "../types/types.ts"
import type { Duration } from "./duration.ts"
import type { MapValue } from "./maps.ts"
import type { Timestamp } from "./timestamp.ts"

/**
 * A value of the language. JSON is used as it is: no copy is made of what a caller passes in.
 * - int: a number without a fraction, or a bigint beyond ±2^53
 * - double: a number with a fraction, NaN, an infinity, or a `Double` when it has no fraction
 * - map: a plain object with string keys, or a `MapValue`; an object type's value is a plain object too
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Double
  | Uint
  | Uint8Array
  | Duration
  | Timestamp
  | Optional
  | Opaque
  | MapValue
  | Type
  | readonly Value[]
  | JsonObject

/** A map or an object as JSON has it. */
export interface JsonObject {
  readonly [key: string]: Value
}

/** A double that would look like an int. Invariant: `value` has no fraction. */
export class Double {
  readonly value: number

  constructor(value: number) {
    if (typeof value !== "number") throw new TypeError(`expected the number of a Double, found ${String(value)}`)
    this.value = value
  }

  toJSON(): number {
    return this.value
  }
}

/** An unsigned integer. Invariant: 0 ≤ value < 2^64. */
export class Uint {
  readonly value: bigint

  constructor(value: bigint) {
    if (typeof value !== "bigint") throw new TypeError(`expected the bigint of a Uint, such as 5n, found ${String(value)}`)
    this.value = value
  }

  toJSON(): number | string {
    return integerAsJson(this.value)
  }
}

/** An integer that a number cannot hold is written as a text of its digits, as protocol buffers have it. */
export function integerAsJson(value: bigint): number | string {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString()
}

/** A value that may be absent. */
export class Optional {
  readonly value: Value | undefined

  constructor(value: Value | undefined) {
    this.value = value
  }

  static readonly none = new Optional(undefined)

  toJSON(): unknown {
    return this.value ?? null
  }
}

/** A value of an opaque type; only the functions of its library look into it. */
export abstract class Opaque {
  abstract readonly type: Type
  /** Reports whether another value of the same type is equal. */
  abstract equals(other: Opaque): boolean

  /** What two values must share to be one key of a map; undefined where only a value itself is the same key. */
  get keyText(): string | undefined {
    return undefined
  }

  /** What the cost of functions counts as its size. */
  get size(): number {
    return 1
  }
}

/**
 * What went wrong while an expression was evaluated. It is thrown inside and returned as a value outside.
 * It is no Error: operators absorb many of them, and collecting a stack would cost more than the evaluation.
 */
export class EvaluationError {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

class Failed extends Opaque {
  readonly type = errorType

  equals(): boolean {
    return false
  }
}

/** Stands for an argument or a result that failed where costs are computed; it has the size of a scalar. */
export const failedValue: Value = new Failed()

/** Where upstream's program itself fails at a value: no operator absorbs it. */
export class InternalError {
  readonly message: string

  constructor(fault: string) {
    this.message = `internal error: ${fault}`
  }
}

/** Returns the double of a number, in the one form that doubles without a fraction have. */
export function double(value: number): Value {
  return Number.isInteger(value) ? new Double(value) : value
}

/** The number of a value of type double. */
export function doubleValue(value: Value): number {
  return value instanceof Double ? value.value : (value as number)
}

/** Ends the evaluation with an error. */
export function fail(message: string): never {
  throw new EvaluationError(message)
}
