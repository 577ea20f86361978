import type { KubeObject } from "@pilothouse/api"
import { type ReplicaSet, replicaSets } from "@pilothouse/api/apps/v1"
import type { Transport, VirtualClock } from "@pilothouse/seams"
import fc from "fast-check"
import { describe, expect, test, vi } from "vitest"
import type { Change } from "../../cache/change.ts"
import { lateWatches, type TestManager, type TestManagerOptions, testManager } from "../../manager/testing/manager.ts"
import { type ControllerSpec, controller } from "../controller.ts"
import type { Operation, Result } from "../plan/plan.ts"
import { plan } from "../plan/plan-builder.ts"
import { OwnStatusFilter } from "./own-status-filter.ts"

function replicaSet(replicas: number, resourceVersion?: string, status?: ReplicaSet["status"]): ReplicaSet {
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "i" }] } }
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: "web", namespace: "default", resourceVersion },
    spec: { replicas, selector: { matchLabels: { app: "web" } }, template },
    ...(status && { status }),
  }
}

const key = "default/web"
const before = replicaSet(3, "1")
const after = replicaSet(3, "2", { replicas: 3 })
const updated = (old: KubeObject, object: KubeObject): Change => ({ type: "updated", old, object })
const ours = updated(before, after)
const wrote = (object?: KubeObject, operation: Partial<Operation> = {}): Result => ({
  operation: { do: "status", object: before, status: after.status, reason: "test", ...operation } as Operation,
  ok: true,
  ...(object && { object }),
})
const outcome = (...results: readonly Result[]) => ({ results, observed: [] })

describe("what is an own status write", () => {
  function setUp() {
    const observedKeys: string[] = []
    return { filter: new OwnStatusFilter(replicaSets, (one) => observedKeys.push(one)), observedKeys, enqueue: vi.fn<() => void>() }
  }

  test("the change from the written version to that of the response, after the reconcile or during it", () => {
    const { filter, observedKeys, enqueue } = setUp()
    filter.begin(key)
    filter.reconciled(key, outcome(wrote(after)))
    filter.finish(key)
    expect([filter.isOwnWrite(key, ours, enqueue), observedKeys]).toEqual([true, [key]])
    filter.begin(key)
    expect(filter.isOwnWrite(key, ours, enqueue)).toBe(true)
    filter.reconciled(key, outcome(wrote(after)))
    filter.finish(key)
    expect([enqueue.mock.calls, observedKeys]).toEqual([[], [key, key]])
  })

  test("once only", () => {
    const { filter, enqueue } = setUp()
    filter.begin(key)
    filter.reconciled(key, outcome(wrote(after)))
    filter.finish(key)
    expect([filter.isOwnWrite(key, ours, enqueue), filter.isOwnWrite(key, ours, enqueue)]).toEqual([true, false])
  })

  const rows: readonly (readonly [string, Change, readonly Result[]])[] = [
    ["a change from another version", updated(replicaSet(3, "0"), after), [wrote(after)]],
    ["a change to another version", updated(before, { ...after, metadata: { ...after.metadata, resourceVersion: "3" } }), [wrote(after)]],
    ["a change that says something else under the same version", updated(before, replicaSet(4, "2", { replicas: 3 })), [wrote(after)]],
    ["a change after a reconcile that wrote nothing", ours, []],
    ["a change after a reconcile that failed", ours, [{ ...wrote(), ok: false, error: new Error("refused") } as Result]],
    ["a change after a reconcile that wrote something else too", ours, [wrote(after), wrote(after, { do: "update" })]],
    ["a change after a reconcile that wrote a status by a patch", ours, [wrote(after, { do: "patch" })]],
    [
      "a change after a reconcile that wrote another's status",
      ours,
      [wrote(after, { object: { ...before, kind: "Deployment" } } as never)],
    ],
    ["a change after a write that changed nothing", updated(before, before), [wrote(before)]],
    ["a change after a write whose answer has no object", ours, [wrote()]],
  ]
  test.each(rows)("not %s, after the reconcile or during it", (_name, change, results) => {
    const later = setUp()
    later.filter.begin(key)
    later.filter.reconciled(key, outcome(...results))
    later.filter.finish(key)
    expect(later.filter.isOwnWrite(key, change, later.enqueue)).toBe(false)
    const within = setUp()
    within.filter.begin(key)
    expect(within.filter.isOwnWrite(key, change, within.enqueue)).toBe(true)
    within.filter.reconciled(key, outcome(...results))
    within.filter.finish(key)
    expect([within.enqueue.mock.calls.length, within.observedKeys]).toEqual([1, []])
  })

  test("a second change during a reconcile: both enqueue, because another client writes too", () => {
    const { filter, enqueue } = setUp()
    filter.begin(key)
    expect(filter.isOwnWrite(key, ours, enqueue)).toBe(true)
    expect([filter.isOwnWrite(key, updated(after, replicaSet(9, "3")), enqueue), enqueue.mock.calls.length]).toEqual([false, 1])
    filter.reconciled(key, outcome(wrote(after)))
    filter.finish(key)
    expect(enqueue).toHaveBeenCalledTimes(1)
  })

  test("a reconcile that never ran enqueues the held change", () => {
    const { filter, enqueue } = setUp()
    filter.begin(key)
    filter.isOwnWrite(key, ours, enqueue)
    filter.finish(key)
    expect(enqueue).toHaveBeenCalledTimes(1)
  })

  test("nothing of an object that is gone is expected, and what is added, deleted or only called to mind is news", () => {
    const { filter, enqueue } = setUp()
    filter.begin(key)
    const others: readonly Change[] = [
      { type: "added", object: after },
      { type: "deleted", object: after, finalStateUnknown: false },
      { type: "resync", object: after },
    ]
    for (const change of others) expect(filter.isOwnWrite(key, change, enqueue)).toBe(false)
    filter.reconciled(key, outcome(wrote(after)))
    filter.finish(key)
    filter.forget(key)
    expect(filter.isOwnWrite(key, ours, enqueue)).toBe(false)
  })

  test("nothing is expected of a write that is answered when its object is gone (the object stayed for ever)", () => {
    const { filter, observedKeys, enqueue } = setUp()
    filter.begin(key)
    filter.forget(key)
    filter.reconciled(key, outcome(wrote(after)))
    filter.finish(key)
    expect([filter.isOwnWrite(key, ours, enqueue), observedKeys]).toEqual([false, []])
  })
})

