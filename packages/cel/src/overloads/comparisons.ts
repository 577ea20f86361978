import { type CostRule, comparisonCost, unitCost } from "../cost/cost-rule.ts"
import { defineOverloads, type OverloadRow } from "../environment/overload.ts"
import { compare } from "../values/equality.ts"
import type { Value } from "../values/value.ts"

/** An operator of order, and a pair of operands for which it holds when the left one is less. */
const relations: readonly (readonly [name: string, word: string, holds: (order: number) => boolean, symbol: string, lessFirst: boolean])[] =
  [
    ["_<_", "less", (order) => order < 0, "<", true],
    ["_<=_", "less_equals", (order) => order <= 0, "<=", true],
    ["_>_", "greater", (order) => order > 0, ">", false],
    ["_>=_", "greater_equals", (order) => order >= 0, ">=", false],
  ]

/** The pairs of types that have an order, with two ascending examples. Texts cost by their length. */
const ordered: readonly (readonly [id: string, types: string, less: string, greater: string, cost?: CostRule])[] = [
  ["bool", "(bool, bool)", "false", "true"],
  ["int64", "(int, int)", "1", "2"],
  ["int64_double", "(int, double)", "1", "2.5"],
  ["int64_uint64", "(int, uint)", "1", "2u"],
  ["uint64", "(uint, uint)", "1u", "2u"],
  ["uint64_double", "(uint, double)", "1u", "2.5"],
  ["uint64_int64", "(uint, int)", "1u", "2"],
  ["double", "(double, double)", "1.5", "2.5"],
  ["double_int64", "(double, int)", "1.5", "2"],
  ["double_uint64", "(double, uint)", "1.5", "2u"],
  ["string", "(string, string)", "'a'", "'b'", comparisonCost],
  ["bytes", "(bytes, bytes)", "b'a'", "b'b'", comparisonCost],
  ["timestamp", "(timestamp, timestamp)", "timestamp(1)", "timestamp(2)"],
  ["duration", "(duration, duration)", "duration('1s')", "duration('2s')"],
]

/** Values of a pair's types in the order in which the operator holds; mixed pairs swap the types, not the values. */
function exampleOf(symbol: string, lessFirst: boolean, [, types, less, greater]: (typeof ordered)[number]): string {
  if (lessFirst) return `${less} ${symbol} ${greater}`
  const swapped: Readonly<Record<string, string>> = {
    "(int, double)": "3 > 2.5",
    "(int, uint)": "3 > 2u",
    "(uint, double)": "3u > 2.5",
    "(uint, int)": "3u > 2",
    "(double, int)": "2.5 > 2",
    "(double, uint)": "2.5 > 2u",
  }
  return (swapped[types] ?? `${greater} > ${less}`).replace(">", symbol)
}

/** Plain numbers are ordered by their difference; where that is not a number, they are compared as values. */
function evaluateOrder(holds: (order: number) => boolean): (left: Value, right: Value) => boolean {
  return (left, right) => {
    if (typeof left === "number" && typeof right === "number") {
      const difference = left - right
      if (!Number.isNaN(difference)) return holds(difference)
    }
    return holds(compare(left, right))
  }
}

const order: readonly OverloadRow[] = relations.flatMap(([name, word, holds, symbol, lessFirst]) =>
  ordered.map((pair) => ({
    id: `${word}_${pair[0]}`,
    name,
    function: `${pair[1]} -> bool`,
    evaluate: evaluateOrder(holds),
    cost: pair[4] ?? unitCost,
    example: exampleOf(symbol, lessFirst, pair),
  })),
)

/** The operators of order. */
export const comparisons = defineOverloads(order)
