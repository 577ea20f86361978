import { expect, test } from "vitest"
import { everyWay, objectIn, testServer as serverInProcess, statusIn, type TestServer } from "../testing/server.ts"
import { widgets, widgetVersion } from "./testing/definitions.ts"

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
const path = "/apis/example.com/v1/namespaces/default/widgets"
const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true }

async function serverWithWidgets(make: () => TestServer): Promise<TestServer> {
  const api = make()
  objectIn(await api.post(definitions, widgets(widgetVersion("v1", { schema: { openAPIV3Schema: open } }))), 201)
  await api.clock.settle()
  await api.arrived()
  return api
}

/** Of a body as text: 1e400 is no number of JavaScript's. */
function send({ transport }: TestServer, verb: "POST" | "PATCH", to: string, text: string, contentType = "application/json") {
  const query: Record<string, string> = contentType.includes("apply") ? { fieldManager: "m" } : {}
  return transport({ verb, path: to, query, headers: {}, body: { type: "bytes", bytes: new TextEncoder().encode(text), contentType } })
}

const widgetOf = (spec: string) => `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"},"spec":${spec}}`
const refusal = (literal: string) => `json: cannot unmarshal number ${literal} into Go value of type float64`

everyWay("a number beyond every double, which would be stored as null,", (testServer) => {
  test.each(["1e400", "-1.5E+999", `12${"0".repeat(300)}e20`])("is refused in an object: %s", async (literal) => {
    const api = await serverWithWidgets(testServer)
    const { code, message } = statusIn(await send(api, "POST", path, widgetOf(`{"deep":[{"x":${literal}}]}`)))
    expect([code, message]).toEqual([400, `Widget in version "v1" cannot be handled as a Widget: ${refusal(literal)}`])
  })

  test("is refused as an integer of more digits", async () => {
    const api = await serverWithWidgets(testServer)
    for (const body of [widgetOf(`{"x":1${"0".repeat(350)}}`), widgetOf(`{"x":1${"0".repeat(450)}}`)])
      expect(statusIn(await send(api, "POST", path, body)).code).toBe(400)
  })

  test.each([
    ["merge", '{"spec":{"x":1e400}}'],
    ["json", '[{"op":"add","path":"/spec","value":{"x":1e400}}]'],
  ])("is refused in a %s patch", async (kind, patch) => {
    const api = await serverWithWidgets(testServer)
    objectIn(await send(api, "POST", path, widgetOf("{}")), 201)
    const { code, message } = statusIn(
      await send(api, "PATCH", `${path}/a`, patch, `application/${kind === "json" ? "json" : "merge"}-patch+json`),
    )
    expect([code, message]).toEqual([400, `error decoding patch: ${refusal("1e400")}`])
  })

  test("is a text in what is applied, which is YAML", async () => {
    const api = await serverWithWidgets(testServer)
    const applied = await send(api, "PATCH", `${path}/a`, widgetOf('{"x":1e400}'), "application/apply-patch+yaml")
    expect(objectIn(applied, 201)).toMatchObject({ spec: { x: "1e400" } })
  })

  test("is no bound of a schema, and no default", async () => {
    const api = testServer()
    const property = async (text: string) => {
      const definition = JSON.stringify(widgets()).replace('"minimum":1', text)
      return statusIn(await send(api, "POST", definitions, definition)).message
    }
    const place = "Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.properties.maximum of type float64"
    expect(await property('"maximum":1e400')).toContain(`json: cannot unmarshal number 1e400 into ${place}`)
    expect(await property('"maximum":"x"')).toContain(`json: cannot unmarshal string into ${place}`)
    expect(await property('"default":1e400')).toContain("into Go value of type float64")
  })
})

test.each([Number.POSITIVE_INFINITY, Number.NaN])("%s is refused where a body comes as a value", async (x) => {
  const api = await serverWithWidgets(serverInProcess)
  const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "a" }, spec: { x } }
  expect(statusIn(await api.post(path, widget)).message).toContain(refusal(String(x)))
  const headers = { "content-type": "application/apply-patch+yaml" }
  const applied = {
    verb: "PATCH",
    path: `${path}/a`,
    query: { fieldManager: "m" },
    headers,
    body: { type: "value", value: widget },
  } as const
  expect(statusIn(await api.transport(applied))).toMatchObject({ code: 400, message: `error decoding YAML: ${refusal(String(x))}` })
})
