import { expired, forbidden, gone, internalError, StatusError, serviceUnavailable, timeout, tooManyRequests } from "@pilothouse/api"
import { type ConfigMap, configMaps } from "@pilothouse/api/core/v1"
import { memoryMetrics } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { type InformerFixture, inconsistency, informerFixture, short } from "../test-support/informer-fixture.ts"
import type { RequestKind } from "../test-support/scripted-api.ts"

/** "stream", "list@0/500", "watch@7": what was asked for, in short. */
function asked({ api }: InformerFixture): readonly string[] {
  return api.requests.map(({ kind, query: { resourceVersion = "", limit = "", continue: token } }) => {
    const page = token === undefined ? "" : "+"
    return `${kind}${page}${resourceVersion === "" ? "" : `@${resourceVersion}`}${limit === "" ? "" : `/${limit}`}`
  })
}

/** The store has what the server has, and the handler saw how it came to that. */
function expectTruth({ api, informer, seen }: InformerFixture): void {
  expect(new Map(informer.store.list().map((object) => [`${object.metadata.namespace}/${object.metadata.name}`, object]))).toEqual(
    api.truth(),
  )
  expect(inconsistency(seen, informer.store.list())).toBeUndefined()
}

/** Lets time pass until the watch ends as agreed. Where nothing fails, the next one is open then. */
async function untilWatchEnds({ clock, events }: InformerFixture): Promise<void> {
  const ended = () => events.filter(({ type }) => type === "disconnected").length
  const before = ended()
  await clock.run(() => ended() > before)
}

async function startedWith(names: readonly string[], options: Parameters<typeof informerFixture>[0] = {}): Promise<InformerFixture> {
  const fixture = informerFixture(options)
  for (const name of names) fixture.api.put(name)
  await fixture.start()
  return fixture
}

describe("the first state", () => {
  test("is streamed, and the same connection goes on as the watch", async () => {
    await using fixture = await startedWith(["a", "b"])
    fixture.api.put("c")
    await fixture.clock.settle()
    expect(asked(fixture)).toEqual(["stream"])
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
    expect(asked(fixture)).toEqual(["stream", "list@0/500", "watch@1"])
    fixture.api.compact()
    fixture.api.elsewhere()
    fixture.api.compact()
    fixture.api.breakAll()
    await fixture.clock.advance("10s")
    expect(asked(fixture).slice(3)).toEqual(["list/1", "watch@1", "list/500", "watch@2"])
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
    expect(asked(fixture)).toEqual(["stream", "stream", "list@0/500", "watch@3"])
    expectTruth(fixture)
  })

  test("a stream that is never answered is half-open, and asked for again", async () => {
    await using fixture = informerFixture()
    fixture.api.put("a")
    fixture.api.next("stream", { do: "hang" })
    await fixture.start()
    await fixture.clock.advance("93s")
    expect(fixture.lines.some(({ fields }) => String(fields.error).includes("nothing was heard"))).toBe(true)
    expectTruth(fixture)
  })

  test("a stream that brings nothing for ten seconds is worth a warning", async () => {
    await using fixture = informerFixture()
    fixture.api.next("stream", { do: "silence", after: 0 })
    await fixture.start()
    await fixture.clock.advance("11s")
    expect(fixture.lines.map(({ message }) => message)).toEqual([
      "nothing has come for 10000 ms while the initial state of configmaps is streamed",
    ])
  })

  test("a list that is never answered is given up and asked for again", async () => {
    await using fixture = informerFixture({ streams: false })
    fixture.api.put("a")
    fixture.api.next("list", { do: "hang" })
    await fixture.start()
    await fixture.clock.advance("6m")
    expectTruth(fixture)
  })
})

