import { type CostRule, matchCost, sizeOf } from "../../cost/cost-rule.ts"
import type { Library } from "../../environment/environment.ts"
import { defineOverloads } from "../../environment/overload.ts"
import type { Value } from "../../values/value.ts"
import { countMatching, countWork } from "../../values/work.ts"
import type { Pattern } from "./regular-expressions.ts"

const findCost: CostRule = {
  actual: matchCost.actual,
  estimate: (args) => ({ ...matchCost.estimate(args), resultSize: { min: 0, max: sizeOf(args[0]).max } }),
}

type Find = (text: string, pattern: string, limit?: number | bigint) => Value

function counted({ size }: Pattern, find: Find): Find {
  return (text, pattern, limit) => {
    countMatching(text.length, size, () => matchCost.actual([text, pattern], ""))
    return find(text, pattern, limit)
  }
}

/** Returns Kubernetes' functions of regular expressions. */
export function regexLibrary(compile: (pattern: string) => Pattern): Library {
  const find =
    ({ find: findIn }: Pattern) =>
    (text: string) =>
      findIn(text, 1)[0] ?? ""
  const findAll =
    ({ find: findIn }: Pattern) =>
    (text: string, _pattern: string, limit: number | bigint = -1) =>
      findIn(text, Number(limit))
  const evaluate =
    (bind: (pattern: Pattern) => Find): Find =>
    (text, expression, limit) => {
      const pattern = compile(expression)
      countWork(pattern.size)
      return counted(pattern, bind(pattern))(text, expression, limit)
    }
  const argument = (bind: (pattern: Pattern) => Find) => ({
    index: 1,
    bind(expression: string) {
      const pattern = compile(expression)
      return counted(pattern, bind(pattern))
    },
  })
  return {
    name: "kubernetes.regex",
    overloads: defineOverloads([
      {
        id: "string_find_string",
        name: "find",
        method: "(string, string) -> string",
        evaluate: evaluate(find),
        cost: findCost,
        pattern: argument(find),
        example: "'abc 123'.find('[0-9]+') == '123'",
      },
      {
        id: "string_find_all_string",
        name: "findAll",
        method: "(string, string) -> list(string)",
        evaluate: evaluate(findAll),
        cost: findCost,
        pattern: argument(findAll),
        example: "'a1b2'.findAll('[0-9]') == ['1', '2']",
      },
      {
        id: "string_find_all_string_int",
        name: "findAll",
        method: "(string, string, int) -> list(string)",
        evaluate: evaluate(findAll),
        cost: findCost,
        pattern: argument(findAll),
        example: "'a1b2'.findAll('[0-9]', 1) == ['1']",
      },
    ]),
  }
}
