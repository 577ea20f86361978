import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { expect, test } from "vitest"
import type { Draft } from "../../body/draft.ts"
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

/** Two versions: of v1 a widget is small, and its parts are light. */
async function defineParts(api: TestServer): Promise<void> {
  const schema = (rules: boolean) => {
    const root = structuredClone(widgetVersion("v1").schema!.openAPIV3Schema!) as Draft<JSONSchemaProps>
    const spec = root.properties!.spec!
    if (rules) spec["x-kubernetes-validations"] = [{ rule: "self.size < 10", message: "too large" }]
    const { weight } = (spec.properties!.parts!.items as Draft<JSONSchemaProps>).properties!
    if (rules) weight!["x-kubernetes-validations"] = [{ rule: "self < 100", message: "too heavy" }]
    return { schema: { openAPIV3Schema: root as JSONSchemaProps } }
  }
  objectIn(
    await api.post(definitions, widgets(widgetVersion("v1", schema(true)), widgetVersion("v2", { storage: false, ...schema(false) }))),
    201,
  )
  await api.clock.settle()
  await api.arrived()
}

function oldWidget(version: string) {
  return { ...widget("a", { size: 3, parts: [{ name: "p", weight: 200 }] }), apiVersion: `example.com/${version}` }
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

  test("what was refused by a rule before only warns, also where another rule refuses the update", async () => {
    const api = testServer()
    // Objects are stored through the version without rules.
    await defineParts(api)
    objectIn(await api.post(path.replace("/v1/", "/v2/"), oldWidget("v2")), 201)
    const warning = '299 - "spec.parts[0].weight: Invalid value: 200: too heavy"'
    const patched = (spec: object) => api.patch(`${path}/a`, "merge", { spec })

    const changed = await patched({ color: "green" })
    expect([changed.status, changed.headers.warning]).toEqual([200, warning])
    const refused = await patched({ size: 11 })
    expect([statusIn(refused).message, refused.headers.warning]).toEqual([
      'Widget.example.com "a" is invalid: spec: Invalid value: too large',
      warning,
    ])
    const beforeRules = await patched({ color: null, parts: [{ weight: 200 }] })
    expect([statusIn(beforeRules).message, beforeRules.headers.warning]).toEqual([
      expect.stringContaining("some validation rules were not checked because the object was invalid"),
      undefined,
    ])
    const ofStatus = await api.patch(`${path}/a/status`, "merge", { status: { phase: "x" } })
    expect([ofStatus.status, ofStatus.headers.warning]).toEqual([200, warning])
  })

  test("a rule fails at a value that an update keeps though the schema has another type for it now", async () => {
    const api = testServer()
    await define(api, { rule: "self.size < 10" })
    objectIn(await api.post(path, widget("a", { size: 5 })), 201)
    const version = structuredClone(widgetVersion("v1")) as Draft<ReturnType<typeof widgetVersion>>
    const spec = version.schema!.openAPIV3Schema!.properties!.spec!
    spec.properties!.size = { type: "string", maxLength: 5 }
    spec["x-kubernetes-validations"] = [{ rule: "self.size.startsWith('5')" }]
    objectIn(await api.patch(`${definitions}/widgets.example.com`, "merge", { spec: { versions: [version] } }))
    await api.clock.settle()
    await api.arrived()
    const message = `Widget.example.com "a" is invalid: spec: Invalid value: "object": invalid data, expected string, got int64 evaluating rule: self.size.startsWith('5')`
    expect(statusIn(await api.patch(`${path}/a`, "merge", { spec: { color: "green" } })).message).toBe(message)
    expect(statusIn(await api.patch(`${path}/a/status`, "merge", { status: { phase: "x" } })).message).toBe(message)
    objectIn(await api.patch(`${path}/a`, "merge", { spec: { size: "5" } }))
  })

  test("an object that was written in one version can be replaced in another", async () => {
    const api = testServer()
    await defineParts(api)
    objectIn(await api.post(path.replace("/v1/", "/v2/"), oldWidget("v2")), 201)
    const { metadata } = objectIn(await api.get(`${path}/a`))
    const replacing = { ...oldWidget("v1"), metadata: { name: "a", resourceVersion: metadata.resourceVersion } }
    expect(objectIn(await api.put(`${path}/a`, replacing))).toMatchObject({ metadata: { uid: metadata.uid } })
  })
})
