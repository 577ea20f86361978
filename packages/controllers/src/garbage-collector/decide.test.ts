import { conflict, type KubeObject, type OwnerReference } from "@pilothouse/api"
import { replicaSets } from "@pilothouse/api/apps/v1"
import { pods } from "@pilothouse/api/core/v1"
import { describePlan, type Plan, type Result } from "@pilothouse/runtime"
import { describe, expect, test } from "vitest"
import { decide, settle } from "./decide.ts"
import type { Item, Observed } from "./observe.ts"
import type { Owner, OwnerState } from "./owners.ts"

const deletionTimestamp = "2026-01-05T09:00:00Z"
const context = { now: Date.parse(deletionTimestamp) + 1000 }

function reference(name: string, more: Partial<OwnerReference> = {}): OwnerReference {
  return { apiVersion: "apps/v1", kind: "ReplicaSet", name, uid: `uid-of-${name}`, ...more }
}

function object(kind: string, metadata: Partial<KubeObject["metadata"]> = {}): KubeObject {
  const apiVersion = kind === "Pod" ? "v1" : "apps/v1"
  return { apiVersion, kind, metadata: { name: "it", namespace: "default", uid: "uid-of-it", resourceVersion: "7", ...metadata } }
}

/** A ReplicaSet whose owners are in these states, in this order: one, two. */
function owned(states: readonly OwnerState[], metadata: Partial<KubeObject["metadata"]> = {}, dependents: readonly Item[] = []): Observed {
  const ownerReferences = states.map((_, at) => reference(["one", "two"][at]!, { blockOwnerDeletion: true }))
  const owners = states.map((state, at) => ({ reference: ownerReferences[at]!, state }))
  return { of: replicaSets, object: object("ReplicaSet", { ownerReferences, ...metadata }), owners, dependents, unseenKinds: [] }
}

function pod(name: string, blockOwnerDeletion: boolean, metadata: Partial<KubeObject["metadata"]> = {}): Item {
  const ownerReferences = [reference("it", { blockOwnerDeletion })]
  return { of: pods, object: object("Pod", { name, uid: `uid-of-${name}`, ownerReferences, ...metadata }) }
}

const foreground = { deletionTimestamp, finalizers: ["foregroundDeletion"] }
const orphan = { deletionTimestamp, finalizers: ["example.com/other", "orphan"] }

function done(observed: Observed): readonly unknown[] {
  return operationsOf(decide(observed, context))
}

function operationsOf({ steps }: Plan): readonly unknown[] {
  return steps
    .flatMap((step) => step.operations)
    .map((operation) => {
      if (operation.do === "delete" && "options" in operation) return [operation.object.metadata.name, operation.options]
      if (operation.do === "patch" && "patch" in operation) return [operation.object.metadata.name, operation.patch]
      return operation
    })
}

const exactly = { uid: "uid-of-it", resourceVersion: "7" }
const gone = (name: string) => ({ $patch: "delete", uid: `uid-of-${name}` })

