import type { ConfigMap } from "@pilothouse/api/core/v1"
import { memoryMetrics, recordingLog, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { informerFixture } from "../testing/informer-fixture.ts"
import { HandlerChains } from "./handler-chains.ts"
import type { ChainHandler } from "./task.ts"
import { chainFixture } from "./testing/chain-fixture.ts"
import { TestSource, valueOf } from "./testing/source.ts"

test("no handler runs before everything has synced, and then all initial objects are delivered in order", async () => {
  await using f = await chainFixture({}, false)
  f.source.put("a", "1")
  f.source.put("b", "1")
  await f.clock.advance("5s")
  expect([f.handled, f.chains.hasSynced]).toEqual([[], false])
  f.source.markSynced()
  await f.clock.settle()
  expect([f.handled, f.chains.hasSynced]).toEqual([["add shop/a=1 @5", "add shop/b=1 @5"], true])
})

test("everything is every kind: no handler of one runs before the other was read too", async () => {
  const [clock, read, unread, told] = [new VirtualClock(), new TestSource(), new TestSource(), [] as string[]]
  const chains = new HandlerChains({ name: "two", clock, log: recordingLog().log })
  for (const [kind, source] of Object.entries({ read, unread }))
    chains.chain(source, { kind, handlers: [({ key }) => void told.push(`${kind} ${key}`)] })
  const stopping = new AbortController()
  const running = chains.run(stopping.signal)
  read.put("a", "1")
  unread.put("b", "1")
  read.markSynced()
  await clock.advance("1m")
  expect([told, chains.hasSynced]).toEqual([[], false])
  unread.markSynced()
  await clock.settle()
  expect([told, chains.hasSynced]).toEqual([["read shop/a", "unread shop/b"], true])
  stopping.abort()
  await clock.run(running)
})

test("what was there at the start goes kind by kind in the order of the chains, whichever came first; what comes later as it comes", async () => {
  const [clock, first, second, told] = [new VirtualClock(), new TestSource(), new TestSource(), [] as string[]]
  const chains = new HandlerChains({ name: "two", clock, log: recordingLog().log })
  for (const [kind, source] of Object.entries({ first, second }))
    chains.chain(source, { kind, handlers: [({ key }) => void told.push(`${kind} ${key}`)] })
  const stopping = new AbortController()
  const running = chains.run(stopping.signal)
  for (const [source, name] of [
    [second, "a"],
    [first, "b"],
    [second, "c"],
    [first, "d"],
  ] as const)
    source.put(name, "1")
  second.markSynced()
  first.markSynced()
  await clock.settle()
  expect(told.splice(0)).toEqual(["first shop/b", "first shop/d", "second shop/a", "second shop/c"])
  second.put("e", "1")
  first.put("f", "1")
  await clock.settle()
  expect(told).toEqual(["second shop/e", "first shop/f"])
  stopping.abort()
  await clock.run(running)
})

test("with nothing to read it has caught up at once", async () => {
  await using f = await chainFixture()
  expect(f.chains.hasSynced).toBe(true)
  await f.chains.synced
})

test("an object that fails at the start does not keep the rest from having caught up", async () => {
  await using f = await chainFixture({}, false)
  f.failing.set("a", new Error("no"))
  f.source.put("a", "1")
  f.source.put("b", "1")
  f.source.markSynced()
  await f.clock.settle()
  expect([f.handled, f.chains.hasSynced]).toEqual([["add shop/b=1 @0"], true])
})

test("the first error ends the chain, and a retry runs the whole of it again", async () => {
  await using f = await chainFixture()
  f.failing.set("a", new Error("not yet"))
  f.source.put("a", "1")
  await f.clock.settle()
  expect([f.tries, f.handled]).toEqual([["add shop/a=1 @0"], []])
  f.failing.clear()
  await f.clock.advance("1s")
  expect([f.tries, f.handled]).toEqual([["add shop/a=1 @0", "add shop/a=1 @1"], ["add shop/a=1 @1"]])
})

test("a failing object is retried after 1 s, doubling to 1 min, without delaying others", async () => {
  await using f = await chainFixture()
  f.failing.set("a", new Error("no"))
  f.source.put("a", "1")
  await f.clock.advance("3m")
  f.source.put("b", "1")
  await f.clock.settle()
  expect(f.tries.map((line) => line.split("@")[1])).toEqual(["0", "1", "3", "7", "15", "31", "63", "123", "180"])
  expect(f.handled).toEqual(["add shop/b=1 @180"])
})

test("the waits can be chosen", async () => {
  await using f = await chainFixture({ retry: { first: "100ms", max: "200ms" } })
  f.failing.set("a", new Error("no"))
  f.source.put("a", "1")
  await f.clock.advance("600ms")
  expect(f.tries.map((line) => line.split("@")[1])).toEqual(["0", "0.1", "0.3", "0.5"])
})

test("a newer event of the object takes the place of the failing one at once", async () => {
  await using f = await chainFixture()
  f.failing.set("a", new Error("no"))
  f.source.put("a", "1")
  await f.clock.advance("10s")
  f.failing.clear()
  f.source.put("a", "2")
  await f.clock.settle()
  expect(f.handled).toEqual(["add shop/a=2 @10"])
  await f.clock.advance("1h")
  expect(f.handled).toHaveLength(1)
})

test("what failed after it was superseded does not make the newer one wait longer", async () => {
  const first = Promise.withResolvers<void>()
  const tries: string[] = []
  const fails: ChainHandler<ConfigMap> = ({ object }) => {
    tries.push(`${valueOf(object)} @${f.clock.elapsed() / 1000}`)
    return tries.length === 1 ? first.promise : Promise.reject(new Error("no"))
  }
  await using f = await chainFixture({ handlers: [fails] })
  f.source.put("a", "1")
  await f.clock.settle()
  f.source.put("a", "2")
  first.reject(new Error("no"))
  await f.clock.advance("3s")
  expect(tries).toEqual(["shop/a=1 @0", "shop/a=2 @0", "shop/a=2 @1", "shop/a=2 @3"])
})

test("retries end when the object is deleted: its delete is delivered instead", async () => {
  await using f = await chainFixture()
  f.failing.set("a", new Error("no"))
  f.source.put("a", "1")
  await f.clock.advance("2s")
  f.failing.clear()
  f.source.remove("a", true)
  await f.clock.advance("1h")
  expect(f.handled).toEqual(["delete shop/a=1 @2"])
})

test("after 10 attempts an object is listed as stuck, is tried on, and leaves the list when it goes well", async () => {
  await using f = await chainFixture()
  f.failing.set("a", new Error("bad port"))
  f.source.put("a", "1")
  await f.clock.advance("4m")
  expect(f.chains.stuck).toEqual([])
  await f.clock.advance("1m")
  expect(f.chains.stuck).toMatchObject([{ kind: "ConfigMaps", key: "shop/a", attempts: 10, error: "bad port", givenUp: false }])
  await f.clock.advance("1h")
  expect(f.chains.stuck).toMatchObject([{ attempts: 70 }])
  f.failing.clear()
  await f.clock.advance("1m")
  expect([f.chains.stuck, f.handled.length]).toEqual([[], 1])
})

test("a delete whose handlers keep failing is given up after 10 attempts and stays listed until the object comes again", async () => {
  await using f = await chainFixture()
  f.source.put("a", "1")
  await f.clock.settle()
  f.failing.set("a", new Error("no"))
  f.source.remove("a")
  await f.clock.advance("1h")
  expect(f.tries).toHaveLength(11)
  expect(f.chains.stuck).toMatchObject([{ key: "shop/a", attempts: 10, givenUp: true }])
  expect(f.chains.waiting).toEqual({ now: 0, later: 0 })
  f.failing.clear()
  f.source.put("a", "2")
  await f.clock.settle()
  expect([f.chains.stuck, f.handled.at(-1)]).toEqual([[], "add shop/a=2 @3600"])
})

test("an update that was stuck used up the attempts of the delete behind it, which was tried once and given up", async () => {
  await using f = await chainFixture()
  f.failing.set("a", new Error("no"))
  f.source.put("a", "1")
  await f.clock.advance("1h")
  f.source.remove("a")
  await f.clock.advance("3s")
  expect(f.chains.stuck).toEqual([])
  f.failing.clear()
  await f.clock.advance("1h")
  expect(f.handled).toEqual(["delete shop/a=1 @3607"])
})

test("a delete that was given up used up the attempts of the next object's delete", async () => {
  await using f = await chainFixture()
  f.source.put("a", "1")
  await f.clock.settle()
  f.failing.set("a", new Error("no"))
  f.source.remove("a")
  await f.clock.advance("1h")
  f.source.put("a", "2")
  await f.clock.settle()
  f.source.remove("a")
  await f.clock.settle()
  f.failing.clear()
  await f.clock.advance("1s")
  expect(f.handled.at(-1)).toBe("delete shop/a=2 @3601")
})

test("an object that was deleted and created again while it waited is delivered as both, in that order", async () => {
  await using f = await chainFixture()
  f.source.put("a", "1")
  await f.clock.settle()
  f.failing.set("a", new Error("no"))
  f.source.remove("a")
  await f.clock.settle()
  f.source.put("a", "2")
  await f.clock.advance("500ms")
  f.failing.clear()
  await f.clock.advance("500ms")
  expect(f.handled).toEqual(["add shop/a=1 @0", "delete shop/a=1 @1", "add shop/a=2 @1"])
})

test("equal updates are dropped and counted", async () => {
  await using f = await chainFixture()
  f.source.put("a", "1")
  f.source.put("a", "1")
  f.source.put("a", "2")
  f.source.remove("a")
  await f.clock.settle()
  expect(f.counted).toEqual(["add", "updateSame", "update", "delete"])
})

test("what counts as equal can be chosen", async () => {
  await using f = await chainFixture({ equal: () => true })
  f.source.put("a", "1")
  await f.clock.settle()
  f.source.put("a", "2")
  await f.clock.settle()
  expect([f.handled, f.counted]).toEqual([["add shop/a=1 @0"], ["add", "updateSame"]])
})

test("a resync and again() send an object through the chain once more", async () => {
  await using f = await chainFixture()
  const more: string[] = []
  const second = new HandlerChains({ name: "second", clock: f.clock, log: recordingLog().log })
  const chain = second.chain(f.source, { kind: "ConfigMaps", handlers: [({ event, key }) => void more.push(`${event} ${key}`)] })
  const stopping = new AbortController()
  const running = second.run(stopping.signal)
  f.source.put("a", "1")
  await f.clock.settle()
  f.source.resync()
  await f.clock.settle()
  chain.requeue("shop/a")
  chain.requeue("shop/a")
  chain.requeue("shop/missing")
  await f.clock.settle()
  expect(more).toEqual(["add shop/a", "update shop/a", "update shop/a"])
  stopping.abort()
  await f.clock.run(running)
})

test("again() for an object whose handler was at work was lost; now it goes through once more when that ends", async () => {
  const working: PromiseWithResolvers<void>[] = []
  const slow: ChainHandler<ConfigMap> = () => {
    const one = Promise.withResolvers<void>()
    working.push(one)
    return one.promise
  }
  await using f = await chainFixture({ handlers: [slow] })
  f.source.put("a", "1")
  await f.clock.settle()
  f.chain.requeue("shop/a")
  f.chain.requeue("shop/a")
  for (const at of [0, 1]) {
    working[at]?.resolve()
    await f.clock.settle()
  }
  expect([working.length, f.handled]).toEqual([2, ["add shop/a=1 @0", "update shop/a=1 @0"]])
  expect(f.chains.waiting).toEqual({ now: 0, later: 0 })
})

test("again() for an object that waits for its next attempt is that attempt, with the newest state", async () => {
  await using f = await chainFixture({ equal: () => true })
  f.failing.set("a", new Error("no"))
  f.source.put("a", "1")
  await f.clock.settle()
  f.source.put("a", "2")
  f.failing.clear()
  f.chain.requeue("shop/a")
  await f.clock.advance("1m")
  expect(f.handled).toEqual(["add shop/a=2 @0"])
})

test("a chain that is created after run(), and a second run, are refused", async () => {
  await using f = await chainFixture()
  expect(() => f.chains.chain(new TestSource(), { kind: "Secrets" })).toThrow(
    "handler chains test: expected every chain to be created before run(), found that of Secrets after it; create it earlier",
  )
  await expect(f.chains.run(new AbortController().signal)).rejects.toThrow("expected to be run once")
})

test("stop ends an idle queue at once", async () => {
  const f = await chainFixture()
  const before = f.clock.elapsed()
  await f.stop()
  expect(f.clock.elapsed()).toBe(before)
})

test("stop drains what is ready, and takes nothing more", async () => {
  const f = await chainFixture()
  for (const name of ["a", "b", "c"]) f.source.put(name, "1")
  await f.stop()
  f.source.put("d", "1")
  await f.clock.settle()
  expect(f.handled).toEqual(["add shop/a=1 @0", "add shop/b=1 @0", "add shop/c=1 @0"])
})

test("a handler that never ended held up all others; now it has failed after its time limit, and its signal says so", async () => {
  const signals: AbortSignal[] = []
  const hangs: ChainHandler<ConfigMap> = (task, signal) => {
    if (task.object.metadata.name !== "a") return
    signals.push(signal)
    return new Promise<void>(() => {})
  }
  await using f = await chainFixture({ timeLimit: "1m", handlers: [hangs] })
  f.source.put("a", "1")
  f.source.put("b", "1")
  await f.clock.advance("59s")
  expect([f.handled, signals.map(({ aborted }) => aborted)]).toEqual([[], [false]])
  await f.clock.advance("2s")
  expect(f.handled).toEqual(["add shop/b=1 @60"])
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false])
})

