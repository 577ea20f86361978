import { actualSize, type CostRule, type EstimatedArgument, sizeOf } from "../cost/cost-rule.ts"
import { add, exactly, type Interval, multiply, scale, unbounded } from "../cost/interval.ts"
import type { Library } from "../environment/environment.ts"
import { defineOverloads, type OverloadRow } from "../environment/overload.ts"
import type { Expression } from "../syntax/ast.ts"
import { type Macro, MacroError, NodeFactory, standardMacros } from "../syntax/macros.ts"
import type { TypeKind } from "../types/types.ts"
import { compare, equal } from "../values/equality.ts"
import { goTypeOf } from "../values/go-types.ts"
import { isInt, kindOf } from "../values/kinds.ts"
import { fail, failedValue, InternalError, type Value } from "../values/value.ts"
import { countWork, foreseeCost } from "../values/work.ts"

type List = readonly Value[]
type Int = number | bigint

function slice(list: List, start: Int, end: Int): List {
  const [from, to] = [Number(start), Number(end)]
  const call = `cannot slice(${start}, ${end})`
  if (from < 0 || to < 0) fail(`${call}, negative indexes not supported`)
  if (from > to) fail(`${call}, start index must be less than or equal to end index`)
  if (to > list.length) fail(`${call}, list is length ${list.length}`)
  return list.slice(from, to)
}

function flatten(list: List, depth: Int = 1): List {
  if (Number(depth) < 0) fail("level must be non-negative")
  const flat: Value[] = []
  flattenInto(flat, list, Math.min(Number(depth), 1_000))
  return flat
}

function flattenInto(flat: Value[], list: List, depth: number): void {
  countWork(list.length)
  for (const item of list) {
    if (depth > 0 && Array.isArray(item)) flattenInto(flat, item, depth - 1)
    else flat.push(item)
  }
}

