import { describe, expect, test } from "vitest"
import { everyWay, objectIn, statusIn, testServer } from "../../testing/server.ts"

const group = "/apis/admissionregistration.k8s.io/v1"
const configMaps = "/api/v1/namespaces/default/configmaps"
const deployments = "/apis/apps/v1/namespaces/default/deployments"

type Server = ReturnType<typeof testServer>

interface Policy {
  readonly name?: string
  readonly resources?: readonly string[]
  readonly apply?: string
  readonly patch?: string
  readonly spec?: object
  readonly binding?: object
}

/** Creates a policy with one mutation, and a binding of it. */
async function bind(api: Server, { name = "p", resources = ["configmaps"], apply, patch, spec, binding }: Policy): Promise<void> {
  const rule = { apiGroups: ["", "apps"], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources }
  const mutation =
    apply === undefined
      ? { patchType: "JSONPatch", jsonPatch: { expression: patch } }
      : { patchType: "ApplyConfiguration", applyConfiguration: { expression: apply } }
  const body = { matchConstraints: { resourceRules: [rule] }, mutations: [mutation], reinvocationPolicy: "Never", ...spec }
  objectIn(await api.post(`${group}/mutatingadmissionpolicies`, { metadata: { name }, spec: body }), 201)
  objectIn(await api.post(`${group}/mutatingadmissionpolicybindings`, { metadata: { name }, spec: { policyName: name, ...binding } }), 201)
}

async function created(api: Server, body: object = { metadata: { name: "c" }, data: { a: "1" } }): Promise<Record<string, unknown>> {
  return objectIn(await api.post(configMaps, body), 201) as unknown as Record<string, unknown>
}

everyWay("a MutatingAdmissionPolicy", (server) => {
  test("merges an apply configuration into the object", async () => {
    const api = server()
    await bind(api, { apply: "Object{metadata: Object.metadata{labels: {'by': request.userInfo.username}}}" })
    expect(await created(api)).toMatchObject({ metadata: { labels: { by: "kubernetes-admin" } }, data: { a: "1" } })
  })
})

