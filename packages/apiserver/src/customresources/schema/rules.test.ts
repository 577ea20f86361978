import { expect, test } from "vitest"
import { everyWay, objectIn, statusIn, type TestServer } from "../../testing/server.ts"
import { widget, widgets, widgetVersion } from "../testing/definitions.ts"

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
const path = "/apis/example.com/v1/namespaces/default/widgets"

function withRules(...rules: readonly object[]) {
  const version = widgetVersion("v1")
  const root = version.schema!.openAPIV3Schema!
  const spec = { ...root.properties!.spec!, "x-kubernetes-validations": rules }
  return widgets({ ...version, schema: { openAPIV3Schema: { ...root, properties: { ...root.properties, spec } } } } as typeof version)
}

async function define(api: TestServer, ...rules: readonly object[]): Promise<void> {
  objectIn(await api.post(definitions, withRules(...rules)), 201)
  await api.clock.settle()
  await api.arrived()
}

everyWay("rules of custom resources", (testServer) => {
  test("an object that a rule refuses is invalid, in the words of the rule", async () => {
    const api = testServer()
    await define(api, { rule: "self.size < 10", message: "too large" })
    objectIn(await api.post(path, widget("a", { size: 9 })), 201)
    expect(statusIn(await api.post(path, widget("b", { size: 10 })))).toMatchObject({
      code: 422,
      message: 'Widget.example.com "b" is invalid: spec: Invalid value: too large',
    })
  })

  test("a transition rule compares with the stored object", async () => {
    const api = testServer()
    await define(api, { rule: "self.size >= oldSelf.size", message: "a widget does not shrink" })
    objectIn(await api.post(path, widget("a", { size: 5 })), 201)
    objectIn(await api.patch(`${path}/a`, "merge", { spec: { size: 6 } }))
    expect(statusIn(await api.patch(`${path}/a`, "merge", { spec: { size: 4 } })).message).toContain("a widget does not shrink")
  })

  test("rules are not evaluated for an object that breaks its schema", async () => {
    const api = testServer()
    await define(api, { rule: "self.size < 10" })
    expect(statusIn(await api.post(path, widget("a", { size: "x" }))).message).toContain(
      "some validation rules were not checked because the object was invalid",
    )
  })

  test("a definition whose rule does not compile is refused", async () => {
    const api = testServer()
    const refusal = statusIn(await api.post(definitions, withRules({ rule: "self.sise < 10" })))
    expect(refusal.code).toBe(422)
    expect(refusal.message).toContain("undefined field 'sise'")
  })
})
