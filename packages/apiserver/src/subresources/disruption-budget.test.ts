import type { Pod } from "@pilothouse/api/core/v1"
import type { PodDisruptionBudgetSpec } from "@pilothouse/api/policy/v1"
import { expect, test } from "vitest"
import { needsBudget } from "./disruption-budget.ts"

type Policy = PodDisruptionBudgetSpec["unhealthyPodEvictionPolicy"]

const rows: readonly [
  ready: "True" | "False" | "Unknown",
  policy: Policy,
  currentHealthy: number,
  desiredHealthy: number,
  needs: boolean,
][] = [
  ["True", undefined, 3, 2, true],
  ["True", "AlwaysAllow", 0, 2, true],
  ["True", "IfHealthyBudget", 3, 2, true],
  ["False", "AlwaysAllow", 0, 2, false],
  ["False", "AlwaysAllow", 0, 0, false],
  ["False", "IfHealthyBudget", 2, 2, false],
  ["False", "IfHealthyBudget", 1, 2, true],
  ["False", "IfHealthyBudget", 0, 0, true],
  ["False", undefined, 2, 2, false],
  ["False", undefined, 1, 2, true],
  ["False", undefined, 1, 0, true],
  ["Unknown", undefined, 2, 2, false],
]

test.each(rows)("ready %s, policy %s, %i healthy of %i: %s", (ready, policy, currentHealthy, desiredHealthy, needs) => {
  const pod: Pod = { kind: "Pod", apiVersion: "v1", metadata: { name: "p" }, status: { conditions: [{ type: "Ready", status: ready }] } }
  const status = { currentHealthy, desiredHealthy, disruptionsAllowed: 0, expectedPods: 3 }
  expect(needsBudget(pod, { spec: { ...(policy !== undefined && { unhealthyPodEvictionPolicy: policy }) }, status })).toBe(needs)
})
