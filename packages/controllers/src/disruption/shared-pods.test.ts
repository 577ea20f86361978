import type { Pod } from "@pilothouse/api/core/v1"
import type { PodDisruptionBudget } from "@pilothouse/api/policy/v1"
import type { Reader } from "@pilothouse/runtime"
import { aPod } from "@pilothouse/testing/builders"
import { expect, test } from "vitest"
import { sharedPods } from "./observe.ts"

function budget(name: string): PodDisruptionBudget {
  const spec = { minAvailable: 1, selector: { matchLabels: { a: "b" } } }
  return { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name, namespace: "n" }, spec }
}

function pod(index: number): Pod {
  return aPod(`p${index}`, { namespace: "n", labels: { a: "b" } })
}

/** How often the budgets of a pod are looked up. */
function lookUps(pods: number): number {
  let lookUps = 0
  const budgets = [budget("b"), budget("a"), budget("c")]
  const read = {
    byIndex: () => {
      lookUps++
      return budgets
    },
  } as unknown as Reader
  const all = Array.from({ length: pods }, (_, index) => pod(index))
  expect(sharedPods(budget("a"), all, read)).toEqual(all)
  expect(sharedPods(budget("b"), all, read)).toEqual([])
  return lookUps
}

test("the budgets of pods with the same labels are looked up as often for many pods as for one", () => {
  expect(lookUps(1)).toBeGreaterThan(0)
  expect(lookUps(100)).toBe(lookUps(1))
})
