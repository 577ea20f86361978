import { forbidden, StatusError } from "@pilothouse/api"
import { pods } from "@pilothouse/api/core/v1"
import type { Operation, Result } from "@pilothouse/runtime"
import { describe, expect, test } from "vitest"
import { settle } from "./decide.ts"
import { context, observed, operationsOf, pod, replicaSet } from "./testing/objects.ts"

const create: Operation = { do: "create", object: pod("made"), reason: "" }
const remove: Operation = { do: "delete", object: pod("gone"), reason: "" }
const refused = forbidden(pods, "", "exceeded quota")

function settled(...results: readonly Result[]) {
  const plan = settle(observed(replicaSet(3), []), results, context)
  return { events: plan.events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`), operations: operationsOf(plan) }
}

describe("events", () => {
  test.each([
    {
      name: "a pod was made",
      result: { operation: create, ok: true, object: pod("made") },
      expected: ["Normal SuccessfulCreate: Created pod: made"],
    },
    {
      name: "a pod was deleted",
      result: { operation: remove, ok: true, object: pod("gone") },
      expected: ["Normal SuccessfulDelete: Deleted pod: gone"],
    },
    { name: "a pod was gone before (DeletionObserved on NotFound)", result: { operation: remove, ok: true }, expected: [] },
    {
      name: "a pod was refused",
      result: { operation: create, ok: false, error: refused },
      expected: [`Warning FailedCreate: Error creating: ${refused.message}`],
    },
    {
      name: "a pod would not go",
      result: { operation: remove, ok: false, error: refused },
      expected: [`Warning FailedDelete: Error deleting: ${refused.message}`],
    },
    { name: "a pod was not tried", result: { operation: create, ok: "skipped" }, expected: [] },
  ] satisfies { name: string; result: Result; expected: string[] }[])("$name", ({ result, expected }) => {
    expect(settled(result).events).toEqual(expected)
  })
})

describe("the status", () => {
  test("a refused pod becomes a condition (SyncReplicaSetCreateFailures, UpdateStatusWithFailure)", () => {
    const { operations } = settled(
      { operation: create, ok: true, object: pod("made") },
      { operation: create, ok: false, error: refused },
      { operation: create, ok: "skipped" },
    )
    expect(operations).toMatchObject([
      { do: "status", status: { conditions: [{ type: "ReplicaFailure", reason: "FailedCreate", message: refused.message }] } },
    ])
  })

  test("a pod that would not go becomes a condition", () => {
    const message = `unable to delete pods: ${refused.message}`
    expect(settled({ operation: remove, ok: false, error: refused }).operations).toMatchObject([
      { status: { conditions: [{ reason: "FailedDelete", message }] } },
    ])
  })

  test("a namespace that goes away is neither an event nor a condition", () => {
    const details = { causes: [{ reason: "NamespaceTerminating", message: "namespace default is being terminated" }] }
    const error = new StatusError({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      reason: "Forbidden",
      code: 403,
      message: "no",
      details,
    })
    const { events, operations } = settled({ operation: create, ok: false, error })
    expect(events).toEqual([])
    expect(
      operations.map((operation) => (operation.do === "status" ? (operation.status as { conditions?: unknown }).conditions : "")),
    ).toEqual([undefined])
  })

  test("a claim that failed leaves the number of pods unknown: nothing is said", () => {
    const claim: Operation = { do: "patch", object: pod("orphan"), patch: {}, reason: "" }
    expect(settled({ operation: claim, ok: false, error: refused }, { operation: create, ok: "skipped" })).toEqual({
      events: [],
      operations: [],
    })
  })

  test("a conflict in the status is no failure: the next reconcile writes it", () => {
    expect(settled({ operation: create, ok: true, object: pod("made") }).operations).toMatchObject([
      { do: "status", tolerate: ["Conflict", "NotFound"] },
    ])
  })
})
