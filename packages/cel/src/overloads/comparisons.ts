import { type CostRule, comparisonCost, unitCost } from "../cost/cost-rule.ts"
import { defineOverloads, type OverloadRow } from "../environment/overload.ts"
import { compare } from "../values/equality.ts"
import type { Value } from "../values/value.ts"

/** An operator of order, and whether its left operand is the less or the greater one where it holds. */
const relations: readonly (readonly [
  name: string,
  word: string,
  symbol: string,
  left: "less" | "greater",
  holds: (order: number) => boolean,
])[] = [
  ["_<_", "less", "<", "less", (order) => order < 0],
  ["_<=_", "less_equals", "<=", "less", (order) => order <= 0],
  ["_>_", "greater", ">", "greater", (order) => order > 0],
  ["_>=_", "greater_equals", ">=", "greater", (order) => order >= 0],
]

/** A pair of types that has an order, with operands of these types in ascending and in descending order. */
interface OrderedTypes {
  readonly id: string
  readonly types: string
  readonly less: readonly [left: string, right: string]
  readonly greater: readonly [left: string, right: string]
  readonly cost: CostRule
}

function ofOneType(id: string, type: string, less: string, greater: string, cost = unitCost): OrderedTypes {
  return { id, types: `(${type}, ${type})`, less: [less, greater], greater: [greater, less], cost }
}

function ofTwoTypes(id: string, types: string, less: OrderedTypes["less"], greater: OrderedTypes["greater"]): OrderedTypes {
  return { id, types, less, greater, cost: unitCost }
}

/** The pairs of types that have an order. Texts cost by their length. */
const ordered: readonly OrderedTypes[] = [
  ofOneType("bool", "bool", "false", "true"),
  ofOneType("int64", "int", "1", "2"),
  ofTwoTypes("int64_double", "(int, double)", ["1", "2.5"], ["3", "2.5"]),
  ofTwoTypes("int64_uint64", "(int, uint)", ["1", "2u"], ["3", "2u"]),
  ofOneType("uint64", "uint", "1u", "2u"),
  ofTwoTypes("uint64_double", "(uint, double)", ["1u", "2.5"], ["3u", "2.5"]),
  ofTwoTypes("uint64_int64", "(uint, int)", ["1u", "2"], ["3u", "2"]),
  ofOneType("double", "double", "1.5", "2.5"),
  ofTwoTypes("double_int64", "(double, int)", ["1.5", "2"], ["2.5", "2"]),
  ofTwoTypes("double_uint64", "(double, uint)", ["1.5", "2u"], ["2.5", "2u"]),
  ofOneType("string", "string", "'a'", "'b'", comparisonCost),
  ofOneType("bytes", "bytes", "b'a'", "b'b'", comparisonCost),
  ofOneType("timestamp", "timestamp", "timestamp(1)", "timestamp(2)"),
  ofOneType("duration", "duration", "duration('1s')", "duration('2s')"),
]

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

const order: readonly OverloadRow[] = relations.flatMap(([name, word, symbol, left, holds]) =>
  ordered.map((pair) => ({
    id: `${word}_${pair.id}`,
    name,
    function: `${pair.types} -> bool`,
    evaluate: evaluateOrder(holds),
    cost: pair.cost,
    example: pair[left].join(` ${symbol} `),
  })),
)

/** The operators of order. */
export const comparisons = defineOverloads(order)
