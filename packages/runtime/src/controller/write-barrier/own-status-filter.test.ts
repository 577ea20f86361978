import type { KubeObject } from "@pilothouse/api"
import { type ReplicaSet, replicaSets } from "@pilothouse/api/apps/v1"
import type { Transport, VirtualClock } from "@pilothouse/seams"
import fc from "fast-check"
import { describe, expect, test, vi } from "vitest"
import type { Change } from "../../cache/change.ts"
import { lateWatches, type TestManager, type TestManagerOptions, testManager } from "../../manager/testing/test-manager.ts"
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
const looked = (...results: readonly Result[]) => ({ results, observed: [] })

describe("what is an echo", () => {
  function setUp() {
    const heard: string[] = []
    return { echoes: new OwnStatusFilter(replicaSets, (one) => heard.push(one)), heard, wake: vi.fn<() => void>() }
  }

  test("the change from the version that was written at to the one that was answered, after the look or within it", () => {
    const { echoes, heard, wake } = setUp()
    echoes.begin(key)
    echoes.reconciled(key, looked(wrote(after)))
    echoes.finish(key)
    expect([echoes.isOwnWrite(key, ours, wake), heard]).toEqual([true, [key]])
    echoes.begin(key)
    expect(echoes.isOwnWrite(key, ours, wake)).toBe(true)
    echoes.reconciled(key, looked(wrote(after)))
    echoes.finish(key)
    expect([wake.mock.calls, heard]).toEqual([[], [key, key]])
  })

  test("once only", () => {
    const { echoes, wake } = setUp()
    echoes.begin(key)
    echoes.reconciled(key, looked(wrote(after)))
    echoes.finish(key)
    expect([echoes.isOwnWrite(key, ours, wake), echoes.isOwnWrite(key, ours, wake)]).toEqual([true, false])
  })

  const rows: readonly (readonly [string, Change, readonly Result[]])[] = [
    ["a change from another version", updated(replicaSet(3, "0"), after), [wrote(after)]],
    ["a change to another version", updated(before, { ...after, metadata: { ...after.metadata, resourceVersion: "3" } }), [wrote(after)]],
    ["a change that says something else under the same version", updated(before, replicaSet(4, "2", { replicas: 3 })), [wrote(after)]],
    ["a change after a look that wrote nothing", ours, []],
    ["a change after a look that failed", ours, [{ ...wrote(), ok: false, error: new Error("refused") } as Result]],
    ["a change after a look that wrote something else too", ours, [wrote(after), wrote(after, { do: "update" })]],
    ["a change after a look that wrote a status by a patch", ours, [wrote(after, { do: "patch" })]],
    ["a change after a look that wrote another's status", ours, [wrote(after, { object: { ...before, kind: "Deployment" } } as never)]],
    ["a change after a write that changed nothing", updated(before, before), [wrote(before)]],
    ["a change after a write whose answer has no object", ours, [wrote()]],
  ]
  test.each(rows)("not %s, after the look or within it", (_name, change, results) => {
    const later = setUp()
    later.echoes.begin(key)
    later.echoes.reconciled(key, looked(...results))
    later.echoes.finish(key)
    expect(later.echoes.isOwnWrite(key, change, later.wake)).toBe(false)
    const within = setUp()
    within.echoes.begin(key)
    expect(within.echoes.isOwnWrite(key, change, within.wake)).toBe(true)
    within.echoes.reconciled(key, looked(...results))
    within.echoes.finish(key)
    expect([within.wake.mock.calls.length, within.heard]).toEqual([1, []])
  })

  test("a second change within a look: both wake, for somebody else writes too", () => {
    const { echoes, wake } = setUp()
    echoes.begin(key)
    expect(echoes.isOwnWrite(key, ours, wake)).toBe(true)
    expect([echoes.isOwnWrite(key, updated(after, replicaSet(9, "3")), wake), wake.mock.calls.length]).toEqual([false, 1])
    echoes.reconciled(key, looked(wrote(after)))
    echoes.finish(key)
    expect(wake).toHaveBeenCalledTimes(1)
  })

  test("a look that never came about gives back what it held", () => {
    const { echoes, wake } = setUp()
    echoes.begin(key)
    echoes.isOwnWrite(key, ours, wake)
    echoes.finish(key)
    expect(wake).toHaveBeenCalledTimes(1)
  })

  test("nothing of an object that is gone is expected, and what is added, deleted or only called to mind is news", () => {
    const { echoes, wake } = setUp()
    echoes.begin(key)
    const others: readonly Change[] = [
      { type: "added", object: after },
      { type: "deleted", object: after, finalStateUnknown: false },
      { type: "resync", object: after },
    ]
    for (const change of others) expect(echoes.isOwnWrite(key, change, wake)).toBe(false)
    echoes.reconciled(key, looked(wrote(after)))
    echoes.finish(key)
    echoes.forget(key)
    expect(echoes.isOwnWrite(key, ours, wake)).toBe(false)
  })

  test("nothing is expected of a write that is answered when its object is gone (the object stayed for ever)", () => {
    const { echoes, heard, wake } = setUp()
    echoes.begin(key)
    echoes.forget(key)
    echoes.reconciled(key, looked(wrote(after)))
    echoes.finish(key)
    expect([echoes.isOwnWrite(key, ours, wake), heard]).toEqual([false, []])
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

test("what somebody else writes into the same status is looked at", async () => {
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

test("whatever others write, and however late watches and answers are, nobody's change is lost", async () => {
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
