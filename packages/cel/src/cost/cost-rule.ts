import type { Expression } from "../syntax/ast.ts"
import { isOptional, type Type } from "../types/types.ts"
import { kindOf } from "../values/kinds.ts"
import { mapSize } from "../values/maps.ts"
import { codePointLength } from "../values/text.ts"
import { failedValue, Opaque, Optional, type Value } from "../values/value.ts"
import { add, exactly, type Interval, multiply, one, scale, unknownInterval, zero } from "./interval.ts"

/** An argument as the estimation sees it. */
export interface EstimatedArgument {
  readonly expression: Expression
  readonly type: Type
  /** Its size: characters, bytes, items or entries; undefined if nothing is known. */
  readonly size: Interval | undefined
  /** The size of each element of a list, if the environment's hints bound it. */
  readonly elementSize: Interval | undefined
}

/** What one call is estimated to cost, and how large its result is. */
export interface CallEstimate {
  readonly cost: Interval
  readonly resultSize?: Interval
}

/** What an overload costs. The receiver is the first argument. */
export interface CostRule {
  /** The cost of a call that was made. */
  actual(args: readonly Value[], result: Value): number
  /** What is charged where it is not known before the call which of several overloads it is; one unit by default. */
  readonly ambiguous?: CostRule
  /** The bounds of the cost before any value is known; the arguments' own costs are not part of it. */
  estimate(args: readonly EstimatedArgument[]): CallEstimate
}

/** Reading a text costs a tenth of a unit per character. */
export const traversalFactor = 0.1

/** Matching costs a quarter of a unit per character of the pattern. */
export const patternFactor = 0.25

/** Returns the size of a value at run time: characters, bytes, items, entries; 1 for scalars. */
export function actualSize(value: Value): number {
  if (typeof value === "string") return codePointLength(value)
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length
  if (value instanceof Optional) return value.value === undefined ? 1 : actualSize(value.value)
  if (value instanceof Opaque) return value.size
  return kindOf(value) === "map" ? mapSize(value as never) : 1
}

/** Returns the size of an argument, or the interval that says nothing. */
export function sizeOf(argument: EstimatedArgument | undefined): Interval {
  return argument?.size ?? unknownInterval
}

/** Rounds the cost of reading a size up. */
export function traversal(size: number): number {
  return Math.ceil(size * traversalFactor)
}

/** A call that costs one unit, whatever its arguments are. */
export const unitCost: CostRule = {
  actual: () => 1,
  estimate: () => ({ cost: one }),
}

/** A call that is free, because what it evaluates is charged already. */
export const freeCost: CostRule = {
  actual: () => 0,
  estimate: () => ({ cost: zero }),
}

/** A call that reads one argument: another one may be the one that the estimate goes by. */
export function traversalCost(actualIndex: number, estimatedIndex: number, resultSize?: (size: Interval) => Interval): CostRule {
  return {
    actual: (args) => traversal(actualSize(args[actualIndex] as Value)),
    estimate(args) {
      const size = sizeOf(args[estimatedIndex])
      const cost = scale(size, traversalFactor)
      return resultSize ? { cost, resultSize: resultSize(size) } : { cost }
    },
  }
}

/** Comparison reads both arguments up to the end of the shorter one. */
export const comparisonCost: CostRule = {
  actual: (args) => traversal(Math.min(actualSize(args[0] as Value), actualSize(args[1] as Value))),
  estimate(args) {
    const max = Math.min(sizeOf(args[0]).max, sizeOf(args[1]).max)
    return { cost: scale({ min: max > 0 ? 1 : 0, max }, traversalFactor) }
  },
}

/** Equality is comparison, except that values of opaque types are compared at once. */
export const equalityCost: CostRule = {
  actual: (args) => (args[0] instanceof Opaque && args[0] !== failedValue ? 1 : comparisonCost.actual(args, true)),
  estimate(args) {
    const [left, right] = args.map(({ type }) => type) as [Type, Type]
    const atOnce = left.kind === "opaque" && !isOptional(left) && right.name === left.name
    return atOnce ? { cost: one } : comparisonCost.estimate(args)
  },
}

/** Concatenation of texts reads both. */
export const concatenationCost: CostRule = {
  actual: (args) => traversal(actualSize(args[0] as Value) + actualSize(args[1] as Value)),
  estimate(args) {
    const resultSize = add(sizeOf(args[0]), sizeOf(args[1]))
    return { cost: scale(resultSize, traversalFactor), resultSize }
  },
}

/** Concatenation of lists only links them. */
export const listConcatenationCost: CostRule = {
  actual: () => 1,
  estimate: (args) => ({ cost: one, resultSize: add(sizeOf(args[0]), sizeOf(args[1])) }),
}

/** Matching reads the text once for each part of the pattern. */
export const matchCost: CostRule = {
  actual: (args) => traversal(1 + actualSize(args[0] as Value)) * Math.ceil(actualSize(args[1] as Value) * patternFactor),
  estimate(args) {
    const text = scale(add(sizeOf(args[0]), exactly(1)), traversalFactor)
    return { cost: multiply(text, scale(sizeOf(args[1]), patternFactor)) }
  },
}

/** Searching a text in a text reads one for each part of the other. */
export const searchCost: CostRule = {
  actual: (args) => traversal(actualSize(args[0] as Value)) * traversal(actualSize(args[1] as Value)),
  estimate: (args) => ({ cost: multiply(scale(sizeOf(args[0]), traversalFactor), scale(sizeOf(args[1]), traversalFactor)) }),
}

/** Looking for an item compares each one. */
export function itemsCost(index: number): CostRule {
  return {
    actual: (args) => actualSize(args[index] as Value),
    estimate: (args) => ({ cost: sizeOf(args[index]) }),
  }
}
