import { describe, expect, test } from "vitest"
import { informerFixture, short } from "../testing/informer-fixture.ts"
import { expectTruth, requestsOf, startedWith } from "./testing/watching.ts"

describe("streams that lie", () => {
  test("half-open: a stream that says nothing for 90 seconds is left, and nothing is lost", async () => {
    for (const after of [2, 3]) {
      await using fixture = informerFixture()
      fixture.api.put("a")
      fixture.api.next("stream", { do: "silence", after })
      await fixture.start()
      fixture.api.put("b")
      fixture.api.put("c")
      await fixture.clock.advance("95s")
      expectTruth(fixture)
    }
  })

  test("a quiet stream with bookmarks is not half-open, and its bookmarks keep the place fresh", async () => {
    await using fixture = await startedWith(["a"])
    for (let minute = 0; minute < 30; minute++) {
      fixture.api.elsewhere()
      await fixture.clock.advance("1m")
      fixture.api.compact(fixture.api.revision - 2)
    }
    expect(requestsOf(fixture).filter((request) => !request.startsWith("watch@"))).toEqual(["stream"])
    expect(fixture.informer.store.resourceVersion).toBe("31")
  })

  test("a server without bookmarks is asked again every 90 seconds, and not listed", async () => {
    await using fixture = await startedWith(["a"], { bookmarks: false })
    await fixture.clock.advance("4m")
    expect(new Set(requestsOf(fixture))).toEqual(new Set(["stream", "list/1", "watch@1"]))
  })

  test("a server without bookmarks is never waited for: a watch that lived long is followed by the next at once", async () => {
    await using fixture = await startedWith(["a"], { bookmarks: false })
    await fixture.clock.advance("30m")
    expect(fixture.events.filter(({ type }) => type === "waiting")).toEqual([])
    expect(requestsOf(fixture).filter((request) => request === "watch@1")).toHaveLength(20)
    fixture.api.put("b")
    await fixture.clock.settle()
    expectTruth(fixture)
  })

  test("cut in the middle of a line: the half event comes whole with the next watch", async () => {
    await using fixture = informerFixture({ wire: true })
    fixture.api.put("a")
    fixture.api.next("stream", { do: "cut", after: 3, inLine: true })
    await fixture.start()
    fixture.api.put("b")
    fixture.api.put("c")
    await fixture.clock.advance("5s")
    expect(fixture.seen.map(short)).toEqual(["initially added a@1", "added b@2", "added c@3"])
    expectTruth(fixture)
  })

  test("a line that is no JSON leads to a list", async () => {
    await using fixture = await startedWith(["a"])
    fixture.api.sendAll({ type: "WHAT", object: null })
    fixture.api.sendAll({ type: "MODIFIED" })
    fixture.api.put("b")
    await fixture.clock.advance("5s")
    expectTruth(fixture)
  })

  test("other kinds and Tables are skipped and said, not fatal", async () => {
    await using fixture = await startedWith(["a"])
    fixture.api.sendAll({
      type: "ADDED",
      object: { apiVersion: "meta.k8s.io/v1", kind: "Table", metadata: { resourceVersion: "99" }, rows: [] },
    })
    fixture.api.sendAll({
      type: "ADDED",
      object: { apiVersion: "v1", kind: "Secret", metadata: { name: "s", namespace: "x", resourceVersion: "99" } },
    })
    fixture.api.put("b")
    await fixture.clock.settle()
    expect(fixture.lines.map(({ level, fields }) => `${level} ${fields.found}`)).toEqual(["error meta.k8s.io/v1 Table", "error v1 Secret"])
    expect(fixture.informer.store.resourceVersion).toBe("2")
    expectTruth(fixture)
  })

  test("a watch that begins nowhere is no place to go on from, until something other than ADDED comes", async () => {
    await using fixture = await startedWith([], { streams: false })
    expect(requestsOf(fixture).at(-1)).toBe("watch@0")
    fixture.api.put("a")
    fixture.api.put("b")
    await fixture.clock.settle()
    fixture.api.breakAll()
    fixture.api.remove("b")
    await fixture.clock.advance("5s")
    expect(requestsOf(fixture).slice(-2)).toEqual(["list/500", "watch@3"])
    expectTruth(fixture)
  })

  test("a watch that began nowhere goes on from the first change", async () => {
    await using fixture = await startedWith([], { streams: false })
    fixture.api.put("a")
    fixture.api.put("a", "new")
    await fixture.clock.settle()
    fixture.api.breakAll()
    await fixture.clock.advance("5s")
    expect(requestsOf(fixture).slice(-2)).toEqual(["list/1", "watch@2"])
  })
})
