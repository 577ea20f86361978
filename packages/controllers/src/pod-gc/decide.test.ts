import { serviceUnavailable } from "@pilothouse/api"
import type { Node, Pod } from "@pilothouse/api/core/v1"
import { describeOperation, type Plan, type Result } from "@pilothouse/runtime"
import { seededRandom } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { decide, settle } from "./decide.ts"
import type { Observed } from "./observe.ts"

const context = { now: Date.UTC(2026, 0, 5, 9), random: seededRandom(1) }

interface Facts {
  readonly phase?: "Pending" | "Running" | "Unknown" | "Succeeded" | "Failed"
  readonly reason?: string
  /** Minutes after eight. */
  readonly created?: number
  readonly node?: string
  readonly deleting?: boolean
  readonly forced?: boolean
}

function pod(name: string, { phase = "Running", reason, created = 0, node = "node-1", deleting, forced }: Facts = {}): Pod {
  const minutes = String(created).padStart(2, "0")
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "default",
      uid: `u-${name}`,
      generation: 2,
      creationTimestamp: `2026-01-05T08:${minutes}:00Z`,
      ...((deleting || forced) && { deletionTimestamp: "2026-01-05T08:59:00Z", deletionGracePeriodSeconds: forced ? 0 : 30 }),
    },
    spec: { containers: [], nodeName: node },
    status: { phase, reason },
  }
}

function node(ready: boolean, tainted: boolean): Node {
  const taints = tainted ? [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" as const }] : []
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "node-1" },
    spec: { taints },
    status: { conditions: [{ type: "Ready", status: ready ? "True" : "False" }] },
  }
}

function planned(observed: Observed, terminatedPodThreshold = 12500): Plan {
  return decide(observed, context, { terminatedPodThreshold })
}

function described(plan: Plan): readonly string[] {
  return plan.steps.flatMap((step) => step.operations).map(describeOperation)
}

const [failed, succeeded] = [{ phase: "Failed" }, { phase: "Succeeded" }] as const
const evicted = { phase: "Failed", reason: "Evicted" } as const

describe("GCTerminated", () => {
  test.each<[name: string, threshold: number, pods: readonly Pod[], deleted: readonly string[]]>([
    ["threshold = 0, disables terminated pod deletion", 0, [pod("a", failed), pod("b", succeeded)], []],
    ["a negative threshold does too", -1, [pod("a", failed)], []],
    [
      "threshold = 1, the oldest two of three go",
      1,
      [pod("a", { ...failed, created: 2 }), pod("b", succeeded), pod("c", { ...failed, created: 1 })],
      ["b", "c"],
    ],
    ["threshold = 1, one of two goes", 1, [pod("a", failed), pod("b", { ...succeeded, created: 1 })], ["a"]],
    ["threshold = 5, don't delete pod", 5, [pod("a", failed), pod("b", succeeded)], []],
    ["evicted ones go first, however young", 1, [pod("a", failed), pod("b", succeeded), pod("c", { ...evicted, created: 9 })], ["c", "a"]],
    ["the name decides between equals", 1, [pod("b", failed), pod("a", failed)], ["a"]],
    [
      "one that only waits for finalizers is not told again",
      1,
      [pod("a", { ...failed, forced: true }), pod("b", { ...failed, created: 1 })],
      [],
    ],
  ])("%s", (_name, threshold, pods, deleted) => {
    expect(described(planned({ concern: "terminated", pods }, threshold))).toEqual(deleted.map((name) => `delete Pod default/${name}`))
  })

  test("without grace, with the reason", () => {
    const plan = planned({ concern: "terminated", pods: [pod("a", failed), pod("b", failed)] }, 1)
    expect(plan.steps[0]?.operations).toMatchObject([{ options: { gracePeriodSeconds: 0 }, reason: "2 pods have finished, 1 are kept" }])
  })
})

describe("GCOrphaned", () => {
  test("a pod that runs is marked as failed, with the disruption that others look for", () => {
    const plan = planned({ concern: "orphaned", node: "lost", pods: [pod("a", { node: "lost" })] })
    expect(plan.steps[0]?.operations).toMatchObject([
      {
        do: "patch",
        type: "strategic",
        subresource: "status",
        patch: {
          metadata: { uid: "u-a" },
          status: {
            phase: "Failed",
            observedGeneration: 2,
            conditions: [
              {
                type: "DisruptionTarget",
                status: "True",
                reason: "DeletionByPodGC",
                message: "PodGC: node no longer exists",
                observedGeneration: 2,
                lastTransitionTime: "2026-01-05T09:00:00Z",
              },
            ],
          },
        },
        reason: "its node lost no longer exists",
      },
    ])
  })

  test("a pod that has finished is deleted at once", () => {
    expect(described(planned({ concern: "orphaned", node: "lost", pods: [pod("a", { ...succeeded, node: "lost" })] }))).toEqual([
      "delete Pod default/a",
    ])
  })
})

describe("GCUnscheduledTerminating", () => {
  test.each<[name: string, pod: Pod, expected: readonly string[]]>([
    ["Unscheduled pod in any phase must be deleted: Failed", pod("a", { ...failed, node: "", deleting: true }), ["delete Pod default/a"]],
    [
      "Unscheduled pod in any phase must be deleted: Succeeded",
      pod("b", { ...succeeded, node: "", deleting: true }),
      ["delete Pod default/b"],
    ],
    ["Unscheduled pod in any phase must be deleted: Running", pod("c", { node: "", deleting: true }), ["patch Pod default/c (its status)"]],
    ["Scheduled pod in any phase must not be deleted", pod("c", { deleting: true }), []],
    ["one that is not deleted neither", pod("a", { ...failed, node: "" }), []],
  ])("%s", (_name, one, expected) => {
    expect(described(planned({ concern: "unscheduled", pods: [one] }))).toEqual(expected)
  })
})

describe("GCTerminating", () => {
  const pods = [pod("a"), pod("b", { deleting: true }), pod("c", { ...failed, deleting: true }), pod("d", { phase: "Unknown" })]
  test.each<[name: string, node: Node, expected: readonly string[]]>([
    [
      "not ready and out of service: the pods that stop go",
      node(false, true),
      ["patch Pod default/b (its status)", "delete Pod default/c"],
    ],
    ["pods have deletion timestamp set and the corresponding nodes are not ready", node(false, false), []],
    ["a ready node is never out of service", node(true, true), []],
  ])("%s", (_name, on, expected) => {
    expect(described(planned({ concern: "out-of-service", node: on, pods }))).toEqual(expected)
  })
})

test("settle: a pod is deleted when it is marked, and stays when that failed", () => {
  const observed: Observed = { concern: "orphaned", node: "lost", pods: [pod("a"), pod("b"), pod("c", { forced: true })] }
  const [a, b, c] = planned(observed).steps.flatMap((step) => step.operations)
  const results: readonly Result[] = [
    { operation: a!, ok: true },
    { operation: b!, ok: false, error: serviceUnavailable("later") },
    { operation: c!, ok: true },
  ]
  expect(described(settle(observed, results))).toEqual(["delete Pod default/a"])
})
