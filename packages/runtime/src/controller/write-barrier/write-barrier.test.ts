import { type Descriptor, forbidden, internalError } from "@pilothouse/api"
import { type ConfigMap, configMaps, type Pod, pods } from "@pilothouse/api/core/v1"
import {
  abortable,
  type Frame,
  PilothouseError,
  recordingLog,
  scriptedTransport,
  type Transport,
  VirtualClock,
  valueBody,
} from "@pilothouse/seams"
import { expect, test } from "vitest"
import type { Informers } from "../../cache/informers.ts"
import type { Client } from "../../client/client.ts"
import { lateWatches, type TestManager, type TestManagerOptions, testManager } from "../../manager/testing/manager.ts"
import { Caches } from "../caches/caches.ts"
import { type Controller, controller } from "../controller.ts"
import { plan } from "../plan/plan-builder.ts"
import { WriteBarrier } from "./write-barrier.ts"

function configMap(name: string, data: Record<string, string> = {}, labels: Record<string, string> = {}): ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default", labels }, data }
}

const isPart = (object: ConfigMap) => object.metadata.labels?.part === "yes"

/**
 * Keeps as many parts as `root` asks for, without names of their own. Requeues every 100 ms: it is always faster than its watch.
 * That is how a controller creates too many when it trusts its cache.
 */
function keeper(): Controller {
  return controller("keeper", {
    for: configMaps,
    observe(key, read) {
      const root = key === "default/root" ? read.get(configMaps, key) : undefined
      return root && { wanted: Number(root.data?.parts), parts: read.list(configMaps, "default").filter(isPart) }
    },
    decide({ wanted, parts }) {
      const made = plan().requeueAfter(100, "to be quick")
      const part: ConfigMap = {
        ...configMap("", {}, { part: "yes" }),
        metadata: { generateName: "part-", namespace: "default", labels: { part: "yes" } },
      }
      if (parts.length < wanted) return made.create(part, `${parts.length} of ${wanted}`)
      return parts.length > wanted ? made.delete(parts[0]!, `${parts.length} of ${wanted}`) : made
    },
  })
}

async function keeping(parts: number, options: TestManagerOptions): Promise<TestManager> {
  const running = await testManager([keeper()], options)
  await running.server.apply(configMap("root", { parts: `${parts}` }))
  return running
}

function writes(running: TestManager, kind: "create" | "delete"): number {
  return running.manager.trace
    .entries()
    .flatMap(({ results }) => results)
    .filter(({ operation }) => operation.do === kind).length
}

async function parts(running: TestManager): Promise<number> {
  return (await running.server.list(configMaps)).filter(isPart).length
}

test("a late watch does not make the controller create twice", async () => {
  await using running = await keeping(3, { layer: lateWatches(500) })
  await running.server.advance("20s")
  expect({ parts: await parts(running), creates: writes(running, "create"), deletes: writes(running, "delete") }).toEqual({
    parts: 3,
    creates: 3,
    deletes: 0,
  })
})

test("a deleted object that the cache still shows does not make the controller delete the next one", async () => {
  await using running = await keeping(4, { layer: lateWatches(500) })
  await running.server.advance("20s")
  await running.server.apply(configMap("root", { parts: "2" }))
  await running.server.advance("20s")
  expect({ parts: await parts(running), deletes: writes(running, "delete") }).toEqual({ parts: 2, deletes: 2 })
})

test("an object that is marked for deletion has been seen as deleted", async () => {
  const finalized = { ...configMap("a"), metadata: { name: "a", namespace: "default", finalizers: ["example.com/hold"] } }
  const deleter = controller("deleter", {
    for: configMaps,
    observe: (key, read) => (key === "default/a" ? read.get(configMaps, key) : undefined),
    decide: (found) => (found.metadata.deletionTimestamp === undefined ? plan().delete(found, "test") : plan().nothing("it goes")),
  })
  await using running = await testManager([deleter])
  await running.server.apply(finalized)
  await running.server.settled()
  expect(running.manager.trace.entries().at(-1)?.plan?.summary).toBe("it goes")
  expect(running.lines.filter(({ level }) => level === "warn")).toEqual([])
})

test("a pod that the cache still shows without its node is not bound twice", async () => {
  const binder = controller("binder", {
    for: pods,
    observe: (key, read) => read.get(pods, key),
    decide: (pod) => (pod.spec?.nodeName ? plan() : plan().bind(pod, "node-1", "test").requeueAfter(100, "to be quick")),
  })
  await using running = await testManager([binder], { layer: lateWatches(500) })
  const pod: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "default" },
    spec: { schedulerName: "mine", containers: [{ name: "c", image: "i" }] },
  }
  await running.server.apply(pod)
  await running.server.advance("10s")
  expect(running.manager.trace.entries().flatMap(({ results }) => results)).toMatchObject([{ ok: true, operation: { do: "bind" } }])
})

