import { describe, expect, test } from "vitest"
import { directories, runs } from "../storage/disk/testing/disk-directory.ts"
import { memoryStorage } from "../storage/memory.ts"
import { handlerWays, objectIn, said, statusIn, type TestServer, testServer } from "../testing/server.ts"

const configMaps = "/api/v1/namespaces/default/configmaps"
const secrets = "/api/v1/namespaces/default/secrets"
const large = 100_000

const directory = directories()

/** Its history holds some five large objects. */
async function bounded(way: (typeof handlerWays)[number], watchBuffer?: number): Promise<TestServer> {
  const historyBytes = 5 * large
  if (way !== "on disk") return testServer(way, { watchBuffer, storage: memoryStorage({ historyBytes }) })
  const { clock, open } = runs(directory(), { historyBytes })
  return { ...testServer(way, { clock, watchBuffer, storage: await open() }), clock }
}

const make = async (api: TestServer, name: string) => objectIn(await api.post(configMaps, { metadata: { name } }), 201)

/** Writes more than the history holds. */
async function fill(api: TestServer, path = `${configMaps}/large`): Promise<void> {
  for (let round = 0; round < 8; round++) {
    objectIn(await api.patch(path, "merge", { data: { text: String(round).repeat(large) } }))
  }
}

async function framesOf(api: TestServer, path: string, query: Readonly<Record<string, string>> = {}, signal?: AbortSignal) {
  const { body } = await api.ask("GET", path, { query: { watch: "1", ...query }, signal })
  if (body.type !== "stream") throw new Error("expected a stream")
  return body.frames
}

const cut = (resource: string) => ({
  message: "a watch was ended because its reader is too slow",
  group: "",
  resource,
  reason: "what waits for it is older than the history that is kept",
})

describe.each(handlerWays)("a history bounded in bytes, %s", (way) => {
  test("a client that rewrites a large object makes older revisions expire: watches, lists and pages say 410, newer ones go on", async () => {
    const api = await bounded(way)
    await make(api, "a")
    const { resourceVersion = "" } = (await make(api, "large")).metadata
    const page = objectIn(await api.get(configMaps, { limit: "1" }))
    await fill(api)
    const watch = await api.watch(configMaps, { resourceVersion })
    expect(await watch.read()).toMatchObject([{ type: "ERROR", object: { reason: "Expired", code: 410 } }])
    expect(statusIn(await api.get(configMaps, { resourceVersion, resourceVersionMatch: "Exact" })).code).toBe(410)
    const token = (page.metadata as { readonly continue?: string }).continue ?? ""
    expect(statusIn(await api.get(configMaps, { limit: "1", continue: token }))).toMatchObject({ code: 410, reason: "Expired" })
    const { resourceVersion: now = "" } = objectIn(await api.get(configMaps)).metadata
    const next = await api.watch(configMaps, { resourceVersion: now })
    await make(api, "b")
    expect(said(await next.read())).toEqual(["ADDED b"])
  })

  test("a reader that stands still is cut when the history has gone past it, and holds nothing that the store does not", async () => {
    const api = await bounded(way)
    const { resourceVersion = "" } = (await make(api, "large")).metadata
    const frames = await framesOf(api, configMaps, { resourceVersion })
    await fill(api)
    expect(api.lines.map(({ message, fields }) => ({ message, ...fields }))).toEqual([cut("configmaps")])
    expect(api.metrics.value("apiserver_terminated_watchers_total", { group: "", resource: "configmaps" })).toBe(1)
    expect(api.metrics.value("apiserver_longrunning_requests")).toBe(0)
    expect(await Array.fromAsync(frames)).toEqual([])
  })

  test("so is one whose own kind is quiet, and one that never read its replay", async () => {
    const api = await bounded(way)
    const { resourceVersion = "" } = (await make(api, "large")).metadata
    const { resourceVersion: later = "" } = objectIn(await api.post(secrets, { metadata: { name: "a" } }), 201).metadata
    const [live, replay] = [await framesOf(api, secrets, { resourceVersion: later }), await framesOf(api, secrets, { resourceVersion })]
    objectIn(await api.post(secrets, { metadata: { name: "b" } }), 201)
    await fill(api)
    expect(api.lines.map(({ fields }) => fields?.resource)).toEqual(["secrets", "secrets"])
    expect([await Array.fromAsync(live), await Array.fromAsync(replay)]).toEqual([[], []])
  })

  test.each(["by its time", "by a cut"])("a watch that has ended %s holds its replay no longer", async (how) => {
    const api = await bounded(way, 2)
    const { resourceVersion = "" } = (await make(api, "large")).metadata
    const leaving = new AbortController()
    await make(api, "old")
    const [kept, left] = [
      await framesOf(api, configMaps, { resourceVersion, timeoutSeconds: "1" }),
      await framesOf(api, configMaps, { resourceVersion, timeoutSeconds: "1" }, leaving.signal),
    ]
    if (how === "by its time") await api.clock.advance("2s")
    if (how === "by a cut") for (let count = 0; count < 3; count++) await make(api, `new-${count}`)
    expect(api.metrics.value("apiserver_longrunning_requests")).toBe(0)
    const lines = api.lines.length
    leaving.abort()
    expect(await Array.fromAsync(left)).toEqual([])
    await fill(api)
    expect(await Array.fromAsync(kept)).toEqual([])
    expect(api.lines).toHaveLength(lines)
  })

  test("a watch that has ended is read to its end while history holds what waits", async () => {
    const api = await bounded(way)
    const { resourceVersion = "" } = (await make(api, "large")).metadata
    await make(api, "a")
    const frames = await framesOf(api, configMaps, { resourceVersion, timeoutSeconds: "1" })
    await api.clock.advance("2s")
    await make(api, "b")
    const read = await Array.fromAsync(frames)
    expect(read).toMatchObject([{ value: { type: "ADDED", object: { metadata: { name: "a" } } } }])
  })

  test("a reader that keeps up receives every change, however much history is dropped", async () => {
    const api = await bounded(way)
    await make(api, "large")
    const watch = await api.watch(configMaps)
    const seen: string[] = [...said(await watch.read())]
    for (let round = 0; round < 3; round++) {
      await fill(api)
      seen.push(...said(await watch.read()))
    }
    expect(seen.filter((text) => text === "MODIFIED large")).toHaveLength(24)
    expect(watch.ended).toBe(false)
    expect(api.lines).toEqual([])
  })

  test("the beginning of a watch list is read like a list, also when its revision has expired meanwhile", async () => {
    const api = await bounded(way)
    await make(api, "large")
    const initial = { sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan", allowWatchBookmarks: "true" }
    const frames = (await framesOf(api, configMaps, initial))[Symbol.asyncIterator]()
    await fill(api)
    expect((await frames.next()).value).toMatchObject({ value: { type: "ADDED", object: { metadata: { name: "large" } } } })
    expect((await frames.next()).value).toMatchObject({ value: { type: "BOOKMARK" } })
    expect(await frames.next()).toMatchObject({ done: true })
  })
})

test("a reader that stands still for as long as history is kept is cut, too", async () => {
  const api = testServer()
  const { resourceVersion = "" } = (await make(api, "a")).metadata
  const frames = await framesOf(api, configMaps, { resourceVersion })
  await make(api, "b")
  for (let minute = 0; minute < 7; minute++) {
    await api.clock.advance("1m")
    objectIn(await api.post(secrets, { metadata: { name: `s${minute}` } }), 201)
  }
  expect(api.lines.map(({ fields }) => fields?.reason)).toEqual([cut("configmaps").reason])
  expect(await Array.fromAsync(frames)).toEqual([])
})
