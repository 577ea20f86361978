import { expect, test } from "vitest"
import { everyWay, objectIn, statusIn } from "./testing/server.ts"

// Every row was seen to be answered so by a real server; `npm run test:real -- messages` compares some hundreds more.

const configMaps = "/api/v1/namespaces/default/configmaps"
const one = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }

everyWay("refusals", (testServer) => {
  function post(text: string, query: Record<string, string> = {}, path = configMaps) {
    const body = { type: "bytes", bytes: new TextEncoder().encode(text), contentType: "application/json" } as const
    return testServer().transport({ verb: "POST", path, query, headers: {}, body })
  }

  test.each([
    [
      "",
      "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)",
    ],
    [
      "{x",
      "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: invalid character 'x' looking for beginning of object key string ({x)",
    ],
    [
      '{"apiVersion":"a/b/c","kind":"ConfigMap"}',
      'the object provided is unrecognized (must be of type ConfigMap): unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c","kind":" ...)',
    ],
    [
      '{"apiVersion":"v1","kind":"Secret"}',
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    ],
    [
      '{"data":{"a":1}}',
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ],
    ['{"binaryData":{"a":"!"}}', 'ConfigMap in version "v1" cannot be handled as a ConfigMap: illegal base64 data at input byte 0'],
  ])("a body %j", async (text, message) => {
    expect(statusIn(await post(text))).toMatchObject({ code: 400, reason: "BadRequest", message })
  })

  test("a field that is there twice, strictly", async () => {
    const status = statusIn(await post('{"metadata":{"name":"a","name":"b"}}', { fieldValidation: "Strict" }))
    expect(status.message).toContain('strict decoding error: duplicate field "metadata.name"')
  })

  test.each([
    ["fieldValidation", "Loud", 'fieldValidation: Unsupported value: "Loud": supported values: "", "Ignore", "Strict", "Warn"'],
    ["dryRun", "", 'dryRun: Unsupported value: [""]: supported values: "All"'],
    ["fieldManager", "m".repeat(129), "fieldManager: Too long: may not be more than 128 bytes"],
    ["fieldManager", "a\u0007", 'fieldManager: Invalid value: "a\\a": invalid character U+0007 (at position 1)'],
  ])("the option %s of %j", async (option, value, words) => {
    expect(statusIn(await post(JSON.stringify(one), { [option]: value }))).toMatchObject({
      code: 422,
      message: `CreateOptions.meta.k8s.io "" is invalid: ${words}`,
    })
  })

  test("a PUT or PATCH of a collection is not allowed, and a PUT needs a name", async () => {
    const api = testServer()
    objectIn(await api.post(configMaps, one), 201)
    expect((await api.put(configMaps, one)).status).toBe(405)
    expect((await api.patch(configMaps, "merge", {})).status).toBe(405)
    expect(statusIn(await api.put(`${configMaps}/a`, { data: {} })).message).toBe(
      "the name of the object (a based on URL) was undeterminable: name must be provided",
    )
  })

  test("options of a delete are read as strictly as an object", async () => {
    const api = testServer()
    const said = async (body: unknown) => statusIn(await api.ask("DELETE", `${configMaps}/a`, { body })).message
    expect(await said({ gracePeriodSeconds: "soon" })).toBe(
      "json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64",
    )
    expect(await said({ dryRun: ["Some"] })).toContain('dryRun: Unsupported value: ["Some"]')
    expect(await said({ apiVersion: "v1", kind: "Pod" })).toContain('no kind "Pod" is registered for version "v1"')
  })

  const container = { name: "main", image: "a" }

  test.each([
    [
      { containers: [{ ...container, image: " a" }] },
      'spec.containers[0].image: Invalid value: " a": must not have leading or trailing whitespace',
    ],
    [
      { containers: [{ ...container, lifecycle: { preStop: {} } }] },
      "spec.containers[0].lifecycle.preStop: Required value: must specify a handler type",
    ],
    [{ containers: [container], volumes: [{ name: "v", secret: {} }] }, "spec.volumes[0].secret.secretName: Required value"],
    [{ containers: [container], dnsPolicy: "None" }, "spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"],
    [
      { containers: [container], topologySpreadConstraints: [{ maxSkew: 0, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" }] },
      "spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero",
    ],
  ])("a pod %j", async (spec, words) => {
    const status = statusIn(await testServer().post("/api/v1/namespaces/default/pods", { metadata: { name: "p" }, spec }))
    expect(status).toMatchObject({ code: 422, message: `Pod "p" is invalid: ${words}` })
  })

  test("a selector without a key is refused in words", async () => {
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [container] } }
    const selector = { matchLabels: { a: "b" }, matchExpressions: [{ operator: "In", values: ["b"] }] }
    const status = statusIn(
      await testServer().post("/apis/apps/v1/namespaces/default/deployments", { metadata: { name: "d" }, spec: { selector, template } }),
    )
    expect(status).toMatchObject({ code: 422, reason: "Invalid" })
    expect(status.message).toContain('spec.selector.matchExpressions[0].key: Invalid value: ""')
  })
})
