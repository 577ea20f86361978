import type { Library } from "../../environment/environment.ts"
import { defineOverloads, type OverloadRow } from "../../environment/overload.ts"
import type { TypeKind } from "../../types/types.ts"
import { Duration } from "../../values/duration.ts"
import { equal, orderOf } from "../../values/equality.ts"
import { addInts, checkUint } from "../../values/integers.ts"
import { kindOf } from "../../values/kinds.ts"
import { double, doubleValue, fail, Uint, type Value } from "../../values/value.ts"
import { countWork } from "../../values/work.ts"
import { listTraversalCost } from "./costs.ts"

type List = readonly Value[]

/** Short texts cost nothing, and reading a list of them takes time all the same. */
function reading<Rest extends readonly Value[]>(evaluate: (list: List, ...rest: Rest) => Value): (list: List, ...rest: Rest) => Value {
  return (list, ...rest) => {
    countWork(list.length)
    return evaluate(list, ...rest)
  }
}

const orderedKinds: ReadonlySet<TypeKind> = new Set(["bool", "bytes", "double", "duration", "int", "string", "timestamp", "uint"])

/** Items that have an order are compared with what was there before; two of them that have none between them, as 1 and "a", count as equal. */
function orderOfItems(before: Value | undefined, item: Value): number {
  if (!orderedKinds.has(kindOf(item))) return fail("no such overload")
  return before === undefined ? 0 : (orderOf(before, item) ?? 0)
}

function isSorted(list: List): boolean {
  return list.every((item, index) => orderOfItems(list[index - 1], item) <= 0)
}

function best(name: string, list: List, replaced: -1 | 1): Value {
  let found: Value | undefined
  for (const item of list) if (orderOfItems(found, item) === replaced || found === undefined) found = item
  return found ?? fail(`${name} called on empty list`)
}

/** How the values of a type are added up, from nothing on. */
const sums: Readonly<Record<string, (list: never) => Value>> = {
  int: (list: readonly (number | bigint)[]) => list.reduce<number | bigint>(addInts, 0),
  uint: (list: readonly Uint[]) => new Uint(list.reduce((sum, { value }) => checkUint(sum + value), 0n)),
  double: (list: List) => double(list.reduce<number>((sum, value) => sum + doubleValue(value), 0)),
  duration: (list: readonly Duration[]) =>
    list.reduce((sum, { nanoseconds }) => Duration.of(sum.nanoseconds + nanoseconds), new Duration(0n)),
}

/** The types with an order, and two ascending values of each. */
const comparable: readonly (readonly [type: string, less: string, greater: string])[] = [
  ["int", "1", "2"],
  ["uint", "1u", "2u"],
  ["double", "1.5", "2.5"],
  ["bool", "false", "true"],
  ["duration", "duration('1s')", "duration('2s')"],
  ["timestamp", "timestamp(1)", "timestamp(2)"],
  ["string", "'a'", "'b'"],
  ["bytes", "b'a'", "b'b'"],
]

const sumExamples: Readonly<Record<string, string>> = {
  int: "[1, 2].sum() == 3",
  uint: "[1u, 2u].sum() == 3u",
  double: "[1.5, 2.5].sum() == 4.0",
  duration: "[duration('1s'), duration('2s')].sum() == duration('3s')",
}

const cost = listTraversalCost

const ordered: readonly OverloadRow[] = comparable.flatMap(([type, less, greater]) => [
  {
    id: `list_${type}_is_sorted_bool`,
    name: "isSorted",
    method: `(list(${type})) -> bool`,
    evaluate: reading(isSorted),
    cost,
    example: `[${less}, ${greater}].isSorted()`,
  },
  {
    id: `list_${type}_max_${type}`,
    name: "max",
    method: `(list(${type})) -> ${type}`,
    evaluate: reading((list) => best("max", list, -1)),
    cost,
    example: `[${less}, ${greater}].max() == ${greater}`,
  },
  {
    id: `list_${type}_min_${type}`,
    name: "min",
    method: `(list(${type})) -> ${type}`,
    evaluate: reading((list) => best("min", list, 1)),
    cost,
    example: `[${greater}, ${less}].min() == ${less}`,
    failure: [`[${less}].filter(x, false).min()`, "min called on empty list"],
  },
])

const summed: readonly OverloadRow[] = Object.entries(sums).map(([type, sum]) => ({
  id: `list_${type}_sum_${type}`,
  name: "sum",
  method: `(list(${type})) -> ${type}`,
  evaluate: reading((list) => (list.every((item) => kindOf(item) === type) ? sum(list as never) : fail("no such overload"))),
  cost,
  example: sumExamples[type] as string,
}))

const found: readonly OverloadRow[] = [
  {
    id: "list_a_index_of_int",
    name: "indexOf",
    method: "(list(A), A) -> int",
    evaluate: reading((list, item: Value) => list.findIndex((one) => equal(one, item))),
    cost,
    example: "[1, 2, 1].indexOf(1) == 0",
  },
  {
    id: "list_a_last_index_of_int",
    name: "lastIndexOf",
    method: "(list(A), A) -> int",
    evaluate: reading((list, item: Value) => list.findLastIndex((one) => equal(one, item))),
    cost,
    example: "[1, 2, 1].lastIndexOf(1) == 2",
  },
]

/** Kubernetes' functions of lists. */
export const kubernetesLists: Library = { name: "kubernetes.lists", overloads: defineOverloads([...ordered, ...summed, ...found]) }
