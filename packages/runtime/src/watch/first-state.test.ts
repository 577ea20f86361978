import { internalError } from "@pilothouse/api"
import { describe, expect, test } from "vitest"
import { informerFixture, short } from "../testing/informer-fixture.ts"
import { expectTruth, requestsOf, startedWith } from "./testing/watching.ts"

describe("the first state", () => {
  test("is streamed, and the same connection goes on as the watch", async () => {
    await using fixture = await startedWith(["a", "b"])
    fixture.api.put("c")
    await fixture.clock.settle()
    expect(requestsOf(fixture)).toEqual(["stream"])
    expect(fixture.seen.map(short)).toEqual(["initially added a@1", "initially added b@2", "added c@3"])
    expect(fixture.api.requests[0]?.query).toMatchObject({ allowWatchBookmarks: "true", resourceVersionMatch: "NotOlderThan" })
    expectTruth(fixture)
  })

  test("that is streamed is given in one piece, changes that come meanwhile included", async () => {
    await using fixture = informerFixture()
    fixture.api.put("a")
    fixture.api.put("b")
    fixture.api.next("stream", { do: "delay", milliseconds: 10 })
    await fixture.start()
    expect(fixture.seen).toEqual([])
    fixture.api.remove("a")
    await fixture.clock.advance(10)
    expect(fixture.seen.map(short)).toEqual(["initially added b@2"])
  })

  test("comes in pages where the server knows no streams, from any version its cache has", async () => {
    await using fixture = await startedWith(["a"], { streams: false })
    expect(requestsOf(fixture)).toEqual(["stream", "list@0/500", "watch@1"])
    fixture.api.compact()
    fixture.api.elsewhere()
    fixture.api.compact()
    fixture.api.breakAll()
    await fixture.clock.advance("10s")
    expect(requestsOf(fixture).slice(3)).toEqual(["list/1", "watch@1", "list/500", "watch@2"])
  })

  test("an empty list is a complete state", async () => {
    for (const streams of [true, false]) {
      await using fixture = await startedWith([], { streams })
      expect(fixture.informer.hasSynced).toBe(true)
      fixture.api.put("a")
      await fixture.clock.settle()
      expectTruth(fixture)
    }
  })

  test("a stream that breaks twice before it is complete is left for pages", async () => {
    await using fixture = informerFixture()
    for (const name of ["a", "b", "c"]) fixture.api.put(name)
    fixture.api.next("stream", { do: "cut", after: 1 }, { do: "cut", after: 2 })
    await fixture.start()
    await fixture.clock.advance("10s")
    expect(requestsOf(fixture)).toEqual(["stream", "stream", "list@0/500", "watch@3"])
    expectTruth(fixture)
  })

  test("comes in pages where the server fails at every stream, and the next states too", async () => {
    await using fixture = informerFixture()
    fixture.api.put("a")
    fixture.api.next("stream", ...Array.from({ length: 20 }, () => ({ do: "refuse", error: internalError("no watch cache") }) as const))
    await fixture.start()
    await fixture.clock.advance("10s")
    expect(requestsOf(fixture)).toEqual(["stream", "stream", "list@0/500", "watch@1"])
    expectTruth(fixture)
  })

  test("a stream that is never answered is half-open, and asked for again", async () => {
    await using fixture = informerFixture()
    fixture.api.put("a")
    fixture.api.next("stream", { do: "hang" })
    await fixture.start()
    await fixture.clock.advance("93s")
    expect(fixture.lines.some(({ fields }) => String(fields.error).includes("nothing was received"))).toBe(true)
    expectTruth(fixture)
  })

  test("a stream that brings nothing for ten seconds is worth a warning", async () => {
    await using fixture = informerFixture()
    fixture.api.next("stream", { do: "silence", after: 0 })
    await fixture.start()
    await fixture.clock.advance("11s")
    expect(fixture.lines.map(({ message }) => message)).toEqual([
      "nothing was received for 10000 ms while the initial state of configmaps is streamed",
    ])
  })

  test("a list that is never answered is given up and asked for again", async () => {
    await using fixture = informerFixture({ streams: false })
    fixture.api.put("a")
    fixture.api.next("list", { do: "hang" })
    await fixture.start()
    await fixture.clock.advance("299s")
    expect(requestsOf(fixture)).toEqual(["stream", "list@0/500"])
    await fixture.clock.advance("3s")
    expect(requestsOf(fixture)).toEqual(["stream", "list@0/500", "list@0/500", "watch@1"])
    expectTruth(fixture)
  })
})

test("huge lists: 20,000 objects come as one state", async () => {
  for (const streams of [true, false]) {
    await using fixture = informerFixture({ streams })
    for (let at = 0; at < 20_000; at++) fixture.api.put(`cm-${at}`)
    await fixture.start()
    expect(fixture.informer.store.size).toBe(20_000)
    expect(fixture.seen).toHaveLength(20_000)
    fixture.api.compact()
    fixture.api.restore(19_999)
    await fixture.clock.advance("5s")
    expect(fixture.seen.slice(20_000).map(short)).toEqual(["deleted? cm-19999@20000"])
  }
})
