import { type ConfigMap, configMaps } from "@pilothouse/api/core/v1"
import { memoryMetrics } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { inconsistency, informerFixture, short } from "../testing/informer-fixture.ts"
import type { Notice } from "./change.ts"
import { index } from "./index-definition.ts"

const forever = new AbortController().signal

function recorder(): { readonly seen: string[]; readonly handler: (change: Notice<ConfigMap>["change"], initial: boolean) => void } {
  const seen: string[] = []
  return { seen, handler: (change, initial) => void seen.push(short({ change, initial })) }
}

describe("handlers", () => {
  test("receive changes in order, after the store has them", async () => {
    await using fixture = informerFixture()
    const found: unknown[] = []
    fixture.informer.addHandler(({ object }) =>
      found.push(fixture.informer.store.get(`default/${object.metadata.name}`)?.metadata.resourceVersion),
    )
    fixture.api.put("a")
    await fixture.start()
    fixture.api.put("a")
    fixture.api.remove("a")
    await fixture.clock.settle()
    expect(fixture.seen.map(short)).toEqual(["initially added a@1", "updated a@2", "deleted a@3"])
    expect(found).toEqual(["1", "2", undefined])
  })

  test("added later receive everything as initial first, then changes", async () => {
    await using fixture = informerFixture()
    fixture.api.put("a")
    await fixture.start()
    fixture.api.put("b")
    await fixture.clock.settle()
    const late = recorder()
    const registration = fixture.informer.addHandler(late.handler)
    expect(late.seen).toEqual(["initially added a@1", "initially added b@2"])
    expect(registration.hasSynced).toBe(true)
    fixture.api.put("c")
    await fixture.clock.settle()
    expect(late.seen.slice(2)).toEqual(["added c@3"])
  })

  test("added in the middle of a batch receive each object once", async () => {
    await using fixture = informerFixture()
    const late = recorder()
    let added = false
    fixture.informer.addHandler(() => {
      if (!added) fixture.informer.addHandler(late.handler)
      added = true
    })
    fixture.api.put("a")
    fixture.api.put("b")
    await fixture.start()
    expect(late.seen).toEqual(["initially added a@1", "initially added b@2"])
  })

  test("removed in the middle of a batch receive nothing more", async () => {
    await using fixture = informerFixture()
    const removed = recorder()
    const registration = fixture.informer.addHandler((change, initial) => {
      removed.handler(change, initial)
      registration[Symbol.dispose]()
    })
    fixture.api.put("a")
    fixture.api.put("b")
    await fixture.start()
    fixture.api.put("c")
    await fixture.clock.settle()
    expect(removed.seen).toEqual(["initially added a@1"])
  })

  test("that take long give others a turn after each 25 ms, and none while they are quick", async () => {
    for (const [milliseconds, turns] of [
      [10, 4],
      [1, 0],
    ] as const) {
      let asked = 0
      let taken = 0
      await using fixture = informerFixture({ whenFree: () => void asked++ as undefined })
      const { clock } = fixture
      const elapsed = clock.elapsed.bind(clock)
      clock.elapsed = () => elapsed() + taken
      fixture.informer.addHandler(() => void (taken += milliseconds))
      await fixture.start()
      for (let count = 0; count < 12; count++) fixture.api.put("a")
      await clock.settle()
      expect([fixture.seen.length, asked]).toEqual([12, turns])
    }
  })

  test("that throw are logged, and the others go on", async () => {
    await using fixture = informerFixture()
    const other = recorder()
    fixture.informer.addHandler(
      () => {
        throw new Error("my bug")
      },
      { name: "careless" },
    )
    fixture.informer.addHandler(other.handler)
    fixture.api.put("a")
    await fixture.start()
    expect(other.seen).toEqual(["initially added a@1"])
    expect(fixture.lines).toMatchObject([{ level: "error", fields: { handler: "careless", key: "default/a", error: "my bug" } }])
  })

  test("that are async functions are not waited for, and their failures are logged", async () => {
    await using fixture = informerFixture()
    const other = recorder()
    const careless: ((...told: unknown[]) => unknown)[] = [() => new Promise(() => {}), () => Promise.reject(new Error("later"))]
    for (const handler of careless) fixture.informer.addHandler(handler)
    fixture.informer.addHandler(other.handler)
    fixture.api.put("a")
    await fixture.start()
    expect(other.seen).toEqual(["initially added a@1"])
    expect(fixture.lines).toMatchObject([{ level: "error", fields: { error: "later" } }])
  })

  test("receive two objects for one that was created again while no watch was open", async () => {
    await using fixture = informerFixture()
    fixture.api.put("a")
    await fixture.start()
    fixture.api.breakAll()
    fixture.api.remove("a")
    fixture.api.put("a")
    fixture.api.compact()
    await fixture.clock.advance("5s")
    expect(fixture.seen.map(short)).toEqual(["initially added a@1", "deleted? a@1", "added a@3"])
  })

  test("do not receive objects that a second list has unchanged", async () => {
    await using fixture = informerFixture()
    fixture.api.put("a")
    await fixture.start()
    const before = fixture.informer.store.get("default/a")
    fixture.api.breakAll()
    fixture.api.elsewhere()
    fixture.api.compact()
    await fixture.clock.advance("5s")
    expect(fixture.events.filter(({ type }) => type === "listed")).toHaveLength(2)
    expect(fixture.seen).toHaveLength(1)
    expect(fixture.informer.store.get("default/a")).toBe(before)
  })

  test("after a list find the whole new state in the store, and receive deletions first", async () => {
    await using fixture = informerFixture()
    for (const name of ["a", "b", "c"]) fixture.api.put(name)
    await fixture.start()
    const sizes: number[] = []
    fixture.informer.addHandler((_change, initial) => initial || sizes.push(fixture.informer.store.size))
    fixture.api.breakAll()
    fixture.api.put("a", "new")
    fixture.api.put("z")
    fixture.api.put("y")
    fixture.api.remove("c")
    fixture.api.remove("b")
    fixture.api.compact()
    await fixture.clock.advance("5s")
    expect(fixture.seen.slice(3).map(short)).toEqual(["deleted? b@2", "deleted? c@3", "updated a@4", "added z@5", "added y@6"])
    expect(sizes).toEqual([3, 3, 3, 3, 3])
  })
})

