import { conflict, invalid, type KubeObject, notFound, type StatusError } from "@pilothouse/api"
import { type ConfigMap, pods } from "@pilothouse/api/core/v1"
import { descriptorFor } from "@pilothouse/api/descriptors"
import { type Transport, type TransportRequest, valueBody } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { createClient } from "../../client/client.ts"
import { type ApplyContext, applySteps } from "./apply.ts"
import { executor } from "./executor.ts"
import type { CustomOperation, Operation, Result, Step } from "./plan.ts"
import { plan } from "./plan-builder.ts"

function configMap(name: string, metadata: object = {}): ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default", ...metadata } }
}

interface Played {
  readonly results: readonly Result[]
  /** Requests in the order they came, with how many were open at once when each came. */
  readonly requests: readonly { readonly request: TransportRequest; readonly open: number }[]
}

/** Applies steps on a server that refuses what `refuse` says, and otherwise answers with what it was sent. */
async function play(
  steps: readonly Step[],
  refuse: (request: TransportRequest, index: number) => StatusError | undefined = () => undefined,
  more: Partial<ApplyContext> = {},
): Promise<Played> {
  const requests: { request: TransportRequest; open: number }[] = []
  let open = 0
  const transport: Transport = async (request) => {
    const refusal = refuse(request, requests.push({ request, open: ++open }) - 1)
    await Promise.resolve()
    open--
    if (refusal !== undefined) return { status: refusal.statusCode, headers: {}, body: valueBody(refusal.status) }
    return { status: 200, headers: {}, body: request.body?.type === "value" ? request.body : valueBody({ kind: "Status" }) }
  }
  const resolve: ApplyContext["resolve"] = ({ kind }) => descriptorFor({ group: "", version: "v1", kind }) ?? pods
  const context: ApplyContext = { client: createClient(transport), resolve, executors: [], dryRun: false, ...more }
  return { results: await applySteps(steps, context, new AbortController().signal), requests }
}

function creations(count: number): Step {
  const operations = Array.from({ length: count }, (_, at): Operation => ({ do: "create", object: configMap(`c${at}`), reason: "test" }))
  return { operations, slowStart: true }
}

function tally(results: readonly Result[]): { ok: number; failed: number; skipped: number } {
  const count = (ok: Result["ok"]) => results.filter((result) => result.ok === ok).length
  return { ok: count(true), failed: count(false), skipped: count("skipped") }
}

const full = () => conflict({ group: "", plural: "configmaps" }, "x", "the quota is used up")

describe("slow start", () => {
  const rows: Record<string, { fails: (index: number) => boolean; batches: number[]; ends: ReturnType<typeof tally> }> = {
    "all succeed: every one is tried, in batches of 1, 2, 4 …": {
      fails: () => false,
      batches: [1, 2, 4, 3],
      ends: { ok: 10, failed: 0, skipped: 0 },
    },
    "all fail: one is tried": { fails: () => true, batches: [1], ends: { ok: 0, failed: 1, skipped: 9 } },
    "some fail: the batch is ended, and no other begun": {
      fails: (index) => index >= 5,
      batches: [1, 2, 4],
      ends: { ok: 5, failed: 2, skipped: 3 },
    },
  }
  test.each(Object.entries(rows))("%s", async (_, { fails, batches, ends }) => {
    const { results, requests } = await play([creations(10)], (_request, index) => (fails(index) ? full() : undefined))
    expect(tally(results)).toEqual(ends)
    // A request that came while none other was open begins a batch.
    const sizes = requests.reduce<number[]>(
      (all, { open }) => (open === 1 ? [...all, 1] : [...all.slice(0, -1), (all.at(-1) ?? 0) + 1]),
      [],
    )
    expect(sizes).toEqual(batches)
  })

  test("nothing to do is done at once", async () => {
    expect((await play([creations(0)])).results).toEqual([])
  })
})

describe("steps", () => {
  test("operations of one step go out together, those of the next when they have ended", async () => {
    const { steps } = plan().create(configMap("a"), "1").create(configMap("b"), "1").nextStep().create(configMap("c"), "2")
    const { requests } = await play(steps)
    expect(requests.map(({ open }) => open)).toEqual([1, 2, 1])
  })

  test("after a failure the other operations of the step are done, later steps are not", async () => {
    const { steps } = plan()
      .create(configMap("a"), "1")
      .create(configMap("b"), "1")
      .nextStep()
      .create(configMap("c"), "2")
      .nextStep()
      .create(configMap("d"), "3")
    const { results } = await play(steps, (_request, index) => (index === 0 ? full() : undefined))
    expect(results.map(({ ok }) => ok)).toEqual([false, true, "skipped", "skipped"])
  })

  test("what is to be done regardless is done after a failure", async () => {
    const { steps } = plan()
      .create(configMap("a"), "1")
      .nextStep({ onFailure: "continue" })
      .create(configMap("b"), "2")
      .nextStep()
      .create(configMap("c"), "3")
    const { results } = await play(steps, (_request, index) => (index === 0 ? full() : undefined))
    expect(results.map(({ ok }) => ok)).toEqual([false, true, true])
  })

  test("nothing is sent once the signal has aborted", async () => {
    const resolve = () => pods
    const context: ApplyContext = { client: createClient(() => Promise.reject(new Error("sent"))), resolve, executors: [], dryRun: false }
    const results = await applySteps(plan().create(configMap("a"), "1").steps, context, AbortSignal.abort())
    expect(results.map(({ ok }) => ok)).toEqual(["skipped"])
  })

  test("an operation whose transport never answers ends with the signal", async () => {
    const stopping = new AbortController()
    const context: ApplyContext = { client: createClient(() => new Promise(() => {})), resolve: () => pods, executors: [], dryRun: false }
    const running = applySteps(plan().create(configMap("a"), "1").steps, context, stopping.signal)
    stopping.abort()
    expect(await running).toMatchObject([{ ok: false, error: { code: "ABORTED" } }])
  })
})