const rows: readonly { readonly name: string; readonly observed: Observed; readonly does: readonly unknown[] }[] = [
  { name: "its owner is there: nothing", observed: owned(["present"]), does: [] },
  { name: "its owner is of a kind that the server does not have: nothing", observed: owned(["unknown"]), does: [] },
  {
    name: "its only owner is gone: deleted in the background, as it was seen",
    observed: owned(["absent"]),
    does: [["it", { propagationPolicy: "Background", preconditions: exactly }]],
  },
  {
    name: "all of two owners are gone: deleted",
    observed: owned(["absent", "absent"]),
    does: [["it", { propagationPolicy: "Background", preconditions: exactly }]],
  },
  {
    name: "one of two owners is gone: only the reference goes",
    observed: owned(["present", "absent"]),
    does: [["it", { metadata: { uid: "uid-of-it", ownerReferences: [gone("two")] } }]],
  },
  {
    name: "one owner is gone, the other is unknown: only the reference is removed",
    observed: owned(["absent", "unknown"]),
    does: [["it", { metadata: { uid: "uid-of-it", ownerReferences: [gone("one")] } }]],
  },
  {
    name: "one owner waits for it to go, the other exists: it stays, without the reference",
    observed: owned(["waiting", "present"]),
    does: [["it", { metadata: { uid: "uid-of-it", ownerReferences: [gone("one")] } }]],
  },
  {
    name: "it carries the orphan finalizer: that policy is kept",
    observed: owned(["absent"], { finalizers: ["orphan"] }),
    does: [["it", { propagationPolicy: "Orphan", preconditions: exactly }]],
  },
  {
    name: "it carries the foreground finalizer: that policy is kept",
    observed: owned(["absent"], { finalizers: ["foregroundDeletion"] }),
    does: [["it", { propagationPolicy: "Foreground", preconditions: exactly }]],
  },
  {
    name: "its owner waits, and it has no dependents: deleted in the background",
    observed: owned(["waiting"]),
    does: [["it", { propagationPolicy: "Background", preconditions: exactly }]],
  },
  {
    name: "its owner waits, and it has dependents: deleted in the foreground",
    observed: owned(["waiting"], {}, [pod("a", true)]),
    does: [["it", { propagationPolicy: "Foreground", preconditions: exactly }]],
  },
  {
    name: "its owner waits, and a dependent does too: the cycle is broken first (UnblockOwnerReference)",
    observed: owned(["waiting"], {}, [pod("a", true, foreground)]),
    does: [
      ["it", { metadata: { uid: "uid-of-it", ownerReferences: [reference("one", { blockOwnerDeletion: false })] } }],
      ["it", { propagationPolicy: "Foreground", preconditions: { uid: "uid-of-it" } }],
    ],
  },
  {
    name: "deleted in the foreground, with a dependent that blocks: waits",
    observed: owned([], foreground, [pod("a", true), pod("b", false)]),
    does: [],
  },
  {
    name: "deleted in the foreground, with dependents that do not block: it may go",
    observed: owned([], foreground, [pod("b", false)]),
    does: [["it", { metadata: { ...exactly, finalizers: [] } }]],
  },
  {
    name: "deleted as orphan: dependents are orphaned, then the finalizer is removed, and no other one",
    observed: owned([], orphan, [pod("a", true), pod("b", false)]),
    does: [
      ["a", { metadata: { uid: "uid-of-a", ownerReferences: [gone("it")] } }],
      ["b", { metadata: { uid: "uid-of-b", ownerReferences: [gone("it")] } }],
      ["it", { metadata: { ...exactly, finalizers: ["example.com/other"] } }],
    ],
  },
]

describe("what becomes of an object", () => {
  test.each(rows)("$name", ({ observed, does }) => {
    expect(done(observed)).toEqual(does)
  })
})

test("a dependent that cannot be orphaned keeps the owner (OrphanDependentsFailure)", () => {
  const { steps } = decide(owned([], orphan, [pod("a", true)]), context)
  expect(steps.map(({ onFailure, operations }) => [onFailure, operations.length])).toEqual([
    [undefined, 1],
    [undefined, 1],
  ])
})

test("a uid that stands in a right and in a wrong reference is not taken away", () => {
  const twice = [reference("one"), reference("one", { kind: "Deployment" })]
  const owners = [
    { reference: twice[0]!, state: "present" as const },
    { reference: twice[1]!, state: "absent" as const },
  ]
  expect(
    done({ of: replicaSets, object: object("ReplicaSet", { ownerReferences: twice }), owners, dependents: [], unseenKinds: [] }),
  ).toEqual([])
})

test("an owner that only the server has is looked for again", () => {
  const owners = [{ reference: reference("one"), state: "present" as const, unseen: true }]
  const { requeue } = decide({ of: replicaSets, object: object("ReplicaSet"), owners, dependents: [], unseenKinds: [] }, context)
  expect(requeue).toEqual({ after: "30s", reason: "the cache does not show its owner ReplicaSet one yet" })
})