function sortByKeys(list: List, keys: List): List {
  if (list.length !== keys.length) {
    fail(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${list.length} and ${keys.length} elements respectively`,
    )
  }
  const [first] = keys
  if (first === undefined) return list
  const kind = kindOf(first)
  if (!comparable.some(([, type]) => type === kind)) fail("list elements must be comparable")
  if (keys.some((key) => kindOf(key) !== kind)) fail("list elements must have the same type")
  countWork(Math.ceil(keys.length * Math.log2(keys.length + 1)))
  const indexes = Array.from(keys.keys()).toSorted((left, right) => compare(keys[left] as Value, keys[right] as Value))
  return indexes.map((index) => list[index] as Value)
}

function distinct(list: List): List {
  foreseeCost(list.length * list.length)
  const seen: Value[] = []
  for (const item of list) if (!seen.some((one) => equal(one, item))) seen.push(item)
  return seen
}

/** No evaluation needs a longer list than its cost limit allows; more would only fill the memory. */
const longestRange = 1_000_000

function range(count: Int): List {
  const length = Math.max(0, Number(count))
  if (length > longestRange) fail(`lists.range: expected at most ${longestRange} elements, found ${count}`)
  foreseeCost(length)
  return Array.from({ length }, (_unused, index) => index)
}

/** The types whose values have an order, with the name that overloads carry. */
const comparable: readonly (readonly [word: string, type: string, example: string])[] = [
  ["int", "int", "[2, 1].sort() == [1, 2]"],
  ["uint", "uint", "[2u, 1u].sort() == [1u, 2u]"],
  ["double", "double", "[2.5, 1.5].sort() == [1.5, 2.5]"],
  ["bool", "bool", "[true, false].sort() == [false, true]"],
  ["google.protobuf.Duration", "duration", "[duration('2s'), duration('1s')].sort()[0] == duration('1s')"],
  ["google.protobuf.Timestamp", "timestamp", "[timestamp(2), timestamp(1)].sort()[0] == timestamp(1)"],
  ["string", "string", "['b', 'a'].sort() == ['a', 'b']"],
  ["bytes", "bytes", "[b'b', b'a'].sort() == [b'a', b'b']"],
]

/** A call that makes a list: its base cost, and a factor for each unit of a size. */
function allocating(size: Interval, factor: number): { readonly cost: Interval; readonly resultSize: Interval } {
  return { cost: add(scale(size, factor), exactly(11)), resultSize: size }
}

function actualAllocating(size: number, factor: number): number {
  return Math.trunc(size * factor) + 11
}

/** Returns the number that an argument is written as, or what to take otherwise. */
function constant(argument: EstimatedArgument | undefined, otherwise: number): number {
  const node = argument?.expression
  if (node?.kind !== "literal" || kindOf(node.value) !== "int") return otherwise
  return Math.max(0, Number(node.value))
}

const sliceCost: CostRule = {
  actual: (_args, result) => actualAllocating(actualSize(result), 1),
  estimate([list, start, end]) {
    const length = constant(end, sizeOf(list).max) - constant(start, 0)
    // Upstream subtracts without a sign: a slice that ends before it starts counts as unbounded.
    return allocating(exactly(length < 0 ? unbounded : length), 1)
  },
}

const rangeCost: CostRule = {
  actual: (_args, result) => actualAllocating(actualSize(result), 1),
  estimate: ([count]) => allocating(exactly(constant(count, unbounded)), 1),
}

const reverseCost: CostRule = {
  actual: (_args, result) => actualAllocating(actualSize(result), 1),
  estimate: ([list]) => allocating(sizeOf(list), 1),
}

function depthOf(value: Value): number {
  if (isInt(value)) return Number(value)
  throw new InternalError(`interface conversion: ref.Val is ${goTypeOf(value)}, not types.Int`)
}

const flattenCost: CostRule = {
  actual: ([list, depth]) => actualAllocating(actualSize(list as Value), depth === undefined ? 1 : depthOf(depth)),
  estimate: ([list, depth]) => allocating(sizeOf(list), depth === undefined ? 1 : constant(depth, unbounded)),
}

/** Upstream's program takes what it charges for as a list, also an argument that failed. */
function listOf(value: Value): List {
  if (Array.isArray(value)) return value
  const missing = value !== failedValue && addable.has(kindOf(value)) ? "Contains" : "Add"
  throw new InternalError(`interface conversion: ${goTypeOf(value)} is not traits.Lister: missing method ${missing}`)
}

/** What has the first of the methods that Go looks for in a list. */
const addable: ReadonlySet<TypeKind> = new Set(["bytes", "double", "duration", "int", "string", "timestamp", "uint"])

/** Items are compared with each other; texts cost a little more. */
function selfComparisonCost(index: number, ofTexts: boolean): CostRule {
  return {
    actual(args) {
      const list = listOf(args[index] as Value)
      const factor = typeof list[0] === "string" || list[0] instanceof Uint8Array ? 2.1 : 2
      return actualAllocating(list.length * list.length, factor)
    },
    estimate: (args) => allocating(multiply(sizeOf(args[index]), sizeOf(args[index])), ofTexts ? 2.1 : 2),
  }
}

function sortRows([word, type, example]: (typeof comparable)[number]): OverloadRow[] {
  const isText = type === "string" || type === "bytes"
  const literal = example.slice(0, example.indexOf(".sort("))
  return [
    {
      id: `list_${word}_sort`,
      name: "sort",
      method: `(list(${type})) -> list(${type})`,
      evaluate: (list: List) => sortByKeys(list, list),
      cost: selfComparisonCost(0, isText),
      example,
    },
    {
      id: `list_${word}_sortByAssociatedKeys`,
      name: "@sortByAssociatedKeys",
      method: `(list(T), list(${type})) -> list(T)`,
      evaluate: sortByKeys,
      cost: selfComparisonCost(1, isText),
      example: `${literal}.sortBy(x, x) == ${literal}.sort()`,
    },
  ]
}

const rows: readonly OverloadRow[] = [
  {
    id: "list_slice",
    name: "slice",
    method: "(list(T), int, int) -> list(T)",
    evaluate: slice,
    cost: sliceCost,
    example: "[1, 2, 3].slice(1, 3) == [2, 3]",
    failure: ["[1].slice(0, 2)", "cannot slice(0, 2), list is length 1"],
  },
  {
    id: "list_flatten",
    name: "flatten",
    method: "(list(list(T))) -> list(T)",
    evaluate: (list: List) => flatten(list),
    cost: flattenCost,
    example: "[[1], [2, 3]].flatten() == [1, 2, 3]",
  },
  {
    id: "list_flatten_int",
    name: "flatten",
    method: "(list(dyn), int) -> list(dyn)",
    evaluate: flatten,
    cost: flattenCost,
    example: "[[1], [[2]]].flatten(2) == [1, 2]",
    failure: ["[[1]].flatten(-1)", "level must be non-negative"],
  },
  {
    id: "lists_range",
    name: "lists.range",
    function: "(int) -> list(int)",
    evaluate: range,
    cost: rangeCost,
    example: "lists.range(3) == [0, 1, 2]",
  },
  {
    id: "list_reverse",
    name: "reverse",
    method: "(list(T)) -> list(T)",
    evaluate: (list: List) => list.toReversed(),
    cost: reverseCost,
    example: "[1, 2].reverse() == [2, 1]",
  },
  {
    id: "list_distinct",
    name: "distinct",
    method: "(list(T)) -> list(T)",
    evaluate: distinct,
    cost: selfComparisonCost(0, false),
    example: "[1, 2, 1].distinct() == [1, 2]",
  },
  ...comparable.flatMap(sortRows),
]

const inputName = "@__sortBy_input__"

/** What can be a list: a literal of another type is refused before any type is known. */
const sortable: ReadonlySet<Expression["kind"]> = new Set(["call", "comprehension", "identifier", "list", "select"])
const notSortable = "sortBy can only be applied to a list, identifier, comprehension, call or select expression"

/** `list.sortBy(x, key(x))` binds the list to a name and sorts it by the list of its keys. */
const sortBy: Macro = {
  function: "sortBy",
  argumentCount: 2,
  receiver: true,
  expand({ position, target, args }) {
    const list = target as Expression
    if (!sortable.has(list.kind)) throw new MacroError(list.position, notSortable)
    const make = new NodeFactory(position)
    const input = make.identifier(inputName)
    const map = standardMacros.find(({ function: name, argumentCount }) => name === "map" && argumentCount === 2) as Macro
    const keys = map.expand({ position, target: make.identifier(inputName), args })
    return make.comprehension({
      range: make.list(),
      variable: "#unused",
      secondVariable: undefined,
      accumulator: inputName,
      initial: list,
      condition: make.literal(false),
      step: make.identifier(inputName),
      result: make.memberCall("@sortByAssociatedKeys", input, keys),
    })
  },
}

/** cel-go's lists library, version 3. */
export const listsLibrary: Library = { name: "lists", overloads: defineOverloads(rows), macros: [sortBy] }
