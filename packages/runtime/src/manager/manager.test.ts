import { keyOf } from "@pilothouse/api"
import { leases } from "@pilothouse/api/coordination/v1"
import { type ConfigMap, configMaps, events, secrets } from "@pilothouse/api/core/v1"
import {
  jsonRoundTrip,
  memoryMetrics,
  noBody,
  scriptedTransport,
  seededRandom,
  type Transport,
  type TransportRequest,
  type VirtualClock,
} from "@pilothouse/seams"
import { cluster } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { retrying } from "../client/middleware/retry.ts"
import { type Controller, controller } from "../controller/controller.ts"
import { executor } from "../controller/plan/executor.ts"
import { plan } from "../controller/plan/plan-builder.ts"
import { testManager } from "./testing/manager.ts"

const lease = "kube-system/pilothouse"

function configMap(name: string, data: Record<string, string> = {}): ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" }, data }
}

/** Writes its own name into each ConfigMap called a…; requeues every second and writes that too. */
function signer(name: string): Controller {
  return controller<ConfigMap>(name, {
    for: configMaps,
    observe: (key, read) => (key.startsWith("default/a") ? read.get(configMaps, key) : undefined),
    decide: (found, { now }) =>
      plan()
        .patch(found, { data: { by: name, at: `${now}` } }, "to sign it")
        .event(found, "Normal", "Signed", `signed by ${name}`)
        .requeueAfter("1s", "to sign it again"),
  })
}

/** Watches writes go by. */
function watching(requests: TransportRequest[]): (inner: Transport) => Transport {
  return (inner) => (request) => {
    if (request.verb !== "GET") requests.push(request)
    return inner(request)
  }
}

describe("with leader election", () => {
  test("one manager works, the other keeps its caches warm and takes over when the first is stopped", async () => {
    await using server = await cluster({ nodes: 0, controllers: [] })
    await using first = await testManager([signer("one")], { server, leaderElection: { lease, identity: "one" } })
    await using second = await testManager([signer("two")], { server, leaderElection: { lease, identity: "two" } })
    await server.apply(configMap("a"))
    await server.advance("10s")
    expect((await server.client.get(configMaps, "default/a")).data?.by).toBe("one")
    expect(second.manager.health.ready().every(({ ok }) => ok)).toBe(true)
    expect(second.reconciles()).toEqual([])
    await first.stop()
    await server.advance("5s")
    expect((await server.client.get(configMaps, "default/a")).data?.by).toBe("two")
    // It did not have to list anything first.
    expect(second.reconciles().find((look) => look.startsWith("default/a:"))).toBe("default/a: ConfigMap added")
  })

  test("a standby keeps no keys: once it leads it does not look at what is long gone", async () => {
    await using server = await cluster({ nodes: 0, controllers: [] })
    await using first = await testManager([signer("one")], { server, leaderElection: { lease, identity: "one" } })
    await using second = await testManager([signer("two")], { server, leaderElection: { lease, identity: "two" } })
    await server.apply(configMap("a"))
    await server.apply(configMap("ab"))
    await server.advance("10s")
    await server.client.delete(configMaps, "default/ab")
    await server.advance("10s")
    await first.stop()
    await server.advance("5s")
    const looked = new Set(second.reconciles().map((look) => look.split(":")[0]))
    expect([looked.has("default/a"), looked.has("default/ab")]).toEqual([true, false])
  })

  test.each([
    ["", false],
    ["that retries what was deferred ", true],
  ])("a leader %sthat is cut off writes nothing after the moment another may lead", async (_, retries) => {
    await using server = await cluster({ nodes: 0, controllers: [] })
    const clock = server.clock as VirtualClock
    let cut = false
    const late: number[] = []
    /** Leases cannot be written; everything else still goes through, as with a server that only one route leads to. */
    const cutOff = (inner: Transport) =>
      scriptedTransport(
        inner,
        ({ path }) =>
          cut && path.includes("/leases/") ? { do: "lose-request" } : cut && retries ? { do: "answer", response: busy } : { do: "pass" },
        clock,
      )
    const busy = { status: 503, headers: { "retry-after": "1" }, body: noBody }
    const noted =
      (inner: Transport): Transport =>
      (request) => {
        if (request.verb !== "GET" && cut && !request.path.includes("/leases/")) late.push(clock.elapsed())
        return inner(request)
      }
    const layer = (inner: Transport) => {
      const lowest = noted(cutOff(inner))
      return retries ? retrying(lowest, { clock, random: seededRandom(1), attempts: 100 }) : lowest
    }
    await using first = await testManager([signer("one")], { server, layer, leaderElection: { lease, identity: "one" } })
    await server.apply(configMap("a"))
    await server.advance("5s")
    cut = true
    const from = clock.elapsed()
    await server.advance("60s")
    expect(late.length).toBeGreaterThan(0)
    // The last renewal was at 4 s: it may work until 14 s, which is 9 s after the cut.
    expect(Math.max(...late) - from).toBeLessThan(9000 + 1)
    await expect(first.stop()).rejects.toMatchObject({ code: "LEADERSHIP_LOST" })
    expect(first.manager.health.ready().find(({ name }) => name === "one")?.ok).toBe(false)
  })

  test("a standby says that it waits, and for whom, once", async () => {
    await using server = await cluster({ nodes: 0, controllers: [] })
    await using _first = await testManager([signer("one")], { server, leaderElection: { lease, identity: "one" } })
    await using second = await testManager([signer("two")], { server, leaderElection: { lease, identity: "two" } })
    await server.advance("1m")
    expect(second.lines.filter(({ level }) => level === "info")).toEqual([
      { level: "info", message: "waiting for the lease; the caches are kept warm", fields: { lease, identity: "two", leader: "one" } },
    ])
  })

  test("the lease tells people who became and who stopped being leader", async () => {
    await using server = await cluster({ nodes: 0, controllers: [] })
    const first = await testManager([], { server, leaderElection: { lease, identity: "one" } })
    await server.settled()
    await first.stop()
    const said = (await server.list(events, { namespace: "kube-system" })).map(({ involvedObject, reason, message }) => [
      involvedObject.kind,
      reason,
      message,
    ])
    expect(said).toEqual([
      ["Lease", "LeaderElection", "one became leader"],
      ["Lease", "LeaderElection", "one stopped leading"],
    ])
    expect((await server.client.get(leases, lease)).spec?.holderIdentity).toBe("")
  })
})