test("says why", () => {
  const said = (observed: Observed) => describePlan(decide(observed, context))
  expect(said(owned(["absent"]))).toEqual(["delete ReplicaSet default/it, because its owner ReplicaSet one is gone"])
  expect(said(owned(["unknown"]))).toEqual([
    "nothing to do: its owner ReplicaSet one is of a kind that the server does not have, or cannot own it: left alone",
    "requeue in 5m, because the server may know of ReplicaSet one then",
  ])
  expect(
    said(
      owned(
        [],
        foreground,
        ["a", "b", "c", "d"].map((name) => pod(name, true)),
      ),
    ),
  ).toEqual(["wait for the deletion of Pod a, Pod b, Pod c and 1 more"])
})

describe("as orphan, while some kinds cannot be seen", () => {
  const observed: Observed = { ...owned([], orphan), unseenKinds: ["Widget"] }
  test.each([
    [
      "at first their caches are waited for",
      29_000,
      ["wait for the caches of Widget", "requeue in 1s, because dependents of these kinds may have synced then"],
    ],
    ["but a kind that cannot be listed delays nothing for long", 30_000, ["patch ReplicaSet default/it, because it has no dependents"]],
  ])("%s", (_name, waited, expected) => {
    expect(describePlan(decide(observed, { now: Date.parse(deletionTimestamp) + waited }))).toEqual(expected)
  })
})

test("an owner in the foreground went before dependents whose kind was not seen yet", () => {
  const observed: Observed = { ...owned([], foreground), unseenKinds: ["Widget"] }
  const after = (waited: number) => describePlan(decide(observed, { now: Date.parse(deletionTimestamp) + waited }))
  expect(after(29_000)).toEqual(["wait for the caches of Widget", "requeue in 1s, because dependents of these kinds may have synced then"])
  expect(after(30_000)).toEqual(["patch ReplicaSet default/it, because no dependent blocks its deletion any more"])
})

test("DeleteOwnerRefPatch: of a custom kind the whole list is written, at the version that was seen", () => {
  const observed = { ...owned(["present", "absent"]), of: { ...replicaSets, group: "example.com", kind: "Widget" } }
  const [one] = observed.object.metadata.ownerReferences!
  expect(done(observed)).toEqual([["it", { metadata: { ...exactly, ownerReferences: [one] } }]])
})

test("an owner in another namespace is reported", () => {
  const owner: Owner = { reference: reference("one"), state: "absent", elsewhere: true }
  const message = 'ownerRef [apps/v1/ReplicaSet, namespace: default, name: one, uid: uid-of-one] does not exist in namespace "default"'
  expect(decide({ ...owned(["absent"]), owners: [owner] }, context).events).toMatchObject([
    { type: "Warning", reason: "OwnerRefInvalidNamespace", message },
  ])
})

describe("settle", () => {
  const observed = owned(["absent"])
  const [operation] = decide(observed, context).steps.flatMap((step) => step.operations)
  const refused = (error: unknown): readonly Result[] => [{ operation: operation!, ok: false, error }]

  test("a delete of what changed meanwhile is tried without the version, if the owners are the same", () => {
    const plan = settle(observed, refused(conflict(replicaSets, "it")))
    expect(plan.steps).toHaveLength(2)
    expect(operationsOf(plan)).toEqual([
      [
        "it",
        [
          { op: "test", path: "/metadata/uid", value: "uid-of-it" },
          { op: "test", path: "/metadata/ownerReferences", value: observed.object.metadata.ownerReferences },
        ],
      ],
      ["it", { propagationPolicy: "Background", preconditions: { uid: "uid-of-it" } }],
    ])
  })

  test.each([
    ["a delete that failed otherwise is left to the next reconcile", refused(new Error("no connection"))],
    ["nothing more when all went well", [{ operation: operation!, ok: true } as const]],
  ])("%s", (_name, results) => {
    expect(settle(observed, results).steps).toEqual([])
  })
})