test("stop waited for ever for a handler that never ended; now it ends after the grace period", async () => {
  const signals: AbortSignal[] = []
  const hangs: ChainHandler<ConfigMap> = (_task, signal) => {
    signals.push(signal)
    return new Promise<void>(() => {})
  }
  const f = await chainFixture({ grace: "10s", handlers: [hangs] })
  f.source.put("a", "1")
  f.source.put("b", "1")
  await f.clock.settle()
  await f.stop()
  expect([f.clock.elapsed(), signals.map(({ aborted }) => aborted)]).toEqual([10_000, [true]])
})

test("stop before everything has synced delivers nothing", async () => {
  const f = await chainFixture({}, false)
  f.source.put("a", "1")
  await f.stop()
  expect(f.handled).toEqual([])
})

test("the queue is the runtime's own, with its metrics", async () => {
  const metrics = memoryMetrics()
  await using f = await chainFixture({ metrics })
  f.failing.set("a", new Error("no"))
  f.source.put("a", "1")
  await f.clock.settle()
  expect([metrics.value("workqueue_adds_total", { name: "test" }), metrics.value("workqueue_retries_total", { name: "test" })]).toEqual([
    1, 1,
  ])
})

test("it runs on an informer", async () => {
  await using f = informerFixture()
  const told: string[] = []
  const chains = new HandlerChains({ name: "informed", clock: f.clock, log: recordingLog().log })
  chains.chain(f.informer, { kind: "ConfigMaps", handlers: [({ event, key }) => void told.push(`${event} ${key}`)] })
  const stopping = new AbortController()
  const running = chains.run(stopping.signal)
  f.api.put("a")
  await f.start()
  f.api.put("a")
  f.api.put("b")
  await f.clock.settle()
  f.api.remove("a")
  await f.clock.settle()
  expect(told).toEqual(["add default/a", "update default/a", "add default/b", "delete default/a"])
  stopping.abort()
  await f.clock.run(running)
})