/** Writes spec.replicas into the status. */
function reporter(spec: Partial<ControllerSpec<ReplicaSet>> = {}) {
  return controller<ReplicaSet>("reporter", {
    for: replicaSets,
    ignoreOwnStatusWrites: true,
    observe: (name, read) => read.get(replicaSets, name),
    decide(set) {
      const replicas = set.spec?.replicas ?? 0
      return set.status?.replicas === replicas ? plan() : plan().status(set, { ...set.status, replicas }, "test")
    },
    ...spec,
  })
}

async function reported(running: TestManager): Promise<number | undefined> {
  return (await running.server.client.get(replicaSets, key)).status?.replicas
}

const latencies: readonly (readonly [string, TestManagerOptions])[] = [
  ["at once", {}],
  ["late", { layer: lateWatches(500) }],
]

test.each(latencies)("a controller that says so does not look at its own status, when it comes %s", async (_when, options) => {
  await using running = await testManager([reporter()], options)
  await running.server.apply(replicaSet(3))
  await running.server.advance("5s")
  await running.server.apply(replicaSet(4))
  await running.server.advance("5s")
  expect([running.reconciles(), await reported(running)]).toEqual([[`${key}: ReplicaSet added`, `${key}: ReplicaSet updated`], 4])
})

test("one that does not say so looks at it", async () => {
  await using running = await testManager([reporter({ ignoreOwnStatusWrites: undefined })])
  await running.server.apply(replicaSet(3))
  await running.server.advance("5s")
  expect(running.reconciles()).toEqual([`${key}: ReplicaSet added`, `${key}: ReplicaSet updated`])
})

test("another client's write to the same status is reconciled", async () => {
  await using running = await testManager([reporter()])
  await running.server.apply(replicaSet(3))
  await running.server.advance("1s")
  await running.server.client.patch(replicaSets, key, { status: { replicas: 9 } }, { subresource: "status" })
  await running.server.advance("1s")
  expect([running.reconciles().length, await reported(running)]).toEqual([2, 3])
})

/** Status writes take some time on their way there or back. */
function slowWrites(there: number, back: number): (transport: Transport, clock: VirtualClock) => Transport {
  return (inner, clock) => async (request) => {
    if (request.verb !== "PUT") return inner(request)
    await clock.sleep(there, { name: "slow write" })
    const response = await inner(request)
    await clock.sleep(back, { name: "slow answer" })
    return response
  }
}

test("whatever others write, and however late watches and responses are, no other client's change is lost", async () => {
  const edit = fc.record({ after: fc.nat(700), replicas: fc.nat(5), status: fc.boolean() })
  const delays = fc.record({ watch: fc.constantFrom(0, 100, 500), there: fc.constantFrom(0, 150), back: fc.constantFrom(0, 150, 600) })
  await fc.assert(
    fc.asyncProperty(delays, fc.array(edit, { minLength: 1, maxLength: 8 }), async ({ watch, there, back }, edits) => {
      const slow = slowWrites(there, back)
      const layer = (inner: Transport, clock: VirtualClock) => lateWatches(watch)(slow(inner, clock), clock)
      await using running = await testManager([reporter()], { layer })
      await running.server.apply(replicaSet(1))
      for (const { after: wait, replicas, status } of edits) {
        await running.server.advance(wait)
        const options = status ? { subresource: "status" } : {}
        await running.server.client.patch(replicaSets, key, { [status ? "status" : "spec"]: { replicas } }, options)
      }
      await running.server.advance("30s")
      const { spec, status } = await running.server.client.get(replicaSets, key)
      expect(status?.replicas).toBe(spec?.replicas)
    }),
    { numRuns: 40 },
  )
})