/** The answers of the first creations are lost after the server has carried them out. */
function losesAnswers(count: number): (transport: Transport, clock: VirtualClock) => Transport {
  let lost = 0
  return (inner, clock) =>
    scriptedTransport(
      inner,
      ({ verb, path }) => (verb === "POST" && path.endsWith("configmaps") && lost++ < count ? { do: "lose-answer" } : { do: "pass" }),
      clock,
    )
}

test("a write whose answer was lost is looked for before it is repeated", async () => {
  const layer = (transport: Transport, clock: VirtualClock) => lateWatches(500)(losesAnswers(2)(transport, clock), clock)
  await using running = await keeping(1, { layer })
  await running.server.advance("30s")
  expect({ parts: await parts(running), creates: writes(running, "create"), deletes: writes(running, "delete") }).toEqual({
    parts: 1,
    creates: 1,
    deletes: 0,
  })
})

/** The first creation is carried out and answered with 500; the next questions how far the server is are refused. */
function failsAfterStoring(): (transport: Transport) => Transport {
  let failed = false
  let refusals = 3
  const refused = () => ({ status: 500, headers: {}, body: valueBody(internalError("test").status) })
  return (inner) => async (request) => {
    const { verb, path, query } = request
    if (verb === "GET" && path.endsWith("configmaps") && query?.limit === "1" && failed && refusals-- > 0) return refused()
    const response = await inner(request)
    if (verb !== "POST" || !path.endsWith("configmaps") || failed) return response
    failed = true
    return refused()
  }
}

test("a write that was answered with 500 is looked for before it is repeated, even when the server cannot be asked at once", async () => {
  const layer = (transport: Transport, clock: VirtualClock) => lateWatches(500)(failsAfterStoring()(transport), clock)
  await using running = await keeping(1, { layer })
  await running.server.advance("30s")
  expect({ parts: await parts(running), deletes: writes(running, "delete") }).toEqual({ parts: 1, deletes: 0 })
  expect(running.lines.filter(({ message }) => message.includes("the key is delayed"))).toHaveLength(3)
})

test("a descriptor of one's own for a declared kind is that kind: its writes are waited for, its cache can be read", async () => {
  const made = { ...configMaps }
  const inner = keeper()
  const twin = controller("twin", {
    ...inner,
    observe: (key, read, signal) => inner.observe(key, { ...read, list: () => read.list(made) as never }, signal),
  })
  await using running = await testManager([twin, controller("other", { for: made, observe: () => undefined, decide: () => plan() })], {
    layer: lateWatches(500),
  })
  await running.server.apply(configMap("root", { parts: "3" }))
  await running.server.advance("20s")
  expect({ parts: await parts(running), deletes: writes(running, "delete") }).toEqual({ parts: 3, deletes: 0 })
})

/** Streams of which, while `silent` says so, nothing comes any more: half-open connections. */
function silentWatches(silent: () => boolean, of = ""): (inner: Transport) => Transport {
  return (inner) => async (request) => {
    const response = await inner(request)
    const { body } = response
    if (body.type !== "stream" || !request.path.endsWith(of)) return response
    async function* received(frames: AsyncIterable<Frame>): AsyncGenerator<Frame> {
      for await (const frame of frames) {
        if (silent()) return await new Promise<void>((resolve) => request.signal?.addEventListener("abort", () => resolve()))
        yield frame
      }
    }
    return { ...response, body: { type: "stream", frames: received(body.frames) } }
  }
}

test("a cache that lags for 120 s delays the key, and that is logged", async () => {
  let silent = false
  await using running = await keeping(0, { layer: silentWatches(() => silent) })
  await running.server.advance("1s")
  await running.server.apply(configMap("root", { parts: "3" }))
  await running.server.settled()
  silent = true
  await running.server.advance("200s")
  // The first was seen before the silence, the second was not.
  expect(await parts(running)).toBe(2)
  expect(running.lines).toContainEqual({
    level: "warn",
    message: "the caches do not show the controller's own writes yet; the key is delayed until they do",
    fields: { key: "default/root", error: "a cache has not shown the controller's own write for 120 s" },
  })
  silent = false
  await running.server.advance("5m")
  expect(await parts(running)).toBe(3)
})

