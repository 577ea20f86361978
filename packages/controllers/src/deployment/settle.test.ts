import { alreadyExists, forbidden, StatusError } from "@pilothouse/api"
import { type Deployment, type ReplicaSet, replicaSets } from "@pilothouse/api/apps/v1"
import type { Result } from "@pilothouse/runtime"
import { describe, expect, test } from "vitest"
import { newReplicaSet } from "./new-replica-set.ts"
import type { Observed } from "./observe.ts"
import { settle } from "./settle.ts"
import { condition, context, deployment, observed, operationsOf, replicaSet, written } from "./testing/objects.ts"

const of = deployment(4, { progressDeadlineSeconds: 600, status: { replicas: 4, readyReplicas: 4, availableReplicas: 4 } })
const made = newReplicaSet(of, { old: [replicaSet(1, 4)] }, 1)

function creation(result: { ok: true; object: ReplicaSet } | { ok: false; error: unknown }, more: Partial<Observed> = {}) {
  return settle(
    observed(more.deployment ?? of, [replicaSet(1, 4)], more),
    [{ operation: { do: "create", object: made, reason: "" }, ...result } as Result],
    context,
  )
}

function events(plan: ReturnType<typeof settle>): readonly string[] {
  return plan.events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`)
}

describe("a new ReplicaSet", () => {
  test("is reported with its revision and its first progress in one write", () => {
    const plan = creation({ ok: true, object: made })
    expect(events(plan)).toEqual([`Normal ScalingReplicaSet: Scaled up replica set ${made.metadata.name} from 0 to 1`])
    expect(operationsOf(plan)).toHaveLength(1)
    expect(written(plan).annotations).toMatchObject({ "deployment.kubernetes.io/revision": "2" })
    expect(written(plan).status?.conditions).toMatchObject([
      { type: "Progressing", status: "True", reason: "NewReplicaSetCreated", message: `Created new replica set "${made.metadata.name}"` },
      { type: "Available" },
    ])
  })

  test("without pods is no scaling", () => {
    expect(events(creation({ ok: true, object: { ...made, spec: { ...made.spec!, replicas: 0 } } }))).toEqual([])
  })

  test("that is refused becomes an event and a condition, once", () => {
    const message = `Failed to create new replica set "${made.metadata.name}": replicasets.apps "web" is forbidden: exceeded quota`
    const error = forbidden(replicaSets, "web", "exceeded quota")
    const plan = creation({ ok: false, error })
    expect(events(plan)).toEqual([`Warning ReplicaSetCreateError: ${message}`])
    expect(written(plan).status?.conditions).toMatchObject([
      { type: "Progressing", status: "False", reason: "ReplicaSetCreateError", message },
    ])
    const again = creation({ ok: false, error }, { deployment: { ...of, status: written(plan).status } })
    expect(operationsOf(again)).toEqual([])
  })

  test("that is refused sets no condition without a progress deadline", () => {
    const plan = creation(
      { ok: false, error: forbidden(replicaSets, "web", "exceeded quota") },
      { deployment: deployment(4, { status: {} }) },
    )
    expect(plan.events).toHaveLength(1)
    expect(operationsOf(plan)).toEqual([])
  })

  test("in a namespace that goes away is not missed", () => {
    const details = { causes: [{ reason: "NamespaceTerminating", message: "" }] }
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
    const plan = creation({ ok: false, error })
    expect([plan.events, operationsOf(plan)]).toEqual([[], []])
  })
})

describe("a name that is taken", () => {
  const error = alreadyExists(replicaSets, "web")
  const ownerReferences = [{ apiVersion: "apps/v1", kind: "Deployment", name: "web", uid: "d-1", controller: true }]
  const collided = (namesake: ReplicaSet | undefined, status?: Deployment["status"]) =>
    written(creation({ ok: false, error }, { namesake, deployment: { ...of, status } })).status

  test.each([
    {
      name: "by a ReplicaSet of another template",
      found: collided(replicaSet(1, 1, { metadata: { ownerReferences } })),
      expected: { collisionCount: 1 },
    },
    { name: "by one of another owner", found: collided(replicaSet(2, 1)), expected: { collisionCount: 1 } },
    { name: "again", found: collided(replicaSet(1, 1), { collisionCount: 1 }), expected: { collisionCount: 2 } },
    {
      name: "by our own that the cache shows now: no collision",
      found: collided(replicaSet(2, 1, { metadata: { ownerReferences } })),
      expected: undefined,
    },
    { name: "by one that the cache does not show yet: unknown", found: collided(undefined), expected: undefined },
  ])("$name", ({ found, expected }) => {
    if (expected === undefined) expect(found).toBeUndefined()
    else expect(found).toMatchObject(expected)
  })

  test("keeps the rest of the status", () => {
    expect(collided(replicaSet(1, 1), { replicas: 4, conditions: [condition("NewReplicaSetAvailable")] })).toMatchObject({
      replicas: 4,
      collisionCount: 1,
      conditions: [{}],
    })
  })
})

describe("changed sizes", () => {
  const resized = (set: ReplicaSet, result: Pick<Result, "ok">) =>
    events(
      settle(
        observed(of, [replicaSet(1, 4), replicaSet(2, 1)]),
        [{ operation: { do: "update", object: set, reason: "" }, ...result } as Result],
        context,
      ),
    )

  test.each([
    {
      name: "up",
      told: resized(replicaSet(2, 3), { ok: true }),
      expected: ["Normal ScalingReplicaSet: Scaled up replica set web-2 from 1 to 3"],
    },
    {
      name: "down",
      told: resized(replicaSet(1, 0), { ok: true }),
      expected: ["Normal ScalingReplicaSet: Scaled down replica set web-1 from 4 to 0"],
    },
    { name: "only annotations", told: resized(replicaSet(1, 4), { ok: true }), expected: [] },
    { name: "refused", told: resized(replicaSet(1, 0), { ok: false }), expected: [] },
  ])("$name", ({ told, expected }) => {
    expect(told).toEqual(expected)
  })
})
