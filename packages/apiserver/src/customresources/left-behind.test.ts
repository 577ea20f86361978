import { expect, test } from "vitest"
import { everyWay, objectIn, statusIn } from "../testing/server.ts"
import { widget, widgets } from "./testing/definitions.ts"

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
const path = "/apis/example.com/v1/namespaces/default/widgets"
const schemaPath = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size/type"

everyWay("an object that its definition has left behind", (testServer) => {
  async function leftBehind(): Promise<ReturnType<typeof testServer>> {
    const api = testServer()
    objectIn(await api.post(definitions, widgets()), 201)
    await api.clock.settle()
    await api.arrived()
    objectIn(await api.post(path, widget("a"), { fieldManager: "m1" }), 201)
    objectIn(await api.patch(`${definitions}/widgets.example.com`, "json", [{ op: "replace", path: schemaPath, value: "string" }]))
    await api.clock.settle()
    await api.arrived()
    return api
  }

  test("is not applied to", async () => {
    const api = await leftBehind()
    const config = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "a", labels: { a: "b" } } }
    expect(statusIn(await api.apply(`${path}/a`, config))).toMatchObject({
      code: 500,
      message:
        "failed to create typed live object (default/a; example.com/v1, Kind=Widget): .spec.size: expected string, got &value.valueUnstructured{Value:3}",
    })
  })

  test("loses its managedFields with the next update", async () => {
    const api = await leftBehind()
    const shown = async () => objectIn(await api.askShown("GET", `${path}/a`)).metadata.managedFields?.map(({ manager }) => manager)
    expect(await shown()).toEqual(["m1"])
    objectIn(await api.patch(`${path}/a`, "merge", { metadata: { labels: { a: "b" } } }, { fieldManager: "m2" }))
    expect(await shown()).toBeUndefined()
  })
})