describe("synced", () => {
  test("the informer's and each handler's come with the first complete state, and not before", async () => {
    await using fixture = informerFixture()
    fixture.api.put("a")
    fixture.api.next("stream", { do: "delay", milliseconds: 100 })
    const registration = fixture.informer.addHandler(() => {})
    await fixture.start()
    expect([fixture.informer.hasSynced, registration.hasSynced]).toEqual([false, false])
    await fixture.clock.run(Promise.all([fixture.informer.synced(forever), registration.synced(forever)]))
    expect([fixture.informer.hasSynced, registration.hasSynced]).toEqual([true, true])
  })

  test("an aborted caller is not waited for", async () => {
    await using fixture = informerFixture()
    const giving = new AbortController()
    const waiting = fixture.informer.synced(giving.signal)
    giving.abort()
    await expect(waiting).rejects.toMatchObject({ code: "ABORTED" })
  })

  test("an index function that throws costs only who reads that index", async () => {
    await using fixture = informerFixture()
    const picky = index(configMaps, "picky", ({ metadata }) => {
      if (metadata.name === "bad") throw new Error("cannot say")
      return ["all"]
    })
    fixture.informer.addIndex(picky)
    for (const name of ["a", "bad", "c"]) fixture.api.put(name)
    await fixture.start()
    expect(fixture.informer.hasSynced).toBe(true)
    expect(fixture.informer.store.size).toBe(3)
    expect(() => fixture.informer.store.byIndex(picky, "all")).toThrow("it throws for default/bad: cannot say")
    fixture.api.remove("bad")
    await fixture.clock.settle()
    expect(fixture.informer.store.byIndex(picky, "all")).toHaveLength(2)
    expect(inconsistency(fixture.seen, fixture.informer.store.list())).toBeUndefined()
  })
})

describe("resync", () => {
  test("reminds only the handler that asked, on its beat, from the store", async () => {
    await using fixture = informerFixture()
    fixture.api.put("a")
    const reminded = recorder()
    fixture.informer.addHandler(reminded.handler, { resync: "10s" })
    await fixture.start()
    await fixture.clock.advance("35s")
    expect(reminded.seen).toEqual(["initially added a@1", "initially resync a@1", "initially resync a@1", "initially resync a@1"])
    expect(fixture.seen).toHaveLength(1)
    expect(fixture.api.requests).toHaveLength(1)
  })

  test("is not more often than once a second, and ends with the handler", async () => {
    await using fixture = informerFixture()
    fixture.api.put("a")
    const reminded = recorder()
    await fixture.start()
    const registration = fixture.informer.addHandler(reminded.handler, { resync: 1 })
    await fixture.clock.advance("3s")
    registration[Symbol.dispose]()
    await fixture.clock.advance("3s")
    expect(reminded.seen).toHaveLength(4)
  })
})

describe("a transform", () => {
  test("is asked once about each object that comes, and not about reminders, or about what a list no longer has", async () => {
    const asked: string[] = []
    const transform = (object: ConfigMap) => {
      asked.push(`${object.metadata.name}@${object.metadata.resourceVersion}`)
      return object
    }
    await using fixture = informerFixture({ transform })
    fixture.api.put("a")
    fixture.api.put("b")
    fixture.informer.addHandler(() => {}, { resync: "10s" })
    await fixture.start()
    await fixture.clock.advance("35s")
    expect(asked).toEqual(["a@1", "b@2"])
    fixture.api.breakAll()
    fixture.api.remove("a")
    fixture.api.compact()
    await fixture.clock.advance("5s")
    expect(fixture.seen.slice(2).map(short)).toEqual(["deleted? a@1"])
    expect(asked).toEqual(["a@1", "b@2", "b@2"])
  })
})