describe("pages", () => {
  const twelve = Array.from({ length: 12 }, (_, at) => `cm-${String(at).padStart(2, "0")}`)

  test("WatchListPageSize: an explicit page size overrides all", async () => {
    await using fixture = await startedWith(twelve, { streams: false, pageSize: 5, pagesZero: true })
    expect(asked(fixture)).toEqual(["stream", "list@0/5", "list+/5", "list+/5", "watch@12"])
    expectTruth(fixture)
  })

  test('PaginatingNonConsistentReadsIfWatchCacheDisabled: a server that pages "0" is asked for pages from then on', async () => {
    await using fixture = informerFixture({ streams: false, pagesZero: true })
    for (let at = 0; at < 501; at++) fixture.api.put(`cm-${at}`)
    await fixture.start()
    fixture.api.next("watch", { do: "refuse", error: forbidden({ group: "", plural: "configmaps" } as never, "", "no") })
    fixture.api.endAll()
    await fixture.clock.advance("1m")
    expect(asked(fixture)).toEqual([
      "stream",
      "list@0/500",
      "list+/500",
      "watch@501",
      "list/1",
      "watch@501",
      "list@501/500",
      "list+/500",
      "watch@501",
    ])
  })

  test("a relist at a version is asked for in one piece, so that the server's cache can answer it", async () => {
    await using fixture = await startedWith(["a"], { streams: false })
    fixture.api.next("watch", { do: "refuse", error: forbidden({ group: "", plural: "configmaps" } as never, "", "no") })
    fixture.api.endAll()
    await fixture.clock.advance("1m")
    expect(asked(fixture).slice(3)).toEqual(["list/1", "watch@1", "list@1", "watch@1"])
  })

  test("FullListIfExpired: a token that expires on the way starts the list again in one piece", async () => {
    await using fixture = informerFixture({ streams: false, pageSize: 5, pagesZero: true })
    for (const name of twelve) fixture.api.put(name)
    fixture.api.next("list", { do: "delay", milliseconds: 0 }, { do: "delay", milliseconds: 10 })
    await fixture.start()
    await fixture.clock.advance(5)
    fixture.api.remove("cm-00")
    fixture.api.compact()
    await fixture.clock.advance("1s")
    expect(asked(fixture)).toEqual(["stream", "list@0/5", "list+/5", "list@0", "watch@13"])
    expectTruth(fixture)
  })

  test("empty pages with a token are pages like others", async () => {
    await using fixture = await startedWith(["a"], { streams: false })
    const items = {
      kind: "ConfigMapList",
      apiVersion: "v1",
      metadata: { resourceVersion: "1", continue: JSON.stringify({ revision: 1, start: "" }) },
      items: [],
    }
    const answers = [items, { ...items, items: null }]
    const { pageList } = await import("./page-list.ts")
    const { createClient } = await import("../client/client.ts")
    const { clientSource } = await import("./watch-source.ts")
    const client = createClient(async (request) => {
      const answer = answers.shift()
      return answer === undefined ? fixture.api.transport(request) : { status: 200, headers: {}, body: { type: "value", value: answer } }
    })
    const found: string[] = []
    const page = (objects: readonly ConfigMap[]) => void found.push(...objects.map(({ metadata }) => metadata.name ?? ""))
    const keep = (object: ConfigMap) => object
    const options = { resourceVersion: "", limit: 5, signal: new AbortController().signal, keep, page, again: () => {} }
    expect(await pageList(clientSource(client, configMaps), options)).toEqual({ resourceVersion: "1", pages: 3 })
    expect(found).toEqual(["a"])
  })
})

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
      expect(asked(fixture).filter((request) => request === "stream")).toHaveLength(2)
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
    expect(asked(fixture).slice(3)).toEqual(["list/1", "watch@2", "list@2/5", "list/5", "watch@3"])
    expectTruth(fixture)
  })

  test("FullListIfTooLarge: a version the server has not come to asks for the newest state once, immediately", async () => {
    for (const streams of [true, false]) {
      await using fixture = await startedWith(["a", "b", "c"], { streams })
      const relist: RequestKind = streams ? "stream" : "list"
      fixture.api.next("watch", { do: "refuse", error: forbidden({ group: "", plural: "configmaps" } as never, "", "no") })
      fixture.api.endAll()
      await fixture.clock.advance("10s")
      expect(asked(fixture).at(streams ? -1 : -2)).toBe(`${relist}@3`)
      fixture.api.next("watch", { do: "refuse", error: forbidden({ group: "", plural: "configmaps" } as never, "", "no") })
      fixture.api.next("list", { do: "delay", milliseconds: 0 })
      fixture.api.endAll()
      await fixture.clock.settle()
      fixture.api.restore(1)
      await fixture.clock.advance("10s")
      expect(asked(fixture).slice(-3)).toEqual(streams ? ["watch@3", "stream@3", "stream"] : ["list@3", "list/500", "watch@1"])
      expectTruth(fixture)
    }
  })

  test("a server that refuses the newest state too is asked again after a while, not at once", async () => {
    await using fixture = informerFixture({ streams: false })
    fixture.api.put("a")
    fixture.api.next("list", ...Array.from({ length: 4 }, () => ({ do: "refuse", error: expired("no history at all") }) as const))
    await fixture.start()
    expect(asked(fixture)).toEqual(["stream", "list@0/500", "list/500"])
    await fixture.clock.advance("20s")
    expectTruth(fixture)
  })

  test("a watch that is refused as too old right after its list waits before the next list", async () => {
    await using fixture = await startedWith(["a"], { streams: false })
    fixture.api.next("watch", { do: "error-event", error: expired("broken") }, { do: "error-event", error: expired("broken") })
    await untilWatchEnds(fixture)
    expect(asked(fixture)).toEqual(["stream", "list@0/500", "watch@1", "watch@1"])
    await fixture.clock.advance("10s")
    expect(asked(fixture).slice(4)).toEqual(["list/500", "watch@1", "list/500", "watch@1"])
  })
})