describe("what a refusal means", () => {
  const pod: KubeObject = { apiVersion: "v1", kind: "Pod", metadata: { name: "web", namespace: "default", uid: "u1" } }
  const what = { group: "", plural: "pods" }
  const another = conflict(what, "web", "Precondition failed: UID in precondition: u1, UID in object meta: u2")
  const rows: Record<string, { plan: Step[]; refusal: StatusError; ok: boolean }> = {
    "deleting what is gone succeeded": { plan: [...plan().delete(pod, "x").steps], refusal: notFound(what, "web"), ok: true },
    "evicting what is gone succeeded": { plan: [...plan().evict(pod, "x").steps], refusal: notFound(what, "web"), ok: true },
    "deleting what another object replaced succeeded": { plan: [...plan().delete(pod, "x").steps], refusal: another, ok: true },
    "deleting a certain version that is no more failed": {
      plan: [...plan().delete(pod, "x", { preconditions: { uid: "u1", resourceVersion: "7" } }).steps],
      refusal: another,
      ok: false,
    },
    "deleting what a webhook protects failed": {
      plan: [...plan().delete(pod, "x").steps],
      refusal: conflict(what, "web", "keep it"),
      ok: false,
    },
    "a patch of what is gone failed": { plan: [...plan().patch(pod, {}, "x").steps], refusal: notFound(what, "web"), ok: false },
    "an update of an old version failed": { plan: [...plan().update(pod, "x").steps], refusal: conflict(what, "web", "old"), ok: false },
    "what the operation says is fine is fine": {
      plan: [...plan().operation({ do: "patch", object: pod, patch: {}, reason: "x", tolerate: ["Invalid"] }).steps],
      refusal: invalid({ group: "", kind: "Pod" }, "web", []),
      ok: true,
    },
  }
  test.each(Object.entries(rows))("%s", async (_, { plan: steps, refusal, ok }) => {
    const { results } = await play(steps, () => refusal)
    expect(results.map((result) => result.ok)).toEqual([ok])
  })

  test("a delete names the uid it has seen", async () => {
    const { requests } = await play(plan().delete(pod, "x").steps)
    expect(requests[0]?.request.body).toMatchObject({ value: { preconditions: { uid: "u1" } } })
  })
})

describe("operations of a controller's own kind", () => {
  interface EnsureBalancer extends CustomOperation {
    readonly do: "ensure-balancer"
    readonly ports: readonly number[]
  }
  const ensure: EnsureBalancer = { do: "ensure-balancer", to: "default/web", ports: [80], reason: "the service needs one" }

  test("are executed by their executor, and its return value is in the result", async () => {
    const executors = [executor<EnsureBalancer>("ensure-balancer", async ({ ports }) => ({ address: "203.0.113.7", ports }))]
    const { results } = await play(plan().operation(ensure).steps, undefined, { executors })
    expect(results).toEqual([{ operation: ensure, ok: true, value: { address: "203.0.113.7", ports: [80] } }])
  })

  test("fail when it throws, and hold back the steps after them", async () => {
    const executors = [executor("ensure-balancer", () => Promise.reject(new Error("no quota")))]
    const { results } = await play(plan().operation(ensure).nextStep().create(configMap("a"), "x").steps, undefined, { executors })
    expect(results.map(({ ok }) => ok)).toEqual([false, "skipped"])
  })

  test("fail with what to do when the controller brought no executor for them", async () => {
    const { results } = await play(plan().operation(ensure).steps)
    expect(results[0]).toMatchObject({
      ok: false,
      error: { code: "INVALID", message: expect.stringContaining('executor of "ensure-balancer"') },
    })
  })

  test("are not carried out in a dry run", async () => {
    const executors = [executor("ensure-balancer", () => Promise.reject(new Error("called")))]
    const { results } = await play(plan().operation(ensure).steps, undefined, { executors, dryRun: true })
    expect(results).toMatchObject([{ ok: true }])
  })

  test("end with the signal even when the executor does not heed it", async () => {
    const stopping = new AbortController()
    const executors = [executor("ensure-balancer", () => new Promise(() => {}))]
    const context: ApplyContext = { client: createClient(() => new Promise(() => {})), resolve: () => pods, executors, dryRun: false }
    const running = applySteps(plan().operation(ensure).steps, context, stopping.signal)
    stopping.abort()
    expect(await running).toMatchObject([{ ok: false, error: { code: "ABORTED" } }])
  })
})
