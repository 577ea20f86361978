import { actualSize, matchCost, searchCost, traversalCost, unitCost } from "../cost/cost-rule.ts"
import { defineOverloads, type Overload, type OverloadRow } from "../environment/overload.ts"
import type { Value } from "../values/value.ts"

/** Compiles a pattern; fails with an EvaluationError for one that is no regular expression. */
export type RegexCompiler = (pattern: string) => { test(text: string): boolean }

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
    evaluate: (value: Value) => actualSize(value),
    cost: unitCost,
    example: `size(${literal}) == 3`,
  },
  {
    id: `${word}_size`,
    name: "size",
    method: `(${type}) -> int`,
    evaluate: (value: Value) => actualSize(value),
    cost: unitCost,
    example: `${literal}.size() == 3`,
  },
])

const texts: readonly OverloadRow[] = [
  {
    id: "contains_string",
    name: "contains",
    method: "(string, string) -> bool",
    evaluate: (text: string, part: string) => text.includes(part),
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
  const matches = (text: string, expression: string): boolean => compile(expression).test(text)
  const pattern = { index: 1, compile }
  return defineOverloads([
    {
      id: "matches",
      name: "matches",
      function: "(string, string) -> bool",
      evaluate: matches,
      cost: unitCost,
      pattern,
      example: "matches('abc', 'b+')",
    },
    {
      id: "matches_string",
      name: "matches",
      method: "(string, string) -> bool",
      evaluate: matches,
      cost: matchCost,
      pattern,
      example: "'abc'.matches('^a.c$')",
    },
  ])
}
