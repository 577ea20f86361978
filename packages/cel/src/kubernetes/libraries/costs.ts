import {
  actualSize,
  type CostRule,
  type EstimatedArgument,
  equalityCost,
  sizeOf,
  traversal,
  traversalCost,
  traversalFactor,
} from "../../cost/cost-rule.ts"
import { add, exactly, type Interval, multiply, one, scale, unbounded, unknownInterval } from "../../cost/interval.ts"
import type { Library } from "../../environment/environment.ts"
import { kindOf } from "../../values/kinds.ts"
import { type AnyMap, mapGet, mapKeys } from "../../values/maps.ts"
import { encodeUtf8 } from "../../values/text.ts"
import type { Value } from "../../values/value.ts"

/**
 * What reading every part of a value costs: a tenth of a unit per byte of text, a unit per scalar. A list or map that is a part several times is read
 * once: macros make values with more parts than could ever be read.
 */
function traversalOf(value: Value, known = new Map<Value, number>()): number {
  if (typeof value === "string") return Math.floor(encodeUtf8(value).length * traversalFactor)
  if (value instanceof Uint8Array) return Math.floor(value.length * traversalFactor)
  if (!Array.isArray(value) && kindOf(value) !== "map") return 1
  let cost = known.get(value)
  if (cost === undefined) known.set(value, (cost = partsOf(value).reduce<number>((sum, part) => sum + traversalOf(part, known), 0)))
  return cost
}

function partsOf(value: Value): readonly Value[] {
  if (Array.isArray(value)) return value as readonly Value[]
  const map = value as AnyMap
  return mapKeys(map).flatMap((key) => [key, mapGet(map, key) as Value])
}

/** A call that reads every item of a list once, or a text. */
export const listTraversalCost: CostRule = {
  actual: ([list]) => traversalOf(list as Value),
  estimate([list]) {
    const [element] = list?.type.kind === "list" ? list.type.parameters : []
    if (!element) return { cost: scale(sizeOf(list), traversalFactor) }
    const isText = element.kind === "string" || element.kind === "bytes"
    const perItem = isText ? add(one, scale(list?.elementSize ?? unknownInterval, traversalFactor)) : one
    return { cost: multiply(sizeOf(list), perItem) }
  },
}

/** A call that reads its text and returns one of at most the same size. */
export const textTraversalCost: CostRule = traversalCost(0, 0, (size) => size)

/** What reading a text twice costs: once to split it, once to write the parts. */
const twiceCost = {
  actual: ([text]: readonly Value[]) => Math.ceil(actualSize(text as Value) * 2 * traversalFactor),
  estimate: ([text]: readonly EstimatedArgument[]) => scale(sizeOf(text), 2 * traversalFactor),
}

/** Parsing a text, and writing it again to compare. */
export const canonicalCost: CostRule = { actual: twiceCost.actual, estimate: (args) => ({ cost: twiceCost.estimate(args) }) }

/** A call that reads its text twice, and returns one of another size. */
function twice(resultSize: (sizes: readonly Interval[]) => Interval): CostRule {
  return {
    actual: twiceCost.actual,
    estimate: (args) => ({ cost: twiceCost.estimate(args), resultSize: resultSize(args.map(sizeOf)) }),
  }
}

/** Bounds of a text after replacement: how often the part can occur, times what replaces it. */
function replacedSize([text = unknownInterval, part = unknownInterval, by = unknownInterval]: readonly Interval[]): Interval {
  const highest =
    part.min === 0
      ? { count: Math.min(text.max + 1, unbounded), kept: text.max }
      : by.max <= part.min
        ? { count: 0, kept: text.max }
        : { count: Math.ceil(text.max / part.min), kept: 0 }
  const lowest =
    part.max === 0
      ? { count: Math.min(text.min + 1, unbounded), kept: text.min }
      : part.max <= by.min
        ? { count: 0, kept: text.min }
        : { count: Math.ceil(text.min / part.max), kept: 0 }
  return add(multiply({ min: lowest.count, max: highest.count }, by), { min: lowest.kept, max: highest.kept })
}

const splitCost: CostRule = {
  actual: twiceCost.actual,
  estimate(args) {
    const [text, , limit] = args
    const literal = limit?.expression.kind === "literal" ? Number(limit.expression.value) : undefined
    const max = literal === undefined ? sizeOf(text).max : literal < 0 ? unbounded : literal
    return { cost: twiceCost.estimate(args), resultSize: { min: 0, max } }
  },
}

const joinCost: CostRule = {
  actual: (_args, result) => Math.ceil(actualSize(result) * 2 * traversalFactor),
  estimate([list, separator]) {
    const count = sizeOf(list)
    const items = list?.type.kind === "list" ? multiply(count, list.elementSize ?? unknownInterval) : exactly(0)
    const between = { min: Math.max(0, count.min - 1), max: Math.max(0, count.max - 1) }
    const resultSize = separator ? add(items, multiply(sizeOf(separator), between)) : items
    return { cost: scale(resultSize, traversalFactor), resultSize }
  },
}

/** Returns the cost of a call that parses a text; its result has no size. */
export const parseCost: CostRule = traversalCost(0, 0)

/** Returns a cost for each byte of two addresses that are compared, and of a text that is parsed before. */
export function containmentCost(base: number, perByte: number, parses: boolean): CostRule {
  const address: Interval = { min: 4, max: 16 }
  return {
    ...(parses && { ambiguous: containmentCost(base, perByte, false) }),
    actual([block, other]) {
      const size = actualSize(block as Value)
      const own = traversal(size * 2) + (perByte > 2 ? traversal(size) : 0)
      return own + base + (parses ? traversal(actualSize(other as Value)) : 0)
    },
    estimate([, other]) {
      const own = add(
        scale(add(address, address), traversalFactor),
        perByte > 2 ? scale(address, traversalFactor) : exactly(0),
        exactly(base),
      )
      return { cost: parses ? add(own, scale(sizeOf(other), traversalFactor)) : own }
    },
  }
}

/** A format has at most this many bytes. */
const maxFormatSize = 64

/** Equality of URLs and formats is estimated by their texts, though it is charged as that of other opaque values. */
const kubernetesEqualityCost: CostRule = {
  actual: equalityCost.actual,
  estimate(args) {
    const [left, right] = args
    if (left?.type.name !== right?.type.name) return equalityCost.estimate(args)
    if (left?.type.name === "kubernetes.URL") return { cost: scale({ min: 1, max: right?.size?.max ?? 1 }, traversalFactor) }
    if (left?.type.name === "kubernetes.NamedFormat") return { cost: scale({ min: 1, max: maxFormatSize }, traversalFactor) }
    return equalityCost.estimate(args)
  },
}

/** What Kubernetes charges for functions that cel-go gives one unit. */
const costs: Readonly<Record<string, CostRule>> = {
  "_==_": kubernetesEqualityCost,
  indexOf: listTraversalCost,
  lastIndexOf: listTraversalCost,
  lowerAscii: textTraversalCost,
  upperAscii: textTraversalCost,
  substring: textTraversalCost,
  trim: textTraversalCost,
  replace: twice(replacedSize),
  split: splitCost,
  join: joinCost,
}

/** Returns a library with Kubernetes' costs. */
export function withKubernetesCosts(library: Library): Library {
  return { ...library, overloads: library.overloads.map((overload) => ({ ...overload, cost: costs[overload.name] ?? overload.cost })) }
}
