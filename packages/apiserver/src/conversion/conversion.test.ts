import { describe, expect, test } from "vitest"
import { objectIn, said, statusIn } from "../testing/server.ts"
import { endpoint, endpointServer, pathOf } from "./testing/endpoints.ts"

describe("an object of a definition with a conversion webhook", () => {
  test("is stored in the storage version and read in both", async () => {
    const { api, hook } = await endpointServer()
    const body = { apiVersion: "example.com/v2", kind: "Endpoint", metadata: { name: "x" }, spec: { host: "a", port: "80" } }
    const made = objectIn(await api.post(pathOf("v2"), body), 201)
    expect(made).toMatchObject({ apiVersion: "example.com/v2", spec: { host: "a", port: "80" } })
    expect(objectIn(await api.get(pathOf("v1", "x"))).spec).toEqual({ hostPort: "a:80" })
    expect(hook.reviews.map(({ request }) => request.desiredAPIVersion)).toEqual(["example.com/v1", "example.com/v2"])
    expect(hook.reviews[0]!.request.objects[0]!.metadata).not.toHaveProperty("resourceVersion")
    expect(hook.reviews[0]!.request.objects[0]!.metadata).toHaveProperty("managedFields")
  })

  test("is replaced, patched, scaled and deleted in the other version", async () => {
    const { api } = await endpointServer()
    objectIn(await api.post(pathOf("v1"), endpoint("x")), 201)
    const current = objectIn(await api.get(pathOf("v2", "x")))
    objectIn(await api.put(pathOf("v2", "x"), { ...current, spec: { host: "b", port: "81", replicas: 1 } }))
    expect(objectIn(await api.get(pathOf("v1", "x"))).spec).toEqual({ hostPort: "b:81", replicas: 1 })
    objectIn(await api.patch(pathOf("v2", "x"), "merge", { spec: { port: "82" } }))
    expect(objectIn(await api.get(pathOf("v1", "x"))).spec).toEqual({ hostPort: "b:82", replicas: 1 })
    objectIn(await api.patch(`${pathOf("v2", "x")}/status`, "merge", { status: { ready: true } }))
    expect(objectIn(await api.get(pathOf("v1", "x"))).status).toEqual({ ready: true })
    expect(objectIn(await api.get(`${pathOf("v2", "x")}/scale`)).spec).toEqual({ replicas: 1 })
    objectIn(await api.patch(`${pathOf("v2", "x")}/scale`, "merge", { spec: { replicas: 4 } }))
    expect(objectIn(await api.get(pathOf("v1", "x"))).spec).toEqual({ hostPort: "b:82", replicas: 4 })
    objectIn(await api.delete(pathOf("v2", "x")))
    expect((await api.get(pathOf("v1", "x"))).status).toBe(404)
  })

  test("is listed by one review, which is made once for each object", async () => {
    const { api, hook } = await endpointServer()
    for (const [index, name] of ["x", "y", "z"].entries()) objectIn(await api.post(pathOf("v1"), endpoint(name, `h${index}:80`)), 201)
    expect(hook.reviews).toHaveLength(0)
    const { items } = objectIn(await api.get(pathOf("v2")))
    expect(items!.map(({ spec }) => spec)).toEqual(["0", "1", "2"].map((index) => ({ host: `h${index}`, port: "80" })))
    expect(hook.reviews.map(({ request }) => request.objects.length)).toEqual([3])
    const selected = objectIn(await api.get(pathOf("v2"), { fieldSelector: "spec.host=h1" }))
    expect(selected.items!.map(({ metadata }) => metadata.name)).toEqual(["y"])
    expect(hook.reviews).toHaveLength(1)
  })

  test("is watched in the version of the watch, in order", async () => {
    const { api, hook } = await endpointServer()
    objectIn(await api.post(pathOf("v1"), endpoint("x")), 201)
    const watch = await api.watch(pathOf("v2"), {
      sendInitialEvents: "true",
      resourceVersionMatch: "NotOlderThan",
      allowWatchBookmarks: "true",
    })
    objectIn(await api.patch(pathOf("v1", "x"), "merge", { spec: { hostPort: "b:80" } }))
    objectIn(await api.post(pathOf("v1"), endpoint("y")), 201)
    objectIn(await api.delete(pathOf("v1", "x")))
    const events = await watch.read()
    expect(said(events)).toEqual(["ADDED x", "BOOKMARK", "MODIFIED x", "ADDED y", "DELETED x"])
    expect(events[2]!.object).toMatchObject({ apiVersion: "example.com/v2", spec: { host: "b", port: "80" } })
    expect(hook.reviews.every(({ request }) => request.desiredAPIVersion === "example.com/v2")).toBe(true)
  })

  test("that was stored in an older version is written again by an update that changes nothing", async () => {
    const { api, hook, change } = await endpointServer()
    const { metadata } = objectIn(await api.post(pathOf("v1"), endpoint("x")), 201)
    const versions = objectIn(await api.get("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/endpoints.example.com")).spec!.versions
    objectIn(await change({ spec: { versions: (versions as { name: string }[]).map((one) => ({ ...one, storage: one.name === "v2" })) } }))
    const moved = objectIn(await api.patch(pathOf("v2", "x"), "merge", {}))
    expect(moved.metadata.resourceVersion).not.toBe(metadata.resourceVersion)
    hook.reviews.length = 0
    expect(objectIn(await api.get(pathOf("v2", "x"))).spec).toEqual({ host: "a", port: "80" })
    expect(hook.reviews).toHaveLength(0)
    const again = objectIn(await api.patch(pathOf("v2", "x"), "merge", {}))
    expect(again.metadata.resourceVersion).toBe(moved.metadata.resourceVersion)
  })
})

describe("managers of another version", () => {
  test("lose what a write in this version changes", async () => {
    const { api } = await endpointServer()
    const config = (host: string) => ({
      apiVersion: "example.com/v2",
      kind: "Endpoint",
      metadata: { name: "x" },
      spec: { host, port: "80" },
    })
    objectIn(await api.apply(pathOf("v2", "x"), config("a"), { fieldManager: "two" }), 201)
    const one = { apiVersion: "example.com/v1", kind: "Endpoint", metadata: { name: "x" }, spec: { hostPort: "b:80" } }
    const refused = statusIn(await api.apply(pathOf("v1", "x"), one, { fieldManager: "one" }))
    expect(refused).toMatchObject({ code: 409, message: 'Apply failed with 1 conflict: conflict with "two": .spec.host' })
    objectIn(await api.apply(pathOf("v1", "x"), one, { fieldManager: "one", force: "true" }))
    const { metadata, spec } = objectIn(await api.askShown("GET", pathOf("v2", "x")))
    expect(spec).toEqual({ host: "b", port: "80" })
    expect(metadata.managedFields!.map(({ manager, apiVersion, fieldsV1 }) => [manager, apiVersion, fieldsV1])).toEqual([
      ["one", "example.com/v1", { "f:spec": { "f:hostPort": {} } }],
      ["two", "example.com/v2", { "f:spec": { "f:port": {} } }],
    ])
  })
})
