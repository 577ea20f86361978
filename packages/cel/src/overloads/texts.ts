import { actualSize, type CostRule, matchCost, searchCost, traversalCost, unitCost } from "../cost/cost-rule.ts"
import { defineOverloads, type Overload, type OverloadRow } from "../environment/overload.ts"
import { findText } from "../values/search-text.ts"
import type { Value } from "../values/value.ts"
import { countMatching, countReading, countWork } from "../values/work.ts"

/** Compiles a pattern; fails with an EvaluationError for one that is no regular expression. `size` is the work of compiling it. */
export type RegexCompiler = (pattern: string) => { test(text: string): boolean; readonly size?: number }

function size(value: Value): number {
  if (typeof value === "string") countReading(value.length)
  return actualSize(value)
}

const sized: readonly (readonly [word: string, type: string, literal: string])[] = [
  ["bytes", "bytes", "b'abc'"],
  ["list", "list(A)", "[1, 2, 3]"],
  ["map", "map(A, B)", "{1: 1, 2: 2, 3: 3}"],
  ["string", "string", "'añ😀'"],
]

const sizes: readonly OverloadRow[] = sized.flatMap(([word, type, literal]) => [
  {
    id: `size_${word}`,
    name: "size",
    function: `(${type}) -> int`,
    evaluate: size,
    cost: unitCost,
    example: `size(${literal}) == 3`,
  },
  {
    id: `${word}_size`,
    name: "size",
    method: `(${type}) -> int`,
    evaluate: size,
    cost: unitCost,
    example: `${literal}.size() == 3`,
  },
])

const texts: readonly OverloadRow[] = [
  {
    id: "contains_string",
    name: "contains",
    method: "(string, string) -> bool",
    evaluate: (text: string, part: string) => findText(text, part) >= 0,
    cost: searchCost,
    example: "'abc'.contains('b')",
  },
  {
    id: "ends_with_string",
    name: "endsWith",
    method: "(string, string) -> bool",
    evaluate: (text: string, end: string) => text.endsWith(end),
    cost: traversalCost(0, 1),
    example: "'abc'.endsWith('bc')",
  },
  {
    id: "starts_with_string",
    name: "startsWith",
    method: "(string, string) -> bool",
    evaluate: (text: string, start: string) => text.startsWith(start),
    cost: traversalCost(0, 1),
    example: "'abc'.startsWith('ab')",
  },
]

/** The functions of texts and sizes. */
export const textOverloads = defineOverloads([...sizes, ...texts])

/** `matches`, with the regular expressions that the environment has. */
export function matchOverloads(compile: RegexCompiler): readonly Overload[] {
  const matching = (cost: CostRule) => {
    const test = (text: string, expression: string, pattern: ReturnType<RegexCompiler>): boolean => {
      countMatching(text.length, pattern.size ?? expression.length, () => cost.actual([text, expression], true))
      return pattern.test(text)
    }
    const evaluate = (text: string, expression: string): boolean => {
      const pattern = compile(expression)
      countWork(pattern.size ?? expression.length)
      return test(text, expression, pattern)
    }
    const bind = (expression: string) => {
      const pattern = compile(expression)
      return (text: string): boolean => test(text, expression, pattern)
    }
    return { evaluate, cost, pattern: { index: 1, bind } }
  }
  return defineOverloads([
    {
      id: "matches",
      name: "matches",
      function: "(string, string) -> bool",
      ...matching(unitCost),
      example: "matches('abc', 'b+')",
    },
    {
      id: "matches_string",
      name: "matches",
      method: "(string, string) -> bool",
      ...matching(matchCost),
      example: "'abc'.matches('^a.c$')",
    },
  ])
}
