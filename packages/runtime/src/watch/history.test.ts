import { expired, forbidden, gone, type StatusError } from "@pilothouse/api"
import { describe, expect, test } from "vitest"
import { informerFixture, short } from "../testing/informer-fixture.ts"
import type { RequestKind } from "../testing/scripted-api.ts"
import { expectTruth, requestsOf, startedWith, untilWatchEnds } from "./testing/watching.ts"

describe("history that is gone", () => {
  const expiries: readonly [string, StatusError][] = [
    ["Expired", expired("too old resource version")],
    ["Gone", gone("too old resource version")],
  ]
  test.each(expiries)("%s at a watch: the newest state is asked for at once", async (_reason, error) => {
    for (const how of ["refuse", "error-event"] as const) {
      await using fixture = await startedWith(["a", "b"])
      fixture.api.next("watch", { do: "delay", milliseconds: 2000 }, { do: how, error })
      fixture.api.breakAll()
      await fixture.clock.advance("10s")
      fixture.api.endAll()
      await fixture.clock.settle()
      fixture.api.remove("a")
      await fixture.clock.advance("3s")
      expect(requestsOf(fixture).filter((request) => request === "stream")).toHaveLength(2)
      expectTruth(fixture)
    }
  })

  test("ExpiredExactResourceVersion: 410 at a list asks for the newest state once, immediately", async () => {
    await using fixture = await startedWith(["a"], { streams: false, pageSize: 5, pagesZero: true })
    fixture.api.put("b")
    await fixture.clock.settle()
    fixture.api.next("watch", { do: "refuse", error: forbidden({ group: "", plural: "configmaps" } as never, "", "no") })
    fixture.api.elsewhere()
    fixture.api.compact()
    fixture.api.endAll()
    await fixture.clock.advance("1m")
    expect(requestsOf(fixture).slice(3)).toEqual(["list/1", "watch@2", "list@2/5", "list/5", "watch@3"])
    expectTruth(fixture)
  })

  test("FullListIfTooLarge: a version the server has not come to asks for the newest state once, immediately", async () => {
    for (const streams of [true, false]) {
      await using fixture = await startedWith(["a", "b", "c"], { streams })
      const relist: RequestKind = streams ? "stream" : "list"
      fixture.api.next("watch", { do: "refuse", error: forbidden({ group: "", plural: "configmaps" } as never, "", "no") })
      fixture.api.endAll()
      await fixture.clock.advance("10s")
      expect(requestsOf(fixture).at(streams ? -1 : -2)).toBe(`${relist}@3`)
      fixture.api.next("watch", { do: "refuse", error: forbidden({ group: "", plural: "configmaps" } as never, "", "no") })
      fixture.api.next("list", { do: "delay", milliseconds: 0 })
      fixture.api.endAll()
      await fixture.clock.settle()
      fixture.api.restore(1)
      await fixture.clock.advance("10s")
      expect(requestsOf(fixture).slice(-3)).toEqual(streams ? ["watch@3", "stream@3", "stream"] : ["list@3", "list/500", "watch@1"])
      expectTruth(fixture)
    }
  })

  test("a server that refuses the newest state too is asked again after a while, not at once", async () => {
    await using fixture = informerFixture({ streams: false })
    fixture.api.put("a")
    fixture.api.next("list", ...Array.from({ length: 4 }, () => ({ do: "refuse", error: expired("no history at all") }) as const))
    await fixture.start()
    expect(requestsOf(fixture)).toEqual(["stream", "list@0/500", "list/500"])
    await fixture.clock.advance("20s")
    expectTruth(fixture)
  })

  test("a watch that is refused as too old right after its list waits before the next list", async () => {
    await using fixture = await startedWith(["a"], { streams: false })
    fixture.api.next("watch", { do: "error-event", error: expired("broken") }, { do: "error-event", error: expired("broken") })
    await untilWatchEnds(fixture)
    expect(requestsOf(fixture)).toEqual(["stream", "list@0/500", "watch@1", "watch@1"])
    await fixture.clock.advance("10s")
    expect(requestsOf(fixture).slice(4)).toEqual(["list/500", "watch@1", "list/500", "watch@1"])
  })
})

describe("a server that starts again from an older revision", () => {
  test.each([true, false])("is believed: the store follows its truth (streams: %s)", async (streams) => {
    await using fixture = await startedWith(["a", "b"], { streams })
    fixture.api.put("c")
    fixture.api.put("a", "new")
    fixture.api.remove("b")
    await fixture.clock.settle()
    fixture.api.restore(2)
    await fixture.clock.advance("10s")
    expect(fixture.informer.store.resourceVersion).toBe("2")
    expect(fixture.seen.map(short).slice(-3)).toEqual(["deleted? c@3", "updated a@1", "added b@2"].slice(0))
    expectTruth(fixture)
    fixture.api.put("d")
    await fixture.clock.settle()
    expectTruth(fixture)
  })

  test.each([true, false])("and gives the old versions away to other contents is believed too (streams: %s)", async (streams) => {
    await using fixture = await startedWith(["a"], { streams })
    fixture.api.put("a", "before")
    fixture.api.put("c")
    await fixture.clock.settle()
    fixture.api.restore(1)
    fixture.api.put("a", "after")
    await fixture.clock.advance("10s")
    expect(fixture.informer.store.get("default/a")?.data).toEqual({ value: "after" })
    expect(fixture.seen.map(short).slice(-2)).toEqual(["deleted? c@3", "updated a@2"])
    expectTruth(fixture)
  })

  test("is detected at once where the old server ended its watches cleanly, before their time", async () => {
    await using fixture = await startedWith(["a", "b", "c"])
    await fixture.clock.advance("10s")
    fixture.api.restore(1, "end")
    await fixture.clock.settle()
    expectTruth(fixture)
  })

  test("is detected by a bookmark where the connection ended cleanly", async () => {
    await using fixture = await startedWith(["a", "b", "c"])
    await fixture.clock.advance("1s")
    fixture.api.endAll()
    await fixture.clock.settle()
    fixture.api.sendAll({ type: "BOOKMARK", object: { apiVersion: "v1", kind: "ConfigMap", metadata: { resourceVersion: "1" } } })
    await fixture.clock.settle()
    expect(fixture.lines.at(-1)?.fields.error).toBe("the watch of configmaps went back from 3 to 1")
    fixture.api.restore(1)
    await fixture.clock.advance("10s")
    expectTruth(fixture)
  })

  test("is found out by an event of an older version: what was lost does not stay in the store", async () => {
    await using fixture = await startedWith(["a", "b", "c"], { bookmarks: false })
    await untilWatchEnds(fixture)
    // The watch is open again, from 3, when the server goes back to 1 behind it.
    fixture.api.sendAll({
      type: "ADDED",
      object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "d", namespace: "default", uid: "d", resourceVersion: "2" } },
    })
    await fixture.clock.settle()
    expect(fixture.lines.at(-1)?.fields.error).toBe("the watch of configmaps went back from 3 to 2")
    expect(fixture.informer.store.get("default/d")).toBeUndefined()
  })

  test("releases callers that waited for a version of the old history", async () => {
    await using fixture = await startedWith(["a", "b", "c"])
    let released = false
    const waiting = fixture.informer.reached("9", new AbortController().signal).then(() => (released = true))
    fixture.api.restore(1)
    await fixture.clock.run(waiting)
    expect(released).toBe(true)
  })
})