describe("stopping", () => {
  /** A controller whose look takes so many milliseconds and ends with a write. */
  function slow(clock: () => VirtualClock, milliseconds: number, heedsNothing = false): Controller {
    return controller<ConfigMap>("slow", {
      for: configMaps,
      async observe(key, read) {
        if (!key.startsWith("default/a")) return undefined
        await (heedsNothing ? new Promise(() => {}) : clock().sleep(milliseconds))
        return read.get(configMaps, key)
      },
      decide: (found) => plan().patch(found, { data: { done: "yes" } }, "to finish"),
    })
  }

  async function stopped(milliseconds: number, heedsNothing = false) {
    const server = await cluster({ nodes: 0, controllers: [] })
    const clock = server.clock as VirtualClock
    const running = await testManager([slow(() => clock, milliseconds, heedsNothing)], { server })
    await server.apply(configMap("a"))
    await server.settled()
    await server.apply(configMap("ab"))
    await server.settled()
    const began = clock.elapsed()
    await running.stop()
    const done = (await server.list(configMaps)).filter(({ data }) => data?.done === "yes").map(keyOf)
    return { server, running, took: clock.elapsed() - began, done }
  }

  test("finishes active keys", async () => {
    const { server, took, done, running } = await stopped(3000)
    await using _server = server
    expect({ took, done }).toEqual({ took: 3000, done: ["default/a", "default/ab"] })
    expect(running.manager.health.ready().find(({ name }) => name === "slow")?.ok).toBe(false)
  })

  test("cuts off after 10 s, and says who was still running", async () => {
    const { server, took, done, running } = await stopped(60_000)
    await using _server = server
    expect({ took, done }).toEqual({ took: 10_000, done: [] })
    expect(running.lines).toContainEqual({
      level: "warn",
      message: "the grace period is over, aborting active keys",
      fields: { running: { slow: ["default/a", "default/ab"] } },
    })
  })

  test("does not wait for a handler that never returns", async () => {
    const { server, took } = await stopped(0, true)
    await using _server = server
    expect(took).toBe(10_000)
  })

  test("before the caches are full ends at once", async () => {
    const layer = (inner: Transport, clock: VirtualClock) => scriptedTransport(inner, () => ({ do: "delay", milliseconds: 60_000 }), clock)
    await using running = await testManager([signer("one")], { layer })
    expect(running.manager.health.ready()[0]).toEqual({ name: "caches", ok: false, reason: "not synced yet: configmaps" })
    const began = running.clock.elapsed()
    await running.stop()
    expect(running.clock.elapsed() - began).toBe(0)
  })
})

