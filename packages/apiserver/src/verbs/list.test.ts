import { Buffer } from "node:buffer"
import { describe, expect, test } from "vitest"
import { allWays, objectIn, statusIn, type TestServer, testServer } from "../testing/server.ts"

const configMaps = "/api/v1/namespaces/default/configmaps"

async function make(api: TestServer, ...names: string[]): Promise<void> {
  for (const name of names) objectIn(await api.post(configMaps, { metadata: { name, labels: { name } } }), 201)
}

const names = (list: { readonly items?: readonly { readonly metadata: { readonly name?: string } }[] }) =>
  list.items?.map(({ metadata }) => metadata.name)

describe.each(allWays)("list, %s", (way) => {
  test("has the kind of the list, the revision of the snapshot, and items in the order of keys", async () => {
    const api = testServer(way)
    await make(api, "b", "a", "a-1")
    const list = objectIn(await api.get(configMaps))
    expect(list).toMatchObject({ kind: "ConfigMapList", apiVersion: "v1" })
    expect(names(list)).toEqual(["a", "a-1", "b"])
    expect(list.metadata.resourceVersion).toBe(objectIn(await api.get(`${configMaps}/a-1`)).metadata.resourceVersion)
    expect(objectIn(await api.get("/api/v1/namespaces/kube-public/configmaps"))).toMatchObject({ items: [] })
  })

  test("goes across namespaces", async () => {
    const api = testServer(way)
    await make(api, "a")
    await api.post("/api/v1/namespaces/kube-public/configmaps", { metadata: { name: "b" } })
    const system = ["extension-apiserver-authentication", "kube-apiserver-legacy-service-account-token-tracking"]
    expect(names(objectIn(await api.get("/api/v1/configmaps")))).toEqual(["a", "b", ...system])
  })

  test("pages show the revision of the first page", async () => {
    const api = testServer(way)
    await make(api, "a", "b", "c", "d", "e")
    const first = objectIn(await api.get(configMaps, { limit: "2" })) as never as ListAnswer
    expect(names(first)).toEqual(["a", "b"])
    expect(first.metadata.remainingItemCount).toBe(3)
    await make(api, "c1")
    await api.delete(`${configMaps}/d`)
    const second = objectIn(await api.get(configMaps, { limit: "2", continue: first.metadata.continue! })) as never as ListAnswer
    expect(names(second)).toEqual(["c", "d"])
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion)
    const third = objectIn(await api.get(configMaps, { limit: "2", continue: second.metadata.continue! })) as never as ListAnswer
    expect(names(third)).toEqual(["e"])
    expect(third.metadata.continue).toBeUndefined()
  })

  test("a page with selectors says nothing of how many remain", async () => {
    const api = testServer(way)
    await make(api, "a", "b", "c", "d")
    const first = objectIn(await api.get(configMaps, { limit: "1", labelSelector: "name in (b,d)" })) as never as ListAnswer
    expect(names(first)).toEqual(["b"])
    expect(first.metadata.remainingItemCount).toBeUndefined()
    const second = objectIn(await api.get(configMaps, { labelSelector: "name in (b,d)", continue: first.metadata.continue! }))
    expect(names(second)).toEqual(["d"])
  })

  test("the token has upstream's form, and a broken one is a 400", async () => {
    const api = testServer(way)
    await make(api, "a", "b")
    const { metadata } = objectIn(await api.get(configMaps, { limit: "1" })) as never as ListAnswer
    expect(JSON.parse(Buffer.from(metadata.continue!, "base64url").toString())).toEqual({
      v: "meta.k8s.io/v1",
      rv: Number(metadata.resourceVersion),
      start: "a\u0000",
    })
    expect((await api.get(configMaps, { continue: "!!" })).status).toBe(400)
    expect((await api.get(configMaps, { continue: metadata.continue!, resourceVersion: "3" })).status).toBe(400)
  })

  test("a token whose revision is compacted is a 410 with a token to go on inconsistently", async () => {
    const api = testServer(way)
    await make(api, "a", "b", "c")
    const first = objectIn(await api.get(configMaps, { limit: "1" })) as never as ListAnswer
    await outlive(api)
    const status = statusIn(await api.get(configMaps, { limit: "1", continue: first.metadata.continue! }))
    expect(status).toMatchObject({ code: 410, reason: "Expired" })
    const token = (status.metadata as { continue?: string }).continue!
    expect(names(objectIn(await api.get(configMaps, { continue: token })))).toEqual(["b", "c", "late", "late2", "late3"])
  })

  test("limit is of no account for resourceVersion 0 (seen)", async () => {
    const api = testServer(way)
    await make(api, "a", "b")
    expect(names(objectIn(await api.get(configMaps, { limit: "1", resourceVersion: "0" })))).toEqual(["a", "b"])
  })

  test("at exactly a revision shows that moment; too old a one is a 410 (seen)", async () => {
    const api = testServer(way)
    await make(api, "a")
    const { resourceVersion = "" } = objectIn(await api.get(configMaps)).metadata
    await make(api, "b")
    expect(names(objectIn(await api.get(configMaps, { resourceVersion, resourceVersionMatch: "Exact" })))).toEqual(["a"])
    expect(names(objectIn(await api.get(configMaps, { resourceVersion, resourceVersionMatch: "NotOlderThan" })))).toEqual(["a", "b"])
    await outlive(api)
    expect(statusIn(await api.get(configMaps, { resourceVersion, resourceVersionMatch: "Exact" }))).toMatchObject({
      code: 410,
      reason: "Expired",
      message: "The resourceVersion for the provided list is too old.",
    })
  })

  test.each([
    [{ resourceVersionMatch: "Exact" }, "resourceVersionMatch is forbidden unless resourceVersion is provided"],
    [{ resourceVersionMatch: "Exact", resourceVersion: "0" }, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'],
    [
      { resourceVersionMatch: "NotOlderThan", resourceVersion: "1", continue: "x" },
      "resourceVersionMatch is forbidden when continue is provided",
    ],
    [{ sendInitialEvents: "true" }, "sendInitialEvents is forbidden for list"],
  ])("options %o are a 422 (seen)", async (query, message) => {
    const status = statusIn(await testServer(way).get(configMaps, query))
    expect(status).toMatchObject({ code: 422, reason: "Invalid", details: { kind: "ListOptions", group: "meta.k8s.io" } })
    expect(status.message).toContain(message)
  })

  test("an unreadable revision or selector is a 400", async () => {
    const api = testServer(way)
    expect((await api.get(configMaps, { resourceVersion: "x" })).status).toBe(400)
    expect((await api.get(configMaps, { labelSelector: "a in" })).status).toBe(400)
    expect((await api.get(configMaps, { fieldSelector: "a" })).status).toBe(400)
    expect(statusIn(await api.get("/api/v1/pods", { fieldSelector: "spec.foo=a" })).message).toBe("field label not supported: spec.foo")
  })

  test("chooses by labels and fields", async () => {
    const api = testServer(way)
    await make(api, "a", "b")
    expect(names(objectIn(await api.get(configMaps, { labelSelector: "name!=a" })))).toEqual(["b"])
    expect(names(objectIn(await api.get(configMaps, { fieldSelector: "metadata.name=a" })))).toEqual(["a"])
    const pods = "/api/v1/namespaces/default/pods"
    await api.post(pods, { metadata: { name: "p" }, spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] } })
    expect(names(objectIn(await api.get(pods, { fieldSelector: "spec.nodeName=n,status.phase!=Failed" })))).toEqual(["p"])
    expect(names(objectIn(await api.get(pods, { fieldSelector: "spec.nodeName=m" })))).toEqual([])
  })

  test("as PartialObjectMetadata has metadata only; an empty one has null items (seen)", async () => {
    const api = testServer(way)
    const headers = { accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1" }
    expect(objectIn(await api.ask("GET", configMaps, { headers }))).toMatchObject({ kind: "PartialObjectMetadataList", items: null })
    await make(api, "a")
    const list = objectIn(await api.ask("GET", configMaps, { headers }))
    expect(list.items).toEqual([
      { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: expect.objectContaining({ name: "a" }) },
    ])
  })

  test("as a Table has columns and rows", async () => {
    const api = testServer(way)
    await make(api, "a")
    const headers = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" }
    const table = objectIn(await api.ask("GET", configMaps, { headers })) as never as Table
    expect(table).toMatchObject({ kind: "Table", apiVersion: "meta.k8s.io/v1" })
    expect(table.columnDefinitions.map(({ name }) => name)).toEqual(["Name", "Data", "Age"])
    expect(table.rows[0]?.cells).toEqual(["a", 0, "0s"])
  })

  test("an unknown media type is a 406", async () => {
    expect((await testServer(way).ask("GET", configMaps, { headers: { accept: "image/png" } })).status).toBe(406)
  })
})

