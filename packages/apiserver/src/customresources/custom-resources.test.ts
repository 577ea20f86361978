import { createHash } from "node:crypto"
import type { CustomResourceDefinition } from "@pilothouse/api/apiextensions/v1"
import { expect, test } from "vitest"
import { everyWay, objectIn, said, statusIn, type TestServer } from "../testing/server.ts"
import { widget, widgets, widgetVersion } from "./testing/definitions.ts"

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
const path = "/apis/example.com/v1/namespaces/default/widgets"

async function define(api: TestServer, definition = widgets()): Promise<void> {
  objectIn(await api.post(definitions, definition), 201)
  await api.clock.settle()
  await api.arrived()
}

const conditionsIn = ({ status }: CustomResourceDefinition) =>
  (status?.conditions ?? []).map(({ type, status: is, reason }) => [type, is, reason].join(" "))

everyWay("custom resources", (testServer) => {
  test("a definition is accepted, then established, each in a write of its own", async () => {
    const api = testServer()
    const watch = await api.watch(definitions)
    await define(api)
    const events = await watch.read()
    expect(said(events)).toEqual(["ADDED widgets.example.com", "MODIFIED widgets.example.com", "MODIFIED widgets.example.com"])
    expect(events.map(({ object }) => conditionsIn(object as never as CustomResourceDefinition))).toEqual([
      [],
      ["NamesAccepted True NoConflicts", "Established False Installing"],
      ["NamesAccepted True NoConflicts", "Established True InitialNamesAccepted"],
    ])
    expect(events.at(-1)!.object).toMatchObject({
      status: { acceptedNames: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList", shortNames: ["wd"] } },
    })
  })

  test("a definition has defaults for its names and its conversion", async () => {
    const made = objectIn(await testServer().post(definitions, widgets()), 201)
    expect(made).toMatchObject({
      spec: { names: { singular: "widget", listKind: "WidgetList" }, conversion: { strategy: "None" } },
      status: { acceptedNames: { kind: "", plural: "" }, storedVersions: ["v1"] },
    })
  })

  test.each([[[]], [null]])("a list of stored versions that is emptied (%j) has the storage version again", async (storedVersions) => {
    const api = testServer()
    await define(api)
    const emptied = await api.patch(`${definitions}/widgets.example.com/status`, "merge", { status: { storedVersions } })
    expect(objectIn(emptied)).toMatchObject({ status: { storedVersions: ["v1"] } })
  })

  test("objects are created, read, listed, watched, patched and deleted", async () => {
    const api = testServer()
    await define(api)
    const made = objectIn(await api.post(path, widget("a")), 201)
    expect(made).toMatchObject({ apiVersion: "example.com/v1", kind: "Widget", spec: { size: 3 }, metadata: { generation: 1 } })
    expect(objectIn(await api.get(`${path}/a`))).toEqual(made)
    const watch = await api.watch(path, { resourceVersion: made.metadata.resourceVersion! })
    objectIn(await api.patch(`${path}/a`, "merge", { spec: { size: 4 } }))
    objectIn(await api.delete(`${path}/a`))
    expect(said(await watch.read())).toEqual(["MODIFIED a", "DELETED a"])
    expect(objectIn(await api.get("/apis/example.com/v1/widgets"))).toMatchObject({ kind: "WidgetList", items: [] })
  })

  test.each([
    ["another kind", { kind: "Gadget" }, 422, 'Gadget.example.com "a" is invalid: kind: Invalid value: "Gadget": must be Widget'],
    ["a number as kind", { kind: 1 }, 400, "json: cannot unmarshal number into Go struct field .kind of type string"],
    ["a list as apiVersion", { apiVersion: [] }, 400, "json: cannot unmarshal array into Go struct field .apiVersion of type string"],
    ["three parts of apiVersion", { apiVersion: "a/b/c" }, 400, "(must be of type Widget): unexpected GroupVersion string: a/b/c ("],
  ])("a body with %s is refused", async (_, change, code, message) => {
    const api = testServer()
    await define(api)
    expect(statusIn(await api.post(path, { ...widget("a"), ...change }))).toMatchObject({ code, message: expect.stringContaining(message) })
  })

  test("a patch of another type is refused with the types there are", async () => {
    const api = testServer()
    await define(api)
    objectIn(await api.post(path, widget("a")), 201)
    const types = "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"
    const body = { type: "bytes", bytes: new TextEncoder().encode("{}"), contentType: "text/plain" } as const
    const answer = await api.transport({ verb: "PATCH", path: `${path}/a`, query: {}, headers: {}, body })
    expect(statusIn(answer)).toMatchObject({ code: 415, message: expect.stringContaining(`accepted media types include: ${types}`) })
  })

  test.each([
    ["an unknown resource of its group", "/apis/example.com/v1/gadgets"],
    ["an unknown version of its group", "/apis/example.com/v9/widgets"],
    ["a name without its namespace", "/apis/example.com/v1/widgets/a"],
  ])("%s is a page of text", async (_, unknown) => {
    const api = testServer()
    await define(api)
    const { status, body } = await api.get(unknown)
    expect([status, body.type === "bytes" && new TextDecoder().decode(body.bytes)]).toEqual([404, "404 page not found\n"])
  })

  test("an update without a name is refused", async () => {
    const api = testServer()
    await define(api)
    expect(statusIn(await api.patch(path, "merge", {}))).toMatchObject({ code: 400, message: "name must be provided" })
  })

  test("a strategic merge patch is refused", async () => {
    const api = testServer()
    await define(api)
    await api.post(path, widget("a"))
    expect((await api.patch(`${path}/a`, "strategic", { spec: { size: 4 } })).status).toBe(415)
  })

  test("a null of no type that is applied counts as a field and is not shown, found with seed 2323", async () => {
    const api = testServer()
    const status = {
      type: "object",
      maxProperties: 1,
      properties: { a: { "x-kubernetes-preserve-unknown-fields": true }, b: { type: "string" } },
    }
    await define(api, widgets(widgetVersion("v1", { schema: { openAPIV3Schema: { type: "object", properties: { status } } as never } })))
    objectIn(await api.post(path, { ...widget("a"), spec: undefined }), 201)
    const applied = (fields: object) => ({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "a" }, status: fields })
    expect(statusIn(await api.apply(`${path}/a/status`, applied({ a: null, b: "x" })))).toMatchObject({
      message: 'Widget.example.com "a" is invalid: status: Too many: 2: must have at most 1 item',
    })
    expect(objectIn(await api.apply(`${path}/a/status`, applied({ a: null }))).status).toEqual({})
  })

  test("discovery names the kind at once", async () => {
    const api = testServer()
    expect((await api.get("/apis/example.com/v1")).status).toBe(404)
    await define(api)
    expect(objectIn(await api.get("/apis/example.com/v1"))).toMatchObject({
      resources: [
        { name: "widgets", singularName: "widget", kind: "Widget", namespaced: true, shortNames: ["wd"] },
        { name: "widgets/status", kind: "Widget", verbs: ["get", "patch", "update"] },
      ],
    })
  })

  test("the status is written through its own endpoint alone", async () => {
    const api = testServer()
    await define(api)
    const made = objectIn(await api.post(path, { ...widget("a"), status: { phase: "Ready" } }), 201)
    expect(made).not.toHaveProperty("status")
    const status = { ...made, spec: { size: 9 }, status: { phase: "Ready" } }
    expect(objectIn(await api.put(`${path}/a/status`, status))).toMatchObject({
      spec: { size: 3 },
      status: { phase: "Ready" },
      metadata: { generation: 1 },
    })
    const current = objectIn(await api.get(`${path}/a`))
    expect(objectIn(await api.put(`${path}/a`, { ...current, spec: { size: 9 }, status: {} }))).toMatchObject({
      spec: { size: 9 },
      status: { phase: "Ready" },
      metadata: { generation: 2 },
    })
  })

  test("an object is read in every served version and stored in one", async () => {
    const api = testServer()
    await define(api, widgets(widgetVersion("v1"), widgetVersion("v1beta1", { storage: false })))
    objectIn(await api.post(path, widget("a")), 201)
    const older = "/apis/example.com/v1beta1/namespaces/default/widgets"
    expect(objectIn(await api.get(`${older}/a`))).toMatchObject({ apiVersion: "example.com/v1beta1", spec: { size: 3 } })
    objectIn(await api.post(older, { ...widget("b"), apiVersion: "example.com/v1beta1" }), 201)
    expect(objectIn(await api.get(`${path}/b`))).toMatchObject({ apiVersion: "example.com/v1" })
  })

  test("a deleted definition takes its objects with it", async () => {
    const api = testServer()
    await define(api)
    objectIn(await api.post(path, widget("a")), 201)
    objectIn(await api.post(path, { ...widget("held"), metadata: { name: "held", finalizers: ["example.com/hold"] } }), 201)
    const marked = objectIn(await api.delete(`${definitions}/widgets.example.com`))
    expect(marked.metadata).toMatchObject({ finalizers: ["customresourcecleanup.apiextensions.k8s.io"], generation: 1 })
    expect(marked.metadata).not.toHaveProperty("deletionGracePeriodSeconds")
    await api.clock.settle()
    await api.arrived()
    expect((await api.get(`${path}/a`)).status).toBe(404)
    expect(statusIn(await api.post(path, widget("late")))).toMatchObject({
      code: 403,
      message: 'widgets.example.com "late" is forbidden: create not allowed while custom resource definition is terminating',
    })
    objectIn(await api.patch(`${path}/held`, "merge", { metadata: { finalizers: null } }))
    await api.clock.settle()
    await api.arrived()
    expect((await api.get(`${definitions}/widgets.example.com`)).status).toBe(404)
    expect((await api.get(path)).status).toBe(404)
  })

  test("a watch ends when its definition changes", async () => {
    const api = testServer()
    await define(api)
    const watch = await api.watch(path)
    const { metadata } = objectIn(await api.get(`${definitions}/widgets.example.com`))
    objectIn(await api.put(`${definitions}/widgets.example.com`, { ...widgets(widgetVersion("v1", { subresources: {} })), metadata }))
    await api.clock.settle()
    await watch.read()
    expect(watch.ended).toBe(true)
  })

  test("a body of another kind is refused", async () => {
    const api = testServer()
    await define(api)
    expect(statusIn(await api.post(path, { ...widget("a"), apiVersion: "example.com/v2" }))).toMatchObject({
      code: 400,
      message: "the API version in the data (example.com/v2) does not match the expected API version (example.com/v1)",
    })
    expect(statusIn(await api.post(path, { ...widget("a"), kind: "Gadget" }))).toMatchObject({ code: 422 })
  })

  test.each([
    ["of the version that objects are stored in", true, [hashOf("v1"), hashOf("v1")]],
    ["of none where that version is not served", false, [undefined]],
  ])("discovery shows the hash %s", async (_title, served, expected) => {
    const api = testServer()
    await define(api, widgets(widgetVersion("v1", { served }), widgetVersion("v2", { storage: false })))
    const hashIn = async (version: string) => {
      const { resources } = objectIn(await api.get(`/apis/example.com/${version}`)) as never as { resources: readonly Hashed[] }
      return resources[0]?.storageVersionHash
    }
    expect(await Promise.all((served ? ["v1", "v2"] : ["v2"]).map(hashIn))).toEqual(expected)
  })
})

interface Hashed {
  readonly storageVersionHash?: string
}

function hashOf(version: string): string {
  return createHash("sha256").update(`example.com/${version}/Widget`).digest().subarray(0, 8).toString("base64")
}
