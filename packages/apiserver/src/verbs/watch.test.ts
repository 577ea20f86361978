import type { KubeObject } from "@pilothouse/api"
import { describe, expect, test } from "vitest"
import { memoryStorage } from "../storage/memory.ts"
import { countedWatches } from "../storage/testing/watches.ts"
import { allWays, handlerWays, objectIn, said, statusIn, type TestServer, testServer } from "../testing/server.ts"

const configMaps = "/api/v1/namespaces/default/configmaps"
const watchList = { sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan", allowWatchBookmarks: "true" }

const make = async (api: TestServer, name: string, labels = {}) => objectIn(await api.post(configMaps, { metadata: { name, labels } }), 201)

describe.each(allWays)("watch, %s", (way) => {
  test("from a revision shows what came after it, past and present", async () => {
    const api = testServer(way)
    const { resourceVersion = "" } = (await make(api, "a")).metadata
    await make(api, "b")
    const watch = await api.watch(configMaps, { resourceVersion })
    expect(said(await watch.read())).toEqual(["ADDED b"])
    await api.delete(`${configMaps}/a`)
    const [event] = await watch.read()
    expect(event).toMatchObject({ type: "DELETED", object: { metadata: { name: "a" } } })
    expect(Number(event!.object.metadata.resourceVersion)).toBeGreaterThan(Number(resourceVersion) + 1)
  })

  test.each<Record<string, string>>([{}, { resourceVersion: "0" }])("from %o begins with what there is (seen)", async (query) => {
    const api = testServer(way)
    await make(api, "a")
    const watch = await api.watch(configMaps, query)
    await make(api, "b")
    expect(said(await watch.read())).toEqual(["ADDED a", "ADDED b"])
  })

  test("a watch list ends its beginning with an annotated bookmark (seen)", async () => {
    const api = testServer(way)
    await make(api, "a")
    const watch = await api.watch(configMaps, watchList)
    await make(api, "b")
    const events = await watch.read()
    expect(said(events)).toEqual(["ADDED a", "BOOKMARK", "ADDED b"])
    expect(events[1]!.object).toEqual({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { resourceVersion: events[0]!.object.metadata.resourceVersion, annotations: { "k8s.io/initial-events-end": "true" } },
    })
  })

  test("without bookmarks a watch list has no mark", async () => {
    const api = testServer(way)
    await make(api, "a")
    const watch = await api.watch(configMaps, { ...watchList, allowWatchBookmarks: "false" })
    expect(said(await watch.read())).toEqual(["ADDED a"])
  })

  test("sendInitialEvents wants NotOlderThan (422)", async () => {
    const status = statusIn(await testServer(way).get(configMaps, { watch: "true", sendInitialEvents: "true" }))
    expect(status.code).toBe(422)
    expect(status.message).toContain("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")
  })

  test("bookmarks come every minute and two seconds before the end, never behind an event", async () => {
    const api = testServer(way)
    const { resourceVersion = "" } = (await make(api, "a")).metadata
    const watch = await api.watch(configMaps, { resourceVersion, allowWatchBookmarks: "true", timeoutSeconds: "90" })
    await api.clock.advance("59s")
    expect(await watch.read()).toEqual([])
    await make(api, "b")
    await api.clock.advance("1s")
    const events = await watch.read()
    expect(said(events)).toEqual(["ADDED b", "BOOKMARK"])
    expect(events[1]!.object.metadata.resourceVersion).toBe(events[0]!.object.metadata.resourceVersion)
    await api.clock.advance("28s")
    expect(said(await watch.read())).toEqual(["BOOKMARK"])
    expect(watch.ended).toBe(false)
    await api.clock.advance("2s")
    expect(await watch.read()).toEqual([])
    expect(watch.ended).toBe(true)
  })

  test("without a timeout it ends after thirty to sixty minutes", async () => {
    const api = testServer(way)
    const watch = await api.watch(configMaps)
    await api.clock.advance("30m")
    expect(watch.ended).toBe(false)
    await api.clock.advance("30m")
    await watch.read()
    expect(watch.ended).toBe(true)
  })

  test("an object that starts or stops matching is added or deleted for the watcher", async () => {
    const api = testServer(way)
    const watch = await api.watch(configMaps, { labelSelector: "x=1" })
    await make(api, "a")
    await api.patch(`${configMaps}/a`, "merge", { metadata: { labels: { x: "1" } } })
    await api.patch(`${configMaps}/a`, "merge", { metadata: { labels: { y: "1" } } })
    const gone = objectIn(await api.patch(`${configMaps}/a`, "merge", { metadata: { labels: { x: "2" } } }))
    await api.delete(`${configMaps}/a`)
    const events = await watch.read()
    expect(said(events)).toEqual(["ADDED a", "MODIFIED a", "DELETED a"])
    expect(events[2]!.object.metadata).toMatchObject({ labels: { x: "1", y: "1" }, resourceVersion: gone.metadata.resourceVersion })
  })

  test("too old a revision is one ERROR event in a 200, then the end (seen)", async () => {
    const api = testServer(way)
    const { resourceVersion = "" } = (await make(api, "a")).metadata
    for (const name of ["b", "c", "d"]) {
      await api.clock.advance("6m")
      await make(api, name)
    }
    const watch = await api.watch(configMaps, { resourceVersion })
    const [event] = await watch.read()
    expect(event).toMatchObject({ type: "ERROR", object: { kind: "Status", reason: "Expired", code: 410 } })
    expect((event!.object as { message?: string }).message).toMatch(/^too old resource version: \d+ \(\d+\)$/)
    expect(watch.ended).toBe(true)
  })

  test("an idle kind does not expire within five minutes while others write", async () => {
    const api = testServer(way)
    const { resourceVersion = "" } = (await make(api, "a")).metadata
    for (let minute = 0; minute < 4; minute++) {
      await api.clock.advance("1m")
      await api.post("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: `s${minute}` } })
    }
    const watch = await api.watch(configMaps, { resourceVersion })
    expect(await watch.read()).toEqual([])
    expect(watch.ended).toBe(false)
  })

  test("a revision still to come just waits (seen)", async () => {
    const api = testServer(way)
    const { resourceVersion: now } = objectIn(await api.get(configMaps)).metadata
    const watch = await api.watch(configMaps, { resourceVersion: String(Number(now) + 3) })
    for (const name of ["a", "b", "c", "d"]) await make(api, name)
    expect(said(await watch.read())).toEqual(["ADDED d"])
  })

  test("of one object: by its name as a field, or by its path", async () => {
    const api = testServer(way)
    const byField = await api.watch(configMaps, { fieldSelector: "metadata.name=a" })
    const byPath = await api.watch(`${configMaps}/a`)
    const byPrefix = await api.watch("/api/v1/watch/namespaces/default/configmaps")
    await make(api, "a")
    await make(api, "b")
    expect(said(await byField.read())).toEqual(["ADDED a"])
    expect(said(await byPath.read())).toEqual(["ADDED a"])
    expect(said(await byPrefix.read())).toEqual(["ADDED a", "ADDED b"])
  })

  test("as a Table only the first event has the columns (seen)", async () => {
    const api = testServer(way)
    await make(api, "a")
    await make(api, "b")
    const headers = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" }
    const response = await api.ask("GET", configMaps, { headers, query: { watch: "1" } })
    if (response.body.type !== "stream") throw new Error("expected a stream")
    const tables: { columnDefinitions: unknown; rows: unknown[] }[] = []
    for await (const frame of response.body.frames) {
      tables.push((frame as { value: { object: never } }).value.object)
      if (tables.length === 2) break
    }
    expect(tables[0]!.columnDefinitions).toHaveLength(3)
    expect(tables[1]!.columnDefinitions).toBeNull()
    expect(tables[1]!.rows).toHaveLength(1)
  })

  test("the columns come first, also when a change is faster than the reader of the beginning", async () => {
    const api = testServer(way)
    await make(api, "a")
    const headers = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" }
    const { body } = await api.ask("GET", configMaps, { query: { watch: "true", ...watchList }, headers })
    await make(api, "b")
    if (body.type !== "stream") throw new Error("expected a stream")
    const columns: boolean[] = []
    for await (const frame of body.frames) {
      const { object } = (frame as { value: { object: { columnDefinitions: unknown } } }).value
      if (columns.push(object.columnDefinitions !== null) === 3) break
    }
    expect(columns).toEqual([true, false, false])
  })

  test("closing the server ends its watches", async () => {
    const api = testServer(way)
    const watch = await api.watch(configMaps)
    await api.server.close()
    await watch.read()
    expect(watch.ended).toBe(true)
  })
})

describe.each(handlerWays)("the inside of a watch, %s", (way) => {
  test("leaving early and aborting give everything back", async () => {
    const api = testServer(way)
    const abort = new AbortController()
    const watch = await api.watch(configMaps)
    await api.ask("GET", configMaps, { query: { watch: "1" }, signal: abort.signal })
    expect(api.metrics.value("apiserver_longrunning_requests")).toBe(2)
    abort.abort()
    await make(api, "a")
    await watch.read()
    const stopping = watch.stop()
    await make(api, "b")
    await stopping
    expect(api.metrics.value("apiserver_longrunning_requests")).toBe(0)
    expect(api.clock.waiting()).toEqual([])
  })

  test("a reader that is too slow is cut, with a word in the log", async () => {
    const api = testServer(way, { watchBuffer: 2 })
    const response = await api.ask("GET", configMaps, { query: { watch: "1" } })
    for (const name of ["a", "b", "c"]) await make(api, name)
    expect(api.lines.map(({ message }) => message)).toEqual(["a watch was ended because its reader is too slow"])
    expect(api.metrics.value("apiserver_terminated_watchers_total", { group: "", resource: "configmaps" })).toBe(1)
    if (response.body.type !== "stream") throw new Error("expected a stream")
    for await (const frame of response.body.frames) throw new Error(`expected the end, found ${JSON.stringify(frame)}`)
  })

  test("a replay of more changes than may wait for a reader is shown whole, and the watch goes on", async () => {
    const { storage, open } = countedWatches(memoryStorage())
    const api = testServer(way, { storage, watchBuffer: 2 })
    const { resourceVersion = "" } = (await make(api, "a")).metadata
    const own = open()
    for (const name of ["b", "c", "d", "e"]) await make(api, name)
    const watch = await api.watch(configMaps, { resourceVersion })
    await make(api, "f")
    expect(said(await watch.read())).toEqual(["ADDED b", "ADDED c", "ADDED d", "ADDED e", "ADDED f"])
    expect(watch.ended).toBe(false)
    const stopping = watch.stop()
    await make(api, "g")
    await stopping
    expect([open() - own, api.metrics.value("apiserver_longrunning_requests"), api.clock.waiting()]).toEqual([0, 0, []])
  })

  test("a reader that is cut while it reads the replay gets the rest of it, so that it comes further with every try", async () => {
    const api = testServer(way, { watchBuffer: 2 })
    const { resourceVersion = "" } = (await make(api, "a")).metadata
    for (const name of ["b", "c", "d"]) await make(api, name)
    const response = await api.ask("GET", configMaps, { query: { watch: "1", resourceVersion } })
    for (const name of ["e", "f", "g"]) await make(api, name)
    if (response.body.type !== "stream") throw new Error("expected a stream")
    expect(await Array.fromAsync(response.body.frames)).toHaveLength(3)
  })

  test.each(["reader", "server"])("a watch whose %s has gone before it begins ends at once and leaves nothing behind", async (gone) => {
    const { storage, open } = countedWatches(memoryStorage())
    const api = testServer(way, { storage })
    await make(api, "a")
    if (gone === "server") await api.server.close()
    const own = open()
    const signal = gone === "reader" ? AbortSignal.abort() : undefined
    const response = await api.ask("GET", configMaps, { query: { watch: "1", resourceVersion: "1" }, signal })
    expect(response.status).toBe(200)
    if (response.body.type !== "stream") throw new Error("expected a stream")
    await Array.fromAsync(response.body.frames)
    expect([open() - own, api.metrics.value("apiserver_longrunning_requests"), api.clock.waiting()]).toEqual([0, 0, []])
    expect(api.lines).toEqual([])
  })

  test("a change that cannot be shown ends the watch and not its writer's request, and the next watch is answered with the reason", async () => {
    const { storage, open } = countedWatches(memoryStorage())
    const api = testServer(way, { storage })
    const { resourceVersion = "" } = (await make(api, "a")).metadata
    const own = open()
    const query = { labelSelector: "x=1", resourceVersion }
    const watch = await api.watch(configMaps, query)
    const broken = { key: "/registry/configmaps/default/b", make: () => ({ apiVersion: "v1", kind: "ConfigMap" }) as KubeObject }
    expect(await storage.commit([broken])).toMatchObject({ ok: true })
    expect(await watch.read()).toEqual([])
    expect(watch.ended).toBe(true)
    expect(statusIn(await api.get(configMaps, { ...query, watch: "1" })).code).toBe(500)
    expect([open() - own, api.metrics.value("apiserver_longrunning_requests"), api.clock.waiting()]).toEqual([0, 0, []])
  })
})

test("in process a watcher, a list and a get share one frozen object", async () => {
  const api = testServer("in process")
  const watch = await api.watch(configMaps)
  const made = await make(api, "a")
  const [event] = await watch.read()
  expect(event!.object).toBe(made)
  expect(objectIn(await api.get(`${configMaps}/a`))).toBe(made)
  expect(objectIn(await api.get(configMaps)).items![0]).toBe(made)
  expect(Object.isFrozen(made)).toBe(true)
  expect(Object.isFrozen(made.metadata.labels)).toBe(true)
})