describe("a watch that fails goes on where it was", () => {
  const passing: readonly [string, StatusError][] = [
    ["BackoffOnTooManyRequests, NoRelistOnTooManyRequests: 429", tooManyRequests("slow down")],
    ["RetryInternalError: 500", internalError("etcd is choosing a leader")],
    ["503", serviceUnavailable("shutting down")],
    ["504", timeout("too slow")],
  ]
  test.each(passing)("%s", async (_name, error) => {
    await using fixture = await startedWith(["a"])
    fixture.api.next("watch", { do: "refuse", error }, { do: "refuse", error })
    await untilWatchEnds(fixture)
    fixture.api.put("b")
    await fixture.clock.advance("10s")
    expect(asked(fixture)).toEqual(["stream", "watch@1", "watch@1", "watch@1"])
    expectTruth(fixture)
  })

  test("the server's Retry-After is the least to wait", async () => {
    await using fixture = await startedWith(["a"])
    fixture.api.next("watch", { do: "refuse", error: tooManyRequests("slow down", 20) })
    await untilWatchEnds(fixture)
    await fixture.clock.advance("19s")
    expect(asked(fixture)).toEqual(["stream", "watch@1"])
    await fixture.clock.advance("2s")
    expect(asked(fixture)).toEqual(["stream", "watch@1", "watch@1"])
  })

  test("a server that is not there is asked again until it is, and then how far it is", async () => {
    await using fixture = await startedWith(["a"])
    fixture.api.next("any", ...Array.from({ length: 6 }, () => ({ do: "lose" }) as const))
    fixture.api.breakAll()
    await fixture.clock.advance("5m")
    fixture.api.put("b")
    await fixture.clock.settle()
    expect(asked(fixture)).toEqual(["stream", ...Array.from({ length: 7 }, () => "list/1"), "watch@1"])
    expect(fixture.seen.map(short)).toEqual(["initially added a@1", "added b@2"])
  })

  test("an internal error that comes again and again at the same place is poison: the state is listed instead", async () => {
    await using fixture = await startedWith(["a"])
    fixture.api.next("watch", ...Array.from({ length: 5 }, () => ({ do: "error-event", error: internalError("cannot decode") }) as const))
    await untilWatchEnds(fixture)
    await fixture.clock.advance("3m")
    expect(asked(fixture)).toEqual(["stream", ...Array.from({ length: 5 }, () => "watch@1"), "stream@1"])
  })

  test("ReplacesStoreOnUnsafeDelete: an object that can no longer be read is found gone by a list", async () => {
    await using fixture = await startedWith(["a", "broken"])
    const error = new StatusError({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      reason: "StorageReadError",
      code: 500,
    })
    fixture.api.next("watch", { do: "error-event", error })
    await untilWatchEnds(fixture)
    fixture.api.remove("broken")
    await fixture.clock.advance("5s")
    expect(asked(fixture)).toEqual(["stream", "watch@2", "stream@2"])
    expect(fixture.seen.map(short).at(-1)).toBe("deleted? broken@2")
    expectTruth(fixture)
  })

  test("VeryShortWatch: a watch that ends within a second and brings nothing is not asked for again at once", async () => {
    await using fixture = await startedWith(["a"])
    fixture.api.next("watch", { do: "delay", milliseconds: 1 })
    await fixture.clock.advance("30s")
    fixture.api.endAll()
    await fixture.clock.advance(2)
    fixture.api.endAll()
    await fixture.clock.settle()
    expect(asked(fixture)).toEqual(["stream", "list/1", "watch@1"])
    expect(fixture.events.at(-1)).toMatchObject({ type: "waiting", before: "probe" })
  })

  test("WatchTimeout: a watch asks to be ended after 5 to 10 minutes, and the next begins at once where it ended", async () => {
    await using fixture = await startedWith(["a"])
    await fixture.clock.advance("20m")
    const timeouts = fixture.api.requests.map(({ query }) => Number(query.timeoutSeconds))
    expect(timeouts.length).toBeGreaterThanOrEqual(3)
    for (const seconds of timeouts) expect(seconds).toSatisfy((given: number) => given >= 300 && given <= 600)
    expect(fixture.events.filter(({ type }) => type === "waiting" || type === "listed")).toHaveLength(1)
    expect(new Set(asked(fixture).slice(1))).toEqual(new Set(["watch@1"]))
  })
})

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
    expect(asked(fixture).filter((request) => !request.startsWith("watch@"))).toEqual(["stream"])
    expect(fixture.informer.store.resourceVersion).toBe("31")
  })

  test("a server without bookmarks is asked again every 90 seconds, and not listed", async () => {
    await using fixture = await startedWith(["a"], { bookmarks: false })
    await fixture.clock.advance("4m")
    expect(new Set(asked(fixture))).toEqual(new Set(["stream", "list/1", "watch@1"]))
  })

  test("a server without bookmarks is never waited for: a watch that lived long is followed by the next at once", async () => {
    await using fixture = await startedWith(["a"], { bookmarks: false })
    await fixture.clock.advance("30m")
    expect(fixture.events.filter(({ type }) => type === "waiting")).toEqual([])
    expect(asked(fixture).filter((request) => request === "watch@1")).toHaveLength(20)
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
    expect(asked(fixture).at(-1)).toBe("watch@0")
    fixture.api.put("a")
    fixture.api.put("b")
    await fixture.clock.settle()
    fixture.api.breakAll()
    fixture.api.remove("b")
    await fixture.clock.advance("5s")
    expect(asked(fixture).slice(-2)).toEqual(["list/500", "watch@3"])
    expectTruth(fixture)
  })

  test("a watch that began nowhere goes on from the first change", async () => {
    await using fixture = await startedWith([], { streams: false })
    fixture.api.put("a")
    fixture.api.put("a", "new")
    await fixture.clock.settle()
    fixture.api.breakAll()
    await fixture.clock.advance("5s")
    expect(asked(fixture).slice(-2)).toEqual(["list/1", "watch@2"])
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

  test("is found out at once where the old one ended its watches in good order, before their time", async () => {
    await using fixture = await startedWith(["a", "b", "c"])
    await fixture.clock.advance("10s")
    fixture.api.restore(1, "end")
    await fixture.clock.settle()
    expectTruth(fixture)
  })

  test("is found out by a bookmark where the connection ended in good order", async () => {
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

  test("wakes whoever waited for a version of the old history", async () => {
    await using fixture = await startedWith(["a", "b", "c"])
    let woken = false
    const waiting = fixture.informer.reached("9", new AbortController().signal).then(() => (woken = true))
    fixture.api.restore(1)
    await fixture.clock.run(waiting)
    expect(woken).toBe(true)
  })
})

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
    ]
    expect(counted.map((metric) => metrics.value(metric, name))).toEqual([1, 2, 1, 1, 1])
  })

  test("namespace and selectors go with every request", async () => {
    const scope = { namespace: "kube-system", labelSelector: "app=web", fieldSelector: "metadata.name=x" }
    await using fixture = await startedWith([], { ...scope, streams: false })
    expect(asked(fixture)).toEqual(["stream", "list@0/500", "watch@0"])
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
}, 20_000)
