import { memoryMetrics } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { informerFixture } from "../testing/informer-fixture.ts"
import { expectTruth, requestsOf, startedWith } from "./testing/watching.ts"

describe("what a watcher says", () => {
  test("connected, disconnected, listed and waiting, as events and as metrics", async () => {
    const metrics = memoryMetrics()
    await using fixture = await startedWith(["a"], { metrics })
    fixture.api.breakAll()
    await fixture.clock.advance("5s")
    expect(fixture.events).toMatchObject([
      { type: "listed", by: "stream", count: 1, resourceVersion: "1", again: false },
      { type: "connected", resourceVersion: "1" },
      { type: "disconnected", resourceVersion: "1", error: { code: "CONNECTION_LOST" } },
      { type: "waiting", before: "probe" },
      { type: "connected", resourceVersion: "1" },
    ])
    const name = { name: "configmaps" }
    const counted = [
      "reflector_lists_total",
      "reflector_watches_total",
      "reflector_short_watches_total",
      "reflector_connected",
      "reflector_failures_total",
      "reflector_items_per_list",
      "reflector_watch_duration_seconds",
    ]
    expect(counted.map((metric) => metrics.value(metric, name))).toEqual([1, 2, 1, 1, 1, 1, 1])
    expect(metrics.text()).toContain('reflector_items_per_list_sum{name="configmaps"} 1')
  })

  test("a list that is not the first says so", async () => {
    await using fixture = await startedWith(["a"])
    fixture.api.elsewhere()
    fixture.api.compact()
    fixture.api.breakAll()
    await fixture.clock.advance("5s")
    expect(fixture.events.filter(({ type }) => type === "listed")).toMatchObject([
      { again: false, resourceVersion: "1" },
      { again: true, resourceVersion: "2" },
    ])
  })

  test("an observer that throws is logged, without effect", async () => {
    const observe = () => {
      throw new Error("my bug")
    }
    await using fixture = await startedWith(["a"], { observe })
    fixture.api.breakAll()
    await fixture.clock.advance("5s")
    fixture.api.put("b")
    await fixture.clock.settle()
    expectTruth(fixture)
    expect(fixture.lines.filter(({ level }) => level === "error").map(({ fields }) => fields.error)).toContain("my bug")
  })

  test("namespace and selectors go with every request", async () => {
    const scope = { namespace: "kube-system", labelSelector: "app=web", fieldSelector: "metadata.name=x" }
    await using fixture = await startedWith([], { ...scope, streams: false })
    expect(requestsOf(fixture)).toEqual(["stream", "list@0/500", "watch@0"])
    for (const { path, query } of fixture.api.requests) {
      expect(path).toBe("/api/v1/namespaces/kube-system/configmaps")
      expect(query).toMatchObject({ labelSelector: "app=web", fieldSelector: "metadata.name=x" })
    }
  })

  test("it ends with its signal, in every state, and leaves no request and no timer behind", async () => {
    for (const fault of [undefined, { do: "hang" }, { do: "lose" }, { do: "silence", after: 0 }] as const) {
      const fixture = informerFixture()
      if (fault !== undefined) fixture.api.next("stream", fault)
      await fixture.start()
      await fixture.stop()
      expect(fixture.api.openWatches).toBe(0)
      expect(fixture.clock.waiting()).toEqual([])
    }
  })
})