describe("a MutatingAdmissionPolicy", () => {
  test("applies a JSON patch, with keys escaped", async () => {
    const api = testServer()
    const path = "'/metadata/annotations/' + jsonpatch.escapeKey('a.b/c')"
    const patch = `[JSONPatch{op: 'add', path: '/metadata/annotations', value: {}}, JSONPatch{op: 'add', path: ${path}, value: 'x'}]`
    await bind(api, { patch })
    expect(await created(api)).toMatchObject({ metadata: { annotations: { "a.b/c": "x" } } })
  })

  test("fails where an operation has a field of another name, which is dynamic and so known only then", async () => {
    const api = testServer()
    await bind(api, { patch: "[JSONPatch{op: 'remove', path: '/data/a', operation: dyn('x')}]" })
    const refused = statusIn(await api.post(configMaps, { metadata: { name: "c" }, data: { a: "1" } }))
    expect(refused.message).toContain("denied request: unexpected JSONPatchType field: operation")
  })

  test("leaves the object as it is where a test does not hold", async () => {
    const api = testServer()
    await bind(api, { patch: "[JSONPatch{op: 'test', path: '/data/a', value: '2'}, JSONPatch{op: 'remove', path: '/data'}]" })
    expect(await created(api)).toMatchObject({ data: { a: "1" } })
  })

  test.each([
    ["Fail", 403],
    ["Ignore", 201],
  ])("whose double stands where an integer belongs fails, with failurePolicy %s", async (failurePolicy, status) => {
    const api = testServer()
    await bind(api, { resources: ["deployments"], apply: "Object{spec: Object.spec{replicas: 3.5}}", spec: { failurePolicy } })
    const containers = [{ name: "c", image: "c:1" }]
    const template = { metadata: { labels: { a: "b" } }, spec: { containers } }
    const body = { metadata: { name: "d" }, spec: { selector: { matchLabels: { a: "b" } }, template } }
    const answer = await api.post(deployments, body)
    expect(answer.status).toBe(status)
    if (status === 201) return
    const about = "policy 'p' with binding 'p' denied request: unable to convert unstructured object to apps/v1, Kind=Deployment"
    expect(statusIn(answer)).toMatchObject({ reason: "Invalid", message: `${about}: cannot convert float64 to int32` })
  })

  test("adds an item to a keyed list, and defaults are filled in", async () => {
    const api = testServer()
    const container = "Object.spec.template.spec.containers{name: 'side', image: 'side:1'}"
    const apply = `Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [${container}]}}}}`
    await bind(api, { resources: ["deployments"], apply })
    const labels = { app: "a" }
    const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "main:1" }] } }
    const body = { metadata: { name: "d" }, spec: { selector: { matchLabels: labels }, template } }
    const made = objectIn(await api.post(deployments, body), 201) as unknown as { spec: { template: { spec: { containers: object[] } } } }
    expect(made.spec.template.spec.containers).toMatchObject([
      { name: "main", image: "main:1" },
      { name: "side", image: "side:1", imagePullPolicy: "IfNotPresent" },
    ])
  })

  test("runs again where a later one has changed the object", async () => {
    const api = testServer()
    const spec = { reinvocationPolicy: "IfNeeded" }
    await bind(api, { name: "a", apply: "Object{data: {'size': string(object.data.size())}}", spec })
    await bind(api, { name: "b", apply: "Object{data: {'other': 'x'}}" })
    expect(await created(api)).toMatchObject({ data: { a: "1", other: "x", size: "3" } })
  })

  test("reads params and variables", async () => {
    const api = testServer()
    await created(api, { metadata: { name: "params" }, data: { label: "blue" } })
    const spec = {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      variables: [{ name: "label", expression: "params.data.label" }],
      matchConditions: [{ name: "named", expression: "object.metadata.name == 'c'" }],
    }
    const binding = { paramRef: { name: "params", parameterNotFoundAction: "Deny" } }
    await bind(api, { apply: "Object{metadata: Object.metadata{labels: {'label': variables.label}}}", spec, binding })
    expect(await created(api)).toMatchObject({ metadata: { labels: { label: "blue" } } })
  })

  test.each([
    [
      "a type that does not fit its field",
      { apply: "Object{metadata: Object.meta{}}" },
      'type mismatch: unexpected type name "Object.meta", expected "Object.metadata", which matches field name path from root Object type',
    ],
    [
      "a field that the kind has not",
      { apply: "Object{other: 1}" },
      "error applying patch: failed to convert patch object to typed object: .other: field not declared in schema",
    ],
    [
      "an expression that fails",
      { apply: "Object{data: {'a': string(object.data.x)}}" },
      "expression 'Object{data: {'a': string(object.data.x)}}' resulted in error: no such key: x",
    ],
  ])("refuses %s", async (_what, policy, text) => {
    const api = testServer()
    await bind(api, policy)
    const message = `policy 'p' with binding 'p' denied request: ${text}`
    const status = statusIn(await api.post(configMaps, { metadata: { name: "c" }, data: { a: "1" } }))
    expect(status).toMatchObject({ code: 403, reason: "Invalid", message, details: { causes: [{ message }] } })
  })

  test("refuses to change what is atomic", async () => {
    const api = testServer()
    const apply = "Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {'a': 'b'}}}}"
    await bind(api, { resources: ["deployments"], apply })
    const labels = { app: "a" }
    const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "main:1" }] } }
    const body = { metadata: { name: "d" }, spec: { selector: { matchLabels: labels }, template } }
    expect(statusIn(await api.post(deployments, body)).message).toContain(
      "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.selector",
    )
  })

  test("ignores failures where it says so", async () => {
    const api = testServer()
    await bind(api, { apply: "Object{other: 1}", spec: { failurePolicy: "Ignore" } })
    expect(await created(api)).toMatchObject({ data: { a: "1" } })
  })
})