test("a cache that is never full holds up only the controllers of its kind, and log and health name it", async () => {
  const refuse = (inner: Transport, clock: VirtualClock) =>
    scriptedTransport(inner, ({ path }) => (path.endsWith("/secrets") ? { do: "lose-request" } : { do: "pass" }), clock)
  const blocked = controller("blocked", { for: secrets, reads: [configMaps], observe: () => undefined, decide: () => plan() })
  await using running = await testManager([blocked, signer("one")], { layer: refuse })
  await running.server.apply(configMap("a"))
  await running.server.advance("31s")
  expect((await running.server.client.get(configMaps, "default/a")).data?.by).toBe("one")
  expect(running.manager.health.ready()[0]).toEqual({ name: "caches", ok: false, reason: "not synced yet: secrets" })
  expect(running.lines).toContainEqual({
    level: "warn",
    message: "a controller waits for caches that have not synced yet",
    fields: { controller: "blocked", missing: ["secrets"] },
  })
})

test("controllers start one after another when asked to", async () => {
  await using server = await cluster({ nodes: 0, controllers: [] })
  await server.apply(configMap("a"))
  const looker = (name: string) =>
    controller<ConfigMap>(name, { for: configMaps, observe: (key, read) => read.get(configMaps, key), decide: () => plan() })
  await using running = await testManager(["one", "two", "three"].map(looker), { server, startInterval: "10s" })
  const began = running.clock.now()
  const ready = () =>
    running.manager.health
      .ready()
      .filter(({ name, ok }) => ok && name !== "caches")
      .map(({ name }) => name)
  expect(ready()).toEqual(["one"])
  await server.advance("60s")
  expect(ready()).toEqual(["one", "two", "three"])
  const firsts = ["one", "two", "three"].map(
    (name) => (running.manager.trace.entries().find((entry) => entry.controller === name)?.at ?? 0) - began,
  )
  const waits = firsts.slice(1).map((at, index) => at - firsts[index]!)
  for (const wait of waits) {
    expect(wait).toBeGreaterThanOrEqual(10_000)
    expect(wait).toBeLessThan(20_000)
  }
})

test("a dry run decides, says and traces everything, and writes nothing", async () => {
  const requests: TransportRequest[] = []
  const balanced: string[] = []
  const cloud = controller<ConfigMap>("cloud", {
    for: configMaps,
    executors: [executor("ensure-balancer", async ({ to }) => balanced.push(to))],
    observe: (key, read) => (key === "default/a" ? read.get(configMaps, key) : undefined),
    decide: (found) =>
      plan()
        .operation({ do: "ensure-balancer", to: "a", reason: "it needs one" })
        .nextStep()
        .create(configMap("made"), "it was not there")
        .delete(found, "it is done")
        .event(found, "Normal", "Done", "done"),
  })
  await using running = await testManager([cloud], { layer: watching(requests), dryRun: true, leaderElection: { lease, identity: "one" } })
  await running.server.apply(configMap("a"))
  await running.server.advance("1m")
  expect(requests).toEqual([])
  expect(balanced).toEqual([])
  expect(running.manager.trace.entries().filter(({ key }) => key === "default/a")).toMatchObject([
    { results: [{ ok: true }, { ok: true }, { ok: true }] },
  ])
  expect(running.lines).toContainEqual({
    level: "info",
    message: "would do this, but this is a dry run",
    fields: {
      controller: "cloud",
      key: "default/a",
      causes: ["ConfigMap added"],
      plan: [
        "ensure balancer of a, because it needs one",
        "create ConfigMap default/made, because it was not there",
        "delete ConfigMap default/a, because it is done",
        "say Normal Done of ConfigMap default/a: done",
      ],
    },
  })
})

