import { type CostRule, matchCost, sizeOf } from "../../cost/cost-rule.ts"
import type { Library } from "../../environment/environment.ts"
import { defineOverloads } from "../../environment/overload.ts"
import type { Pattern } from "./regular-expressions.ts"

const findCost: CostRule = {
  actual: matchCost.actual,
  estimate: (args) => ({ ...matchCost.estimate(args), resultSize: { min: 0, max: sizeOf(args[0]).max } }),
}

/** Returns Kubernetes' functions of regular expressions. */
export function regexLibrary(compile: (pattern: string) => Pattern): Library {
  const findAll = (text: string, pattern: string, limit: number | bigint = -1): string[] => compile(pattern).find(text, Number(limit))
  const pattern = { index: 1, compile }
  return {
    name: "kubernetes.regex",
    overloads: defineOverloads([
      {
        id: "string_find_string",
        name: "find",
        method: "(string, string) -> string",
        evaluate: (text: string, pattern: string) => findAll(text, pattern, 1)[0] ?? "",
        cost: findCost,
        pattern,
        example: "'abc 123'.find('[0-9]+') == '123'",
      },
      {
        id: "string_find_all_string",
        name: "findAll",
        method: "(string, string) -> list(string)",
        evaluate: findAll,
        cost: findCost,
        pattern,
        example: "'a1b2'.findAll('[0-9]') == ['1', '2']",
      },
      {
        id: "string_find_all_string_int",
        name: "findAll",
        method: "(string, string, int) -> list(string)",
        evaluate: findAll,
        cost: findCost,
        pattern,
        example: "'a1b2'.findAll('[0-9]', 1) == ['1']",
      },
    ]),
  }
}
