import type { ReplicaSetStatus } from "@pilothouse/api/apps/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { decide, nextAvailability, replicaStatus } from "./decide.ts"
import { context, now, observed, operationsOf, pod, replicaSet } from "./testing/objects.ts"

interface Row {
  readonly name: string
  readonly pods: readonly Pod[]
  readonly minReadySeconds?: number
  readonly expected: Partial<ReplicaSetStatus>
}

const rows: readonly Row[] = [
  {
    name: "no pods: numbers that are 0 are left out, as the server does",
    pods: [],
    expected: { replicas: 0, terminatingReplicas: 0, observedGeneration: 1 },
  },
  {
    name: "a ready pod is available at once",
    pods: [pod("a"), pod("b", { ready: false })],
    expected: { replicas: 2, readyReplicas: 1, availableReplicas: 1, fullyLabeledReplicas: 2 },
  },
  {
    name: "a pod is available when it has been ready for long enough (ReplicaSetAvailabilityCheck)",
    pods: [pod("a", { readySince: "08:59:00" }), pod("b", { readySince: "08:59:30" }), pod("c", { ready: false })],
    minReadySeconds: 60,
    expected: { replicas: 3, readyReplicas: 2, availableReplicas: 1 },
  },
  {
    name: "terminating pods are counted apart",
    pods: [pod("a"), pod("b", { deleting: true }), pod("c", { deleting: true, phase: "Failed" })],
    expected: { replicas: 1, terminatingReplicas: 1 },
  },
]

describe("the status", () => {
  test.each(rows)("$name", ({ pods, minReadySeconds, expected }) => {
    const status = JSON.parse(JSON.stringify(replicaStatus(observed(replicaSet(3, { minReadySeconds }), pods), now)))
    expect(status).toMatchObject(expected)
    if (pods.length === 0) expect(status).toEqual(expected)
  })

  test("labels of the template that a pod lacks", () => {
    const owner = replicaSet(2, { labels: { app: "web", tier: "front" } })
    const pods = [pod("a", { labels: { app: "web", tier: "front", more: "yes" } }), pod("b")]
    expect(replicaStatus(observed(owner, pods), now)).toMatchObject({ replicas: 2, fullyLabeledReplicas: 1 })
  })

  test("is written only where it is not true", () => {
    const owner = replicaSet(1)
    const status = replicaStatus(observed(owner, [pod("a")]), now)
    const plan = decide(observed({ ...owner, status }, [pod("a")]), { ...context, now: now + 60_000 })
    expect(operationsOf(plan)).toEqual([])
    expect(plan.summary).toBe("1 pods, 1 ready, 1 available")
  })

  test("is written when only the generation is new", () => {
    const status = replicaStatus(observed(replicaSet(1), [pod("a")]), now)
    const owner = replicaSet(1, { metadata: { generation: 2 }, status })
    expect(operationsOf(decide(observed(owner, [pod("a")]), context))).toMatchObject([{ do: "status", status: { observedGeneration: 2 } }])
  })
})

describe("ReplicaFailure", () => {
  const failure = { reason: "FailedCreate", message: "exceeded quota" } as const
  const failed = { type: "ReplicaFailure", status: "True", lastTransitionTime: "2026-01-05T08:00:00Z", ...failure } as const
  const conditionsAfter = (conditions: ReplicaSetStatus["conditions"], now_?: typeof failure) =>
    replicaStatus(observed(replicaSet(1, { status: { replicas: 0, conditions } }), []), now, now_).conditions

  test("appears with the failure", () => {
    expect(conditionsAfter(undefined, failure)).toEqual([{ ...failed, lastTransitionTime: "2026-01-05T09:00:00Z" }])
  })

  test("stays as it is while failures go on, in whatever words", () => {
    expect(conditionsAfter([failed], { ...failure, message: "exceeded quota again" as "exceeded quota" })).toEqual([failed])
  })

  test("is removed by the first reconcile without a failure, and leaves others alone", () => {
    const other = { type: "Other", status: "True" } as const
    expect(conditionsAfter([failed, other])).toEqual([other])
    expect(conditionsAfter([failed])).toBeUndefined()
  })
})

describe("the next requeue", () => {
  const after = (minReadySeconds: number, ...pods: readonly Pod[]) =>
    nextAvailability(observed(replicaSet(9, { minReadySeconds }), pods), now)

  test.each([
    {
      name: "exactly when the earliest ready pod becomes available",
      pods: [pod("a", { readySince: "08:59:40" }), pod("b", { readySince: "08:59:50" })],
      expected: 10_000,
    },
    { name: "none when all are available", pods: [pod("a", { readySince: "08:50:00" })], expected: undefined },
    { name: "none for pods that are not ready", pods: [pod("a", { ready: false })], expected: undefined },
  ])("$name", ({ pods, expected }) => {
    expect(after(30, ...pods)).toBe(expected)
  })

  test("without minReadySeconds there is nothing to wait for", () => {
    expect(after(0, pod("a"))).toBeUndefined()
  })

  test("a pod that does not say since when it is ready is asked again after minReadySeconds", () => {
    const silent = { ...pod("a"), status: { phase: "Running" as const, conditions: [{ type: "Ready", status: "True" as const }] } }
    expect(after(30, silent)).toBe(30_000)
  })
})
