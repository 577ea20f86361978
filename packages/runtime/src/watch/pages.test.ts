import { forbidden } from "@pilothouse/api"
import { type ConfigMap, configMaps } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { informerFixture } from "../testing/informer-fixture.ts"
import { expectTruth, requestsOf, startedWith } from "./testing/watching.ts"

describe("pages", () => {
  const twelve = Array.from({ length: 12 }, (_, at) => `cm-${String(at).padStart(2, "0")}`)

  test("WatchListPageSize: an explicit page size overrides all", async () => {
    await using fixture = await startedWith(twelve, { streams: false, pageSize: 5, pagesZero: true })
    expect(requestsOf(fixture)).toEqual(["stream", "list@0/5", "list+/5", "list+/5", "watch@12"])
    expectTruth(fixture)
  })

  test('PaginatingNonConsistentReadsIfWatchCacheDisabled: a server that pages "0" is asked for pages from then on', async () => {
    await using fixture = informerFixture({ streams: false, pagesZero: true })
    for (let at = 0; at < 501; at++) fixture.api.put(`cm-${at}`)
    await fixture.start()
    fixture.api.next("watch", { do: "refuse", error: forbidden({ group: "", plural: "configmaps" } as never, "", "no") })
    fixture.api.endAll()
    await fixture.clock.advance("1m")
    expect(requestsOf(fixture)).toEqual([
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
    expect(requestsOf(fixture).slice(3)).toEqual(["list/1", "watch@1", "list@1", "watch@1"])
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
    expect(requestsOf(fixture)).toEqual(["stream", "list@0/5", "list+/5", "list@0", "watch@13"])
    expectTruth(fixture)
  })

  test("a list whose pages come slowly is not given up while they come", async () => {
    await using fixture = informerFixture({ streams: false, pageSize: 5, pagesZero: true })
    for (const name of twelve) fixture.api.put(name)
    const slow = { do: "delay", milliseconds: 200_000 } as const
    fixture.api.next("list", slow, slow, slow)
    await fixture.start()
    await fixture.clock.advance("601s")
    expect(requestsOf(fixture)).toEqual(["stream", "list@0/5", "list+/5", "list+/5", "watch@12"])
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
    const { pageList } = await import("./initial-list.ts")
    const { createClient } = await import("../client/client.ts")
    const { clientSource } = await import("./watch-source.ts")
    const client = createClient(async (request) => {
      const answer = answers.shift()
      return answer === undefined ? fixture.api.transport(request) : { status: 200, headers: {}, body: { type: "value", value: answer } }
    })
    const found: string[] = []
    const page = (objects: readonly ConfigMap[]) => void found.push(...objects.map(({ metadata }) => metadata.name ?? ""))
    const keep = (object: ConfigMap) => object
    const options = { resourceVersion: "", limit: 5, signal: new AbortController().signal, keep, page, restart: () => {} }
    expect(await pageList(clientSource(client, configMaps), options)).toEqual({ resourceVersion: "1", pages: 3 })
    expect(found).toEqual(["a"])
  })
})
