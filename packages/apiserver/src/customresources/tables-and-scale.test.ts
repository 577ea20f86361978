import { expect, test } from "vitest"
import { everyWay, objectIn, statusIn, type TestServer } from "../testing/server.ts"
import { widget, widgets, widgetVersion } from "./testing/definitions.ts"

const path = "/apis/example.com/v1/namespaces/default/widgets"
const accept = "application/json;as=Table;v=v1;g=meta.k8s.io"

const version = widgetVersion("v1", {
  subresources: {
    status: {},
    scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.ready", labelSelectorPath: ".status.selector" },
  },
  selectableFields: [{ jsonPath: ".spec.color" }],
  additionalPrinterColumns: [
    { name: "Size", type: "integer", jsonPath: ".spec.size" },
    { name: "Phase", type: "string", jsonPath: ".status.phase", priority: 1 },
  ],
})

async function define(api: TestServer): Promise<void> {
  objectIn(await api.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgets(version)), 201)
  await api.clock.settle()
  await api.arrived()
}

everyWay("tables and scales of custom resources", (testServer) => {
  test("a list is a table with the columns of the definition", async () => {
    const api = testServer()
    await define(api)
    await api.post(path, widget("a"))
    expect(objectIn(await api.ask("GET", path, { headers: { accept } }))).toMatchObject({
      columnDefinitions: [{ name: "Name" }, { name: "Size", type: "integer" }, { name: "Phase", priority: 1 }],
      rows: [{ cells: ["a", 3, null] }],
    })
  })

  test("objects are selected by the fields of the definition, and by no others", async () => {
    const api = testServer()
    await define(api)
    await api.post(path, widget("a"))
    await api.post(path, widget("b", { size: 1, color: "green" }))
    const names = async (fieldSelector: string) =>
      (objectIn(await api.get(path, { fieldSelector })) as never as { items: { metadata: { name: string } }[] }).items.map(
        ({ metadata }) => metadata.name,
      )
    expect(await names("spec.color=green")).toEqual(["b"])
    expect(await names("spec.color!=green")).toEqual(["a"])
    expect(statusIn(await api.get(path, { fieldSelector: "spec.size=1" }))).toMatchObject({
      code: 400,
      message: expect.stringContaining("field label not supported: spec.size"),
    })
  })

  test("the scale of an object is read and written where the definition says", async () => {
    const api = testServer()
    await define(api)
    await api.post(path, widget("a"))
    expect(objectIn(await api.get(`${path}/a/scale`))).toMatchObject({ kind: "Scale", spec: { replicas: 3 }, status: { replicas: 0 } })
    objectIn(await api.patch(`${path}/a/scale`, "merge", { spec: { replicas: 5 } }))
    expect(objectIn(await api.get(`${path}/a`))).toMatchObject({ spec: { size: 5 }, metadata: { generation: 2 } })
    expect(objectIn(await api.ask("GET", `${path}/a/scale`, { headers: { accept } }))).toMatchObject({
      columnDefinitions: [{ name: "Name" }, { name: "Desired" }, { name: "Available" }, { name: "Age", type: "date" }],
      rows: [{ cells: ["a", 5, 0, expect.any(String)] }],
    })
  })

  test("the replicas are validated with the rest of the object", async () => {
    const api = testServer()
    await define(api)
    await api.post(path, widget("a"))
    expect(statusIn(await api.patch(`${path}/a/scale`, "merge", { spec: { replicas: -1 } }))).toMatchObject({
      code: 422,
      message: expect.stringContaining(".spec.size: Invalid value: -1: should be a non-negative integer"),
    })
  })

  test("a subresource that the definition does not have is not found, and a verb that it does not have is refused", async () => {
    const api = testServer()
    await define(api)
    await api.post(path, widget("a"))
    expect(statusIn(await api.get(`${path}/a/eviction`))).toMatchObject({ code: 404, message: 'widgets.example.com "a" not found' })
    expect(statusIn(await api.delete(`${path}/a/scale`))).toMatchObject({
      code: 405,
      message: 'delete is not supported on resources of kind "widgets.example.com"',
    })
  })

  test("the items of a list say their kind, also over the wire", async () => {
    const api = testServer()
    await define(api)
    await api.post(path, widget("a"))
    expect(objectIn(await api.get(path))).toMatchObject({
      kind: "WidgetList",
      metadata: { continue: "" },
      items: [{ apiVersion: "example.com/v1", kind: "Widget" }],
    })
  })

  test("an object without replicas has no scale until a write says how many", async () => {
    const api = testServer()
    const free = { ...version, schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } } }
    objectIn(
      await api.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgets({ ...free, selectableFields: undefined })),
      201,
    )
    await api.clock.settle()
    await api.arrived()
    await api.post(path, widget("a", {}))
    expect(statusIn(await api.get(`${path}/a/scale`))).toMatchObject({
      code: 500,
      message: 'Internal error occurred: the spec replicas field ".spec.size" does not exist',
    })
    expect(statusIn(await api.patch(`${path}/a/scale`, "merge", { metadata: { labels: { a: "b" } } }))).toMatchObject({
      code: 400,
      message: 'the spec replicas field ".spec.size" cannot be empty',
    })
    expect(objectIn(await api.patch(`${path}/a/scale`, "merge", { spec: { replicas: 2 } })).spec).toEqual({ replicas: 2 })
  })
})