describe("reached", () => {
  test("ends when the store has come to the version, by an event or a bookmark", async () => {
    await using fixture = informerFixture()
    fixture.api.put("a")
    await fixture.start()
    const done: string[] = []
    for (const version of ["3", "1", "2"]) void fixture.informer.reached(version, forever).then(() => done.push(version))
    await fixture.clock.settle()
    expect(done).toEqual(["1"])
    fixture.api.put("b")
    await fixture.clock.settle()
    expect(done).toEqual(["1", "2"])
    fixture.api.elsewhere()
    fixture.api.bookmark()
    await fixture.clock.settle()
    expect(done).toEqual(["1", "2", "3"])
  })

  test("an aborted caller leaves no waiter behind", async () => {
    await using fixture = informerFixture()
    await fixture.start()
    const giving = new AbortController()
    const waiting = fixture.informer.reached("9", giving.signal)
    giving.abort()
    await expect(waiting).rejects.toMatchObject({ code: "ABORTED" })
    await expect(fixture.informer.reached("9", giving.signal)).rejects.toMatchObject({ code: "ABORTED" })
  })
})

describe("a life", () => {
  test("is run once, and takes no handlers after its end", async () => {
    const fixture = informerFixture()
    await fixture.start()
    await expect(fixture.informer.run(forever)).rejects.toMatchObject({ code: "INVALID" })
    await fixture.stop()
    expect(() => fixture.informer.addHandler(() => {})).toThrow("found it stopped")
  })

  test("is measured", async () => {
    const metrics = memoryMetrics()
    await using fixture = informerFixture({ metrics })
    fixture.api.put("a")
    await fixture.start()
    fixture.api.put("b")
    await fixture.clock.settle()
    const name = { name: "configmaps" }
    expect(metrics.value("informer_store_resource_version", name)).toBe(2)
    expect(metrics.value("informer_processing_latency_seconds", name)).toBe(2)
  })
})

describe("subscriptions", () => {
  async function readSome(reading: AsyncIterator<Notice<ConfigMap>>, count: number): Promise<readonly string[]> {
    const seen: string[] = []
    for (let at = 0; at < count; at++) seen.push(short((await reading.next()).value))
    return seen
  }

  test("give a slow reader everything in order, without delaying others", async () => {
    await using fixture = informerFixture()
    fixture.api.put("a")
    await fixture.start()
    const reading = fixture.informer.subscribe()[Symbol.asyncIterator]()
    fixture.api.put("b")
    fixture.api.remove("a")
    await fixture.clock.settle()
    expect(fixture.seen).toHaveLength(3)
    expect(await readSome(reading, 3)).toEqual(["initially added a@1", "added b@2", "deleted a@3"])
    await reading.return?.(undefined)
  })

  test("of a reader that never reads are ended, and say so when it comes back", async () => {
    await using fixture = informerFixture()
    await fixture.start()
    const reading = fixture.informer.subscribe({ limit: 2, name: "sleeper" })[Symbol.asyncIterator]()
    for (let at = 0; at < 5; at++) fixture.api.put("a")
    await fixture.clock.settle()
    expect(fixture.seen).toHaveLength(5)
    expect(await readSome(reading, 2)).toEqual(["added a@1", "updated a@2"])
    await expect(reading.next()).rejects.toMatchObject({ code: "COMPACTED" })
  })

  test("of a reader that never reads are ended after 1024 changes by default", async () => {
    await using fixture = informerFixture()
    await fixture.start()
    const subscription = fixture.informer.subscribe()
    for (let at = 0; at < 1024; at++) fixture.api.put("a")
    await fixture.clock.settle()
    expect(subscription.ended).toBe(false)
    fixture.api.put("a")
    await fixture.clock.settle()
    expect(subscription.ended).toBe(true)
  })

  test("that make the informer wait hold the server up in the end, and lose nothing", async () => {
    await using fixture = informerFixture()
    await fixture.start()
    const subscription = fixture.informer.subscribe({ limit: 2, whenFull: "wait" })
    const reading = subscription[Symbol.asyncIterator]()
    const count = 1500
    for (let at = 0; at < count; at++) fixture.api.put(`cm-${at}`)
    await fixture.clock.settle()
    // About a thousand wait here, the others at the server.
    expect(fixture.api.unread).toBeGreaterThan(count - 1010)
    await fixture.clock.advance("10m")
    expect(fixture.informer.store.size).toBeLessThan(10)
    expect(fixture.informer.store.resourceVersion).not.toBe(String(count))
    for (let read = 0; read < count; read++) {
      if (subscription.waiting === 0) await fixture.clock.advance("1m")
      expect((await reading.next()).value?.change.object.metadata.name).toBe(`cm-${read}`)
    }
    await fixture.clock.advance("1m")
    expect(fixture.informer.store.size).toBe(count)
    expect(inconsistency(fixture.seen, fixture.informer.store.list())).toBeUndefined()
    await reading.return?.(undefined)
  })

  test("end with the informer, after what still waits was read", async () => {
    const fixture = informerFixture()
    fixture.api.put("a")
    await fixture.start()
    const reading = fixture.informer.subscribe()
    await fixture.stop()
    const seen: string[] = []
    for await (const notice of reading) seen.push(short(notice))
    expect(seen).toEqual(["initially added a@1"])
  })
})
