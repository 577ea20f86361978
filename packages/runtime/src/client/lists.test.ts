import { type Pod, pods } from "@pilothouse/api/core/v1"
import { valueBody } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { pod, scripted } from "./testing/scripted.ts"

describe("lists", () => {
  const item = (name: string) => ({ metadata: { name, namespace: "default", creationTimestamp: "2026-01-05T09:00:00Z" } })

  test("objects are the same from list, get and watch: with apiVersion and kind, times as text", async () => {
    const whole = { apiVersion: "v1", kind: "Pod", ...item("a") }
    const list = await scripted({ kind: "PodList", metadata: { resourceVersion: "7" }, items: [item("a")] }).client.list(pods)
    const got = await scripted(whole).client.get(pods, "default/a")
    async function* frames() {
      yield valueBody({ type: "ADDED", object: whole })
    }
    const { client } = scripted({ status: 200, headers: {}, body: { type: "stream", frames: frames() } })
    const [event] = await Array.fromAsync(await client.watch(pods))
    expect(list).toEqual({ items: [whole], resourceVersion: "7", continue: undefined, remaining: undefined })
    expect(got).toEqual(whole)
    expect(event).toEqual({ type: "ADDED", object: whole })
  })

  test("an object that has its type is not copied", async () => {
    const list = await scripted({ kind: "PodList", metadata: {}, items: [pod] }).client.list(pods)
    expect(list.items[0]).toBe(pod)
  })

  test("Go's null is an empty list", async () => {
    expect((await scripted({ kind: "PodList", metadata: { resourceVersion: "7" }, items: null }).client.list(pods)).items).toEqual([])
  })

  test.each(["values", "bytes"])("of %s: what is kept of each object is what comes, and the rest is left out", async (as) => {
    const list = { kind: "PodList", metadata: { resourceVersion: "7" }, items: [item("a"), item("b"), item("c")] }
    const bytes = { type: "bytes", bytes: new TextEncoder().encode(JSON.stringify(list)), contentType: "application/json" } as const
    const { client } = scripted(as === "values" ? list : { status: 200, headers: {}, body: bytes })
    const keep = (one: Pod) => (one.metadata.name === "b" ? undefined : { ...one, metadata: { name: one.metadata.name } })
    expect((await client.list(pods, { keep })).items).toEqual([
      { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } },
      { apiVersion: "v1", kind: "Pod", metadata: { name: "c" } },
    ])
  })

  test.each([
    ["an item that begins differently", [item("a"), item("b"), { spec: {}, metadata: { name: "c" } }, item("d")], {}],
    ["a field behind the items", [item("a"), item("b")], { more: [1] }],
  ])("list asks once about each object, also where it gives up reading them one by one at %s", async (_, items, more) => {
    const text = JSON.stringify({ kind: "PodList", metadata: { resourceVersion: "7" }, items, ...more })
    const bytes = { type: "bytes", bytes: new TextEncoder().encode(text), contentType: "application/json" } as const
    const { client } = scripted({ status: 200, headers: {}, body: bytes })
    const asked: (string | undefined)[] = []
    const keep = (one: Pod) => {
      asked.push(one.metadata.name)
      return one.metadata.name === "a" ? undefined : one
    }
    const kept = (await client.list(pods, { keep })).items.map(({ metadata }) => metadata.name)
    const names = items.map(({ metadata }) => metadata.name)
    expect({ asked, kept }).toEqual({ asked: names, kept: names.slice(1) })
  })

  test("listAll asks for page after page", async () => {
    const { client, requests } = scripted(
      { kind: "PodList", metadata: { resourceVersion: "7", continue: "token", remainingItemCount: 1 }, items: [item("a"), item("b")] },
      { kind: "PodList", metadata: { resourceVersion: "7", continue: "" }, items: [item("c")] },
    )
    const all = await Array.fromAsync(
      client.listAll(pods, { labelSelector: "a=b", resourceVersion: "7", resourceVersionMatch: "Exact", limit: 2 }),
    )
    expect(all.map(({ metadata }) => metadata.name)).toEqual(["a", "b", "c"])
    expect(requests.map(({ query }) => query)).toEqual([
      { limit: "2", labelSelector: "a=b", resourceVersion: "7", resourceVersionMatch: "Exact" },
      { limit: "2", labelSelector: "a=b", continue: "token" },
    ])
  })

  test("listAll does not request pages that are not read", async () => {
    const { client, requests } = scripted({ kind: "PodList", metadata: { continue: "token" }, items: [item("a")] })
    for await (const _ of client.listAll(pods)) break
    expect(requests).toHaveLength(1)
  })

  test("listAll asks for pages of 500, the next ones too by default", async () => {
    const { client, requests } = scripted(
      { kind: "PodList", metadata: { continue: "token" }, items: [item("a")] },
      { kind: "PodList", metadata: {}, items: [item("b")] },
    )
    expect(await Array.fromAsync(client.listAll(pods))).toHaveLength(2)
    expect(requests.map(({ query }) => query)).toEqual([{ limit: "500" }, { limit: "500", continue: "token" }])
  })
})
