import type { ResourceClaim } from "@pilothouse/api/resource/v1"
import { describeOperation } from "@pilothouse/runtime"
import { describe, expect, test } from "vitest"
import { claimFinalizer, decideClaim, settleClaim } from "./release.ts"
import { allocation, claimOf, podWith, reservedFor } from "./testing/objects.ts"

const pod = podWith("web", [])
const finalizers = [claimFinalizer]
const allocated = (more: Partial<ResourceClaim> = {}) =>
  claimOf(pod, "web-gpu", {
    status: { allocation, reservedFor: reservedFor("web", "other") },
    ...more,
    metadata: { finalizers, ...more.metadata },
  })
const deleting = { deletionTimestamp: "2026-01-05T09:00:00Z", finalizers }

interface Row {
  readonly name: string
  readonly claim: ResourceClaim
  /** Names of the reservations that stand. */
  readonly kept?: readonly string[]
  readonly isOwnerDone?: boolean
  readonly writes: readonly string[]
  readonly allocated?: boolean
}

const rows: readonly Row[] = [
  { name: "stay-reserved-seen", claim: allocated(), kept: ["web", "other"], writes: [] },
  { name: "one of two is gone: the devices stay", claim: allocated(), kept: ["other"], writes: ["status"], allocated: true },
  { name: "clear-reserved-structured: the last is gone", claim: allocated(), writes: ["status"], allocated: false },
  {
    name: "without the finalizer of the scheduler the allocation is another's",
    claim: allocated({ metadata: { finalizers: [] } }),
    writes: ["status"],
    allocated: true,
  },
  {
    name: "dont-clear-reserved-structured: nothing was reserved, and it is not deleted",
    claim: allocated({ status: { allocation } }),
    writes: [],
  },
  {
    name: "structured-deleted: it is deleted while allocated",
    claim: allocated({ metadata: deleting, status: { allocation } }),
    writes: ["status"],
    allocated: false,
  },
  { name: "deleted, and free already", claim: allocated({ metadata: deleting, status: {} }), writes: ["update"] },
  { name: "deleted, and in use", claim: allocated({ metadata: deleting }), kept: ["web"], writes: ["status"], allocated: true },
  { name: "delete-claim-when-done", claim: claimOf(pod, "web-gpu"), isOwnerDone: true, writes: ["delete"] },
  {
    name: "its pod is done, and others still use it",
    claim: allocated(),
    kept: ["other"],
    isOwnerDone: true,
    writes: ["status"],
    allocated: true,
  },
]

test.each(rows)("$name", ({ claim, kept = [], isOwnerDone = false, writes, allocated: stays }) => {
  const decided = decideClaim({ claim, kept: reservedFor(...kept), isOwnerDone })
  const operations = decided.steps.flatMap((step) => step.operations)
  expect(operations.map((operation) => operation.do)).toEqual(writes)
  const [first] = operations
  if (first?.do === "status") expect((first.status as { allocation?: object }).allocation !== undefined).toBe(stays)
})

describe("after the status was written", () => {
  const freed = allocated({ status: {} })
  const settled = (kept: readonly string[], isOwnerDone: boolean) => {
    const claim = allocated()
    const [operation] = decideClaim({ claim, kept: reservedFor(...kept), isOwnerDone }).steps.flatMap((step) => step.operations)
    const plan = settleClaim({ claim, kept: reservedFor(...kept), isOwnerDone }, [{ operation: operation!, ok: true, object: freed }])
    return plan.steps.flatMap((step) => step.operations).map(describeOperation)
  }

  test("the finalizer goes, then the claim of a pod that is done", () => {
    expect(settled([], true)).toEqual(["update ResourceClaim default/web-gpu", "delete ResourceClaim default/web-gpu"])
  })

  test("a claim of the user's own stays", () => {
    expect(settled([], false)).toEqual(["update ResourceClaim default/web-gpu"])
  })

  test("nothing else is done while a pod uses it", () => {
    expect(settled(["other"], false)).toEqual([])
  })

  test("a status that was refused is the end of it", () => {
    const claim = allocated()
    const [operation] = decideClaim({ claim, kept: [], isOwnerDone: true }).steps.flatMap((step) => step.operations)
    expect(
      settleClaim({ claim, kept: [], isOwnerDone: true }, [{ operation: operation!, ok: false, error: new Error("no") }]).steps,
    ).toEqual([])
  })
})