interface ListAnswer {
  readonly metadata: { readonly continue?: string; readonly remainingItemCount?: number; readonly resourceVersion: string }
  readonly items: readonly { readonly metadata: { readonly name: string } }[]
}

interface Table {
  readonly columnDefinitions: readonly { readonly name: string }[]
  readonly rows: readonly { readonly cells: readonly unknown[] }[]
}

/** Lets history grow old enough to be forgotten. */
async function outlive(api: TestServer): Promise<void> {
  await api.clock.advance("1m")
  await make(api, "late")
  await api.clock.advance("6m")
  await make(api, "late2")
  await api.clock.advance("6m")
  await make(api, "late3")
}

describe.each(allWays)("a list that waits, %s", (way) => {
  test("a revision still to come is waited for, and is a 504 after three seconds (seen)", async () => {
    const api = testServer(way)
    const response = api.get(configMaps, { resourceVersion: "999" })
    await api.arrived()
    await api.clock.advance("3s")
    expect(statusIn(await response)).toMatchObject({
      code: 504,
      reason: "Timeout",
      details: { retryAfterSeconds: 1, causes: [{ reason: "ResourceVersionTooLarge" }] },
    })
    const soon = api.get(configMaps, { resourceVersion: String(Number(objectIn(await api.get(configMaps)).metadata.resourceVersion) + 1) })
    await api.arrived()
    await make(api, "a")
    expect(names(objectIn(await soon))).toEqual(["a"])
  })
})
