import { actualSize, type CostRule, sizeOf } from "../cost/cost-rule.ts"
import { add, multiply, one, scale } from "../cost/interval.ts"
import type { Library } from "../environment/environment.ts"
import { defineOverloads } from "../environment/overload.ts"
import { equal } from "../values/equality.ts"
import type { Value } from "../values/value.ts"
import { foreseeCost } from "../values/work.ts"

type List = readonly Value[]

function has(list: List, item: Value): boolean {
  return list.some((one) => equal(one, item))
}

function contains(list: List, part: List): boolean {
  foreseeCost(list.length * part.length)
  return part.every((item) => has(list, item))
}

function intersects(left: List, right: List): boolean {
  foreseeCost(left.length * right.length)
  return left.some((item) => has(right, item))
}

/** Every item of one list is compared with every item of the other, `factor` times. */
function pairsCost(factor: number): CostRule {
  return {
    actual: ([left, right]) => 1 + actualSize(left as Value) * actualSize(right as Value) * factor,
    estimate: ([left, right]) => ({ cost: add(scale(multiply(sizeOf(left), sizeOf(right)), factor), one) }),
  }
}

/** cel-go's sets library: lists compared without order and repetition. */
export const setsLibrary: Library = {
  name: "sets",
  overloads: defineOverloads([
    {
      id: "list_sets_contains_list",
      name: "sets.contains",
      function: "(list(T), list(T)) -> bool",
      evaluate: contains,
      cost: pairsCost(1),
      example: "sets.contains([1, 2, 3], [3, 1])",
    },
    {
      id: "list_sets_equivalent_list",
      name: "sets.equivalent",
      function: "(list(T), list(T)) -> bool",
      evaluate: (left: List, right: List) => contains(left, right) && contains(right, left),
      cost: pairsCost(2),
      example: "sets.equivalent([1, 2], [2, 1, 1])",
    },
    {
      id: "list_sets_intersects_list",
      name: "sets.intersects",
      function: "(list(T), list(T)) -> bool",
      evaluate: intersects,
      cost: pairsCost(1),
      example: "sets.intersects([1, 2], [2, 3])",
    },
  ]),
}