test("an onCacheLagging that throws is logged, without effect", async () => {
  let silent = false
  const onCacheLagging = () => {
    throw new Error("not mine")
  }
  await using running = await testManager([controller("keeper", { ...keeper(), onCacheLagging })], {
    layer: silentWatches(() => silent),
  })
  await running.server.apply(configMap("root", { parts: "2" }))
  await running.server.settled()
  silent = true
  await running.server.advance("200s")
  expect(running.lines).toContainEqual({
    level: "error",
    message: "onCacheLagging threw; the key is reconciled later",
    fields: { controller: "keeper", key: "default/root", error: "not mine" },
  })
  silent = false
  await running.server.advance("5m")
  expect(await parts(running)).toBe(2)
  await running.stop()
})

test("a server that was restored to an older state does not hold a key for ever", async () => {
  const clock = new VirtualClock()
  const { log } = recordingLog()
  const found = { ...configMap("a"), metadata: { name: "a", namespace: "default", uid: "u", resourceVersion: "100" } }
  // It went from 100 back to 7, and the object that was deleted is there again.
  const reached = (version: string, signal: AbortSignal) =>
    Number(version) <= 7 ? Promise.resolve() : abortable(new Promise<void>(() => {}), signal)
  const informers = {
    scopeOf: () => ({}),
    of: () => ({ reached, addHandler() {}, ignorePauses: () => undefined, store: { get: () => found } }),
  } as unknown as Informers
  const client = { list: async () => ({ items: [], resourceVersion: "7" }) } as unknown as Client
  const guard = new WriteBarrier({
    caches: new Caches(informers, [configMaps]),
    client,
    resolve: () => configMaps,
    clock,
    log,
    dryRun: false,
  })
  guard.record("patched", [{ ok: true, operation: { do: "patch", object: found, patch: {}, reason: "test" }, object: found }])
  guard.record("deleted", [{ ok: true, operation: { do: "delete", object: found, reason: "test" } }])
  const { signal } = new AbortController()
  for (const key of ["patched", "deleted"]) {
    expect(await clock.run(guard.wait(key, signal))).toBe(false)
    expect(await clock.run(guard.wait(key, signal))).toBe(true)
  }
  expect(clock.elapsed()).toBe(2 * 120_000)
})

test("what the caches show already is not waited for: no timer, no question", async () => {
  const refused = () => {
    throw new Error("it waits")
  }
  const clock = Object.assign(new VirtualClock(), { timer: refused })
  const gone = { ...configMap("b"), metadata: { name: "b", namespace: "default", uid: "b", resourceVersion: "5" } }
  const store = { resourceVersion: "7", get: (): ConfigMap | undefined => undefined }
  const informers = { scopeOf: () => ({}), of: () => ({ reached: refused, addHandler() {}, store }) } as unknown as Informers
  const seams = { client: {} as Client, clock, log: recordingLog().log, dryRun: false }
  const guard = new WriteBarrier({ ...seams, caches: new Caches(informers, [configMaps]), resolve: () => configMaps })
  const write = () => {
    guard.record("a", [{ ok: true, operation: { do: "patch", object: gone, patch: {}, reason: "test" }, object: gone }])
    guard.record("a", [{ ok: true, operation: { do: "delete", object: gone, reason: "test" } }])
    return guard.wait("a", new AbortController().signal)
  }
  expect(await write()).toBe(true)
  store.get = () => gone
  await expect(write()).rejects.toThrow("it waits")
})

test("the kinds that a key waits for: those whose cache is behind, has not shown a deletion, or is unknown; none once it was forgotten", () => {
  const found = { ...configMap("a"), metadata: { name: "a", namespace: "default", uid: "u", resourceVersion: "7" } }
  const caches = new Map(
    [configMaps, pods].map((of) => [of.plural, { addHandler() {}, store: { resourceVersion: "7", get: () => found } }]),
  )
  const informers = { scopeOf: () => ({}), of: ({ plural }: { readonly plural: string }) => caches.get(plural) } as unknown as Informers
  const seams = { client: {} as Client, clock: new VirtualClock(), log: recordingLog().log, dryRun: false }
  const guard = new WriteBarrier({ ...seams, caches: new Caches(informers, [configMaps, pods]), resolve: () => configMaps })
  const patch = { do: "patch" as const, object: found, patch: {}, reason: "test" }
  const at = (resourceVersion: string) => ({ ...found, metadata: { ...found.metadata, resourceVersion } })
  const lost = new PilothouseError("CONNECTION_LOST", "lost")
  guard.record("seen", [{ ok: true, operation: patch, object: at("7") }])
  guard.record("behind", [
    { ok: true, operation: patch, object: at("7") },
    { ok: true, operation: { ...patch, of: pods as Descriptor }, object: at("8") },
  ])
  guard.record("deleted", [{ ok: true, operation: { do: "delete", object: found, reason: "test" } }])
  guard.record("unsure", [{ ok: false, operation: { ...patch, of: pods as Descriptor }, error: lost }])
  const kinds = (key: string) => guard.lagging(key).map(({ plural }) => plural)
  expect(["seen", "behind", "deleted", "unsure", "never"].map(kinds)).toEqual([[], ["pods"], ["configmaps"], ["pods"], []])
  // What a cache has shown is kept no longer, unless there is more to wait for.
  for (const key of ["seen", "behind", "deleted", "unsure", "never"]) guard.observed(key)
  for (const { store } of caches.values()) store.resourceVersion = "6"
  expect(["seen", "behind", "deleted", "unsure"].map(kinds)).toEqual([[], ["configmaps", "pods"], ["configmaps"], ["pods"]])
  guard.forget("behind")
  expect(kinds("behind")).toEqual([])
})