test("a reconcile with nothing to do is logged at level debug, with its reason", async () => {
  const idle = controller<ConfigMap>("idle", {
    for: configMaps,
    observe: (key, read) => (key === "default/a" ? read.get(configMaps, key) : undefined),
    decide: () => plan().nothing("it is day"),
  })
  await using running = await testManager([idle])
  await running.server.apply(configMap("a"))
  await running.server.advance("1s")
  expect(running.lines.filter(({ fields }) => fields?.key === "default/a")).toEqual([
    { level: "debug", message: "reconciled, nothing to do", fields: { controller: "idle", key: "default/a", reason: "it is day" } },
  ])
})

test("metrics show which controllers run, and their results", async () => {
  const metrics = memoryMetrics()
  await using running = await testManager([signer("one")], { metrics })
  await running.server.apply(configMap("a"))
  await running.server.advance("3500ms")
  expect(metrics.value("running_managed_controllers", { name: "one" })).toBe(1)
  expect(metrics.value("controller_runtime_reconcile_total", { controller: "one", result: "requeue_after" })).toBeGreaterThanOrEqual(4)
  expect(metrics.value("controller_runtime_max_concurrent_reconciles", { controller: "one" })).toBe(5)
  await running.stop()
  expect(metrics.value("running_managed_controllers", { name: "one" })).toBe(0)
  expect(metrics.value("controller_runtime_active_workers", { controller: "one" })).toBe(0)
})

test("objects from the wire are frozen in tests: a controller that changes a cached object throws", async () => {
  const careless = controller<ConfigMap>("careless", {
    for: configMaps,
    observe: (key, read) => (key === "default/a" ? read.get(configMaps, key) : undefined),
    decide: (found) => {
      ;(found.metadata as { name?: string }).name = "b"
      return plan()
    },
  })
  await using running = await testManager([careless], { layer: jsonRoundTrip })
  await running.server.apply(configMap("a"))
  await running.server.settled()
  const [look] = running.manager.trace.entries().filter(({ key }) => key === "default/a")
  expect(String(look?.error)).toContain("Cannot assign to read only property 'name'")
})

test("each controller says who it is, and asks through what was made for it", async () => {
  await using server = await cluster({ nodes: 0, controllers: [] })
  const seen = new Set<string>()
  const noted = (through: string): Transport => {
    return (request) => {
      if (request.verb !== "GET") seen.add(`${request.headers["user-agent"]} through ${through}`)
      return server.transport(request)
    }
  }
  const transportFor = (name: string) => noted(name)
  await using made = await testManager([signer("one")], { server, transport: noted("all"), transportFor, userAgent: "me/1" })
  await server.apply(configMap("a"))
  await server.advance("2s")
  expect([...seen].sort()).toEqual(["me/1/events through all", "me/1/one through one"])
  await made.stop()
})

test("onReconcile receives the controller and the key before each part of a reconcile", async () => {
  const told: string[] = []
  const onReconcile = (name: string, key: string) => void told.push(`${name} ${key}`)
  await using running = await testManager([signer("one")], { onReconcile })
  told.length = 0
  await running.server.apply(configMap("b"))
  await running.server.apply(configMap("a"))
  await running.clock.settle()
  expect(told.slice(0, 3)).toEqual(["one default/b", "one default/a", "one default/a"])
})

test("a reconcile waits for whenFree, and the next one calls it again", async () => {
  const told: string[] = []
  const waiting: (() => void)[] = []
  const whenFree = () => (told.length === 0 ? undefined : new Promise<void>((resolve) => void waiting.push(resolve)))
  const onReconcile = (_name: string, key: string) => void told.push(key)
  await using running = await testManager([signer("one")], { onReconcile, whenFree })
  told.length = 0
  await running.server.apply(configMap("b"))
  await running.clock.settle()
  told.push("later ones wait")
  await running.server.apply(configMap("c"))
  await running.clock.settle()
  expect(told).toEqual(["default/b", "later ones wait"])
  for (const go of waiting.splice(0)) go()
  await running.clock.settle()
  expect(told.at(-1)).toBe("default/c")
})
