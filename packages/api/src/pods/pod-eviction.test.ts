import { expect, test } from "vitest"
import type { Pod } from "../generated/core/v1.types.ts"
import type { PodDisruptionBudgetSpec } from "../generated/policy/v1.types.ts"
import { isEvictionUndisturbing, needsBudget } from "./pod-eviction.ts"

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

test.each<[name: string, pod: Partial<Pod>, undisturbing: boolean]>([
  ["Pending", { status: { phase: "Pending" } }, true],
  ["Succeeded", { status: { phase: "Succeeded" } }, true],
  ["Failed", { status: { phase: "Failed" } }, true],
  ["Running", { status: { phase: "Running" } }, false],
  ["Running and deleted", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" }, status: { phase: "Running" } }, true],
])("a pod that is %s", (_name, pod, undisturbing) => {
  expect(isEvictionUndisturbing({ metadata: {}, ...pod } as Pod)).toBe(undisturbing)
})
