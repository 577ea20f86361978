import type { ReplicaSetStatus } from "@pilothouse/api/apps/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import type { KubeOperation } from "@pilothouse/runtime"
import { describe, expect, test } from "vitest"
import { decide } from "./decide.ts"
import { context, observed, operationsOf, pod, replicaSet } from "./testing/objects.ts"

function counts(replicas: number, pods: readonly Pod[]): Record<string, number> {
  const operations = operationsOf(decide(observed(replicaSet(replicas), pods), context))
  return Object.fromEntries(["create", "delete"].map((kind) => [kind, operations.filter((operation) => operation.do === kind).length]))
}

function many(count: number): readonly Pod[] {
  return Array.from({ length: count }, (_, number) => pod(`pod-${number}`))
}

describe("the number of pods", () => {
  test.each([
    { name: "the right number is left alone (DoesNothing)", replicas: 2, pods: many(2), expected: { create: 0, delete: 0 } },
    { name: "missing pods are made", replicas: 3, pods: many(1), expected: { create: 2, delete: 0 } },
    { name: "surplus pods go", replicas: 1, pods: many(3), expected: { create: 0, delete: 2 } },
    { name: "all go when none is wanted", replicas: 0, pods: many(3), expected: { create: 0, delete: 3 } },
    { name: "a failed pod does not count", replicas: 1, pods: [pod("a", { phase: "Failed" })], expected: { create: 1, delete: 0 } },
    { name: "a finished pod does not count", replicas: 1, pods: [pod("a", { phase: "Succeeded" })], expected: { create: 1, delete: 0 } },
    { name: "a pod of unknown state counts", replicas: 1, pods: [pod("a", { phase: "Unknown" })], expected: { create: 0, delete: 0 } },
    {
      name: "a terminating pod does not count (DeletionTimestamp)",
      replicas: 1,
      pods: [pod("a", { deleting: true })],
      expected: { create: 1, delete: 0 },
    },
    { name: "at most 500 are made at once (ControllerBurstReplicas)", replicas: 2000, pods: [], expected: { create: 500, delete: 0 } },
    { name: "at most 500 go at once", replicas: 0, pods: many(501), expected: { create: 0, delete: 500 } },
  ])("$name", ({ replicas, pods, expected }) => {
    expect(counts(replicas, pods)).toEqual(expected)
  })

  test("without a number one pod is meant", () => {
    const owner = { ...replicaSet(0), spec: { ...replicaSet(0).spec!, replicas: undefined } }
    expect(operationsOf(decide(observed(owner, []), context)).map((operation) => operation.do)).toEqual(["create"])
  })

  test("an owner that is being deleted makes and deletes no pods (DoNotAdoptOrCreateIfBeingDeleted)", () => {
    const owner = replicaSet(3, { metadata: { deletionTimestamp: "2026-01-05T08:59:00Z" } })
    expect(operationsOf(decide(observed(owner, many(1)), context)).map((operation) => operation.do)).toEqual(["status"])
  })

  test("pods are made slowly at first (SlowStartBatch)", () => {
    expect(decide(observed(replicaSet(3), []), context).steps).toMatchObject([{ slowStart: true, operations: [{}, {}, {}] }])
  })

  test("every operation says why", () => {
    const reasons = (replicas: number, pods: readonly Pod[]) =>
      operationsOf(decide(observed(replicaSet(replicas), pods), context)).map(({ reason }) => reason)
    expect(reasons(3, many(2))).toEqual(["2 of 3 pods exist"])
    expect(reasons(1, many(2))).toEqual(["2 pods exist, 1 are wanted"])
  })
})

describe("claims", () => {
  const adoption: KubeOperation = { do: "patch", object: pod("orphan"), patch: {}, reason: "it has no owner" }

  test("what counts on adopted pods begins when they are adopted", () => {
    const plan = decide(observed(replicaSet(3), many(1), { claims: [adoption] }), context)
    expect(plan.steps.map((step) => step.operations.map((operation) => operation.do))).toEqual([["patch"], ["create", "create"]])
  })

  test("an adopted pod makes the number right", () => {
    const plan = decide(observed(replicaSet(1), [pod("orphan")], { claims: [adoption] }), context)
    expect(plan.steps.map((step) => step.operations.map((operation) => operation.do))).toEqual([["patch"], ["status"]])
  })
})

describe("bad input", () => {
  test("a template without labels makes no pods, says so once, and waits", () => {
    const owner = replicaSet(3, { labels: {} })
    const [written] = operationsOf(decide(observed(owner, []), context))
    if (written?.do !== "status") throw new Error("expected a status write")
    const status = written.status as ReplicaSetStatus
    expect(status.conditions).toMatchObject([
      { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: "unable to create pods, no labels" },
    ])
    const again = decide(observed({ ...owner, status }, []), context)
    expect(operationsOf(again)).toEqual([])
    expect(again.waitingFor).toEqual(["labels in the pod template"])
    expect(again.requeue).toBeUndefined()
  })
})