/** Every creation is refused, and nothing comes of it. */
function refusesCreates(): (transport: Transport) => Transport {
  return (inner) => async (request) => {
    if (request.verb !== "POST" || !request.path.endsWith("configmaps")) return inner(request)
    return { status: 403, headers: {}, body: valueBody(forbidden(configMaps, "", "test").status) }
  }
}

test("a write that was refused is not waited for: the key is looked at again as soon as its retry is due", async () => {
  await using running = await keeping(1, { layer: (transport) => refusesCreates()(transport) })
  await running.server.advance("1s")
  expect(writes(running, "create")).toBeGreaterThan(5)
  expect(running.lines.filter(({ message }) => message.includes("the key is delayed"))).toEqual([])
})

test("what was written for an object that is gone is forgotten: the next one of its name is looked at at once", async () => {
  const clock = new VirtualClock()
  const never = (_: string, signal: AbortSignal) => abortable(new Promise<void>(() => {}), signal)
  const informers = {
    scopeOf: () => ({}),
    of: () => ({ reached: never, addHandler() {}, ignorePauses: () => undefined, store: { get: () => undefined } }),
  }
  const caches = new Caches(informers as unknown as Informers, [configMaps])
  const guard = new WriteBarrier({ caches, client: {} as Client, resolve: () => configMaps, clock, log: recordingLog().log, dryRun: false })
  const object = { ...configMap("a"), metadata: { name: "a", namespace: "default", resourceVersion: "9" } }
  guard.record("default/a", [{ ok: true, operation: { do: "patch", object, patch: {}, reason: "test" }, object }])
  // One that waits already goes on, too.
  const waiting = guard.wait("default/a", new AbortController().signal)
  guard.forget("default/a")
  expect(await clock.run(waiting)).toBe(true)
  expect(await clock.run(guard.wait("default/a", new AbortController().signal))).toBe(true)
  expect(clock.elapsed()).toBe(0)
})

test("an object that is deleted and created again is reconciled at once, though the cache does not show the writes of the first", async () => {
  let silent = false
  const seen: string[] = []
  const maker = controller("maker", {
    for: configMaps,
    reads: [pods],
    observe: (key, read) => (key === "default/root" ? read.get(configMaps, key) : undefined),
    decide({ metadata: { uid = "" } }) {
      seen.push(uid)
      const spec = { containers: [{ name: "a", image: "a" }] }
      const made: Pod = { apiVersion: "v1", kind: "Pod", metadata: { generateName: "made-", namespace: "default" }, spec }
      return plan().create(made, "one for each").requeueAfter(100, "to be quick")
    },
  })
  await using running = await testManager([maker], { layer: silentWatches(() => silent, "pods") })
  await running.server.settled()
  silent = true
  await running.server.apply(configMap("root"))
  await running.server.advance("1s")
  expect(seen).toHaveLength(1)
  await running.server.client.delete(configMaps, "default/root")
  const { uid } = (await running.server.apply(configMap("root"))).metadata
  await running.server.settled()
  expect(seen.at(-1)).toBe(uid)
})

test("an operation of an unknown kind does not lose the others of its plan", async () => {
  const unknown = { apiVersion: "example.com/v1", kind: "Nothing", metadata: { name: "x", namespace: "default" } }
  const loose = controller("loose", {
    for: configMaps,
    observe(key, read) {
      const root = key === "default/root" ? read.get(configMaps, key) : undefined
      return root && read.list(configMaps, "default").filter(isPart)
    },
    decide(found) {
      const made = plan().patch(unknown, { x: 1 }, "test").requeueAfter(100, "to be quick")
      const metadata = { generateName: "part-", namespace: "default", labels: { part: "yes" } }
      return found.length > 0 ? made : made.create({ ...configMap(""), metadata }, "there is none")
    },
  })
  await using running = await testManager([loose], { layer: lateWatches(3000) })
  await running.server.apply(configMap("root"))
  await running.server.advance("90s")
  expect(await parts(running)).toBe(1)
})
