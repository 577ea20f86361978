import { deepFreeze } from "@pilothouse/api"
import { describe, expect, test } from "vitest"
import { objectIn } from "../../testing/server.ts"
import { type Answer, aggregatingServer, answered, apiServicePath, prefix, working } from "../testing/extension-server.ts"

const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

interface Groups {
  readonly items: readonly { readonly metadata: { readonly name?: string }; readonly versions: readonly object[] }[]
}

type Api = Awaited<ReturnType<typeof aggregatingServer>>["api"]

async function wardleOf(api: Api) {
  const { items } = objectIn(await api.ask("GET", "/apis", { headers: { accept } })) as unknown as Groups
  return items.find(({ metadata }) => metadata.name === "wardle.example.com")
}

const flunders = deepFreeze({
  resource: "flunders",
  responseKind: { group: "wardle.example.com", version: "v1alpha1", kind: "Flunder" },
  scope: "Namespaced",
  singularResource: "flunder",
  verbs: ["create", "get", "list", "watch"],
  shortNames: ["fl"],
})

describe("the discovery of an extension server", () => {
  test("is a part of ours, at the place of its priority", async () => {
    const { api, install } = await aggregatingServer()
    await install()
    expect(await wardleOf(api)).toMatchObject({ versions: [{ version: "v1alpha1", resources: [flunders], freshness: "Current" }] })
    const { groups } = objectIn(await api.get("/apis")) as unknown as { readonly groups: readonly { readonly name: string }[] }
    expect(groups.at(-1)?.name).toBe("wardle.example.com")
    expect(groups[0]?.name).toBe("apiregistration.k8s.io")
    expect(objectIn(await api.get("/apis/wardle.example.com"))).toMatchObject({
      kind: "APIGroup",
      preferredVersion: { groupVersion: "wardle.example.com/v1alpha1", version: "v1alpha1" },
    })
    expect(objectIn(await api.get(prefix))).toMatchObject({ kind: "APIResourceList", groupVersion: "wardle.example.com/v1alpha1" })
  })

  test("is read in the older form where the server has no other", async () => {
    const { api, extension, install } = await aggregatingServer()
    extension.answer = (request, to) => (request.path === "/apis" ? answered({}, {}, 404) : working(request, to))
    await install()
    const responseKind = { group: "", version: "", kind: "Flunder" }
    const [version] = (await wardleOf(api))?.versions ?? []
    expect(version).toMatchObject({
      freshness: "Current",
      resources: [{ resource: "flunders", responseKind, scope: "Namespaced", verbs: ["get"] }],
    })
  })

  test("is stale, and what it was, while the server cannot be read", async () => {
    const { api, extension, install } = await aggregatingServer()
    await install()
    extension.answer = () => answered({}, {}, 503)
    await api.clock.advance(61_000)
    expect(await wardleOf(api)).toMatchObject({ versions: [{ version: "v1alpha1", resources: [flunders], freshness: "Stale" }] })
    extension.answer = working
    await api.clock.advance(60_000)
    expect(await wardleOf(api)).toMatchObject({ versions: [{ freshness: "Current" }] })
  })

  test("is gone with the APIService", async () => {
    const { api, install } = await aggregatingServer()
    await install()
    objectIn(await api.delete(apiServicePath))
    await api.clock.settle()
    expect(await wardleOf(api)).toBeUndefined()
  })

  test("is stale until the server was read: garbage collection and namespaces wait for it", async () => {
    const { api, extension, install } = await aggregatingServer()
    extension.answer = () => new Promise(() => {})
    await install()
    expect(await wardleOf(api)).toMatchObject({ versions: [{ version: "v1alpha1", freshness: "Stale" }] })
  })

  const broken: readonly (readonly [string, Answer])[] = [
    ["never answers", () => new Promise(() => {})],
    [
      "is down",
      () => {
        throw new Error("dial tcp 10.0.0.7:8443: connect: connection refused")
      },
    ],
    ["answers garbage", () => answered("<html>", { "content-type": accept })],
    ["answers lists of something else", () => answered({ items: [{ versions: 7 }] }, { "content-type": accept })],
    [
      "answers 10 MB",
      () => ({
        status: 200,
        headers: { "content-type": accept },
        body: { type: "bytes", bytes: new Uint8Array(10_000_000), contentType: accept },
      }),
    ],
    ["dies in the middle", () => ({ status: 200, headers: { "content-type": accept }, body: { type: "stream", frames: dying() } })],
  ]

  test.each(broken)("of a server that %s is empty and stale, and no other group waits for it", async (_, answer) => {
    const { api, extension, install } = await aggregatingServer()
    extension.answer = answer
    await install()
    const before = api.clock.elapsed()
    const { items } = objectIn(await api.ask("GET", "/apis", { headers: { accept } })) as unknown as Groups
    expect(items.map(({ metadata }) => metadata.name)).toContain("apps")
    expect(objectIn(await api.get("/api/v1/namespaces/default"))).toMatchObject({ kind: "Namespace" })
    expect(api.clock.elapsed()).toBe(before)
    await api.clock.advance(15_000)
    const wardle = await wardleOf(api)
    expect(wardle?.versions).toEqual([{ version: "v1alpha1", freshness: "Stale" }])
  })
})

async function* dying() {
  yield { type: "bytes", bytes: Buffer.from('{"items": [') } as const
  throw new Error("read ECONNRESET")
}
