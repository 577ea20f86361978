import { type TransportRequest, valueBody } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { widget, widgets } from "../../customresources/testing/definitions.ts"
import { objectIn, statusIn, testServer } from "../../testing/server.ts"
import { allowed, configMaps, configurations, dialing, label, labels, patchOf, serverWith, webhook } from "./testing/webhooks.ts"

describe("mutating webhooks", () => {
  test("each sees what those before it have made of the object", async () => {
    const { api, reviews } = await serverWith(
      { a: () => patchOf(labels, label("a")), b: () => patchOf(label("b")) },
      { mutating: [webhook("a"), webhook("b")] },
    )
    const made = objectIn(await api.post(configMaps, { metadata: { name: "c" } }), 201)
    expect(made.metadata.labels).toEqual({ a: "yes", b: "yes" })
    expect(reviews.b![0]!.request.object.metadata).toMatchObject({ name: "c", labels: { a: "yes" } })
  })

  test("a review says what is written, by which user and how", async () => {
    const { api, reviews } = await serverWith({ a: () => allowed }, { mutating: [webhook("a")] })
    await api.post(configMaps, { metadata: { name: "c" }, data: { a: "b" } }, { fieldManager: "me" })
    expect(reviews.a).toEqual([
      {
        kind: "AdmissionReview",
        apiVersion: "admission.k8s.io/v1",
        request: {
          uid: expect.any(String),
          kind: { group: "", version: "v1", kind: "ConfigMap" },
          resource: { group: "", version: "v1", resource: "configmaps" },
          requestKind: { group: "", version: "v1", kind: "ConfigMap" },
          requestResource: { group: "", version: "v1", resource: "configmaps" },
          name: "c",
          namespace: "default",
          operation: "CREATE",
          userInfo: { username: "kubernetes-admin", groups: ["system:masters", "system:authenticated"] },
          object: {
            kind: "ConfigMap",
            apiVersion: "v1",
            metadata: { name: "c", namespace: "default", managedFields: [expect.objectContaining({ manager: "me" })] },
            data: { a: "b" },
          },
          oldObject: null,
          dryRun: false,
          options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1", fieldManager: "me" },
        },
      },
    ])
  })

  test("a webhook that may run again does so once after a later one has changed the object", async () => {
    const count = { a: 0, b: 0 }
    const hooks = {
      a: () => (count.a++ === 0 ? allowed : patchOf(label("again"))),
      b: () => (count.b++ === 0 ? patchOf(labels, label("b")) : allowed),
    }
    const { api } = await serverWith(hooks, { mutating: [webhook("a", { reinvocationPolicy: "IfNeeded" }), webhook("b")] })
    const made = objectIn(await api.post(configMaps, { metadata: { name: "c" } }), 201)
    expect([made.metadata.labels, count]).toEqual([
      { b: "yes", again: "yes" },
      { a: 2, b: 1 },
    ])
  })

  test("none can put an object into another namespace than that of the request", async () => {
    const moved = { op: "replace", path: "/metadata/namespace", value: "kube-system" }
    const { api } = await serverWith({ a: () => patchOf(moved) }, { mutating: [webhook("a")] })
    const message = "the namespace of the provided object does not match the namespace sent on the request"
    expect(statusIn(await api.post(configMaps, { metadata: { name: "c" } }))).toMatchObject({ code: 400, message })
  })

  test("the first of many operations that does not apply is named", async () => {
    const many = Array.from({ length: 2000 }, (_, index) => label(`l${index}`))
    const missing = { op: "remove", path: "/data/missing" }
    const operations = [labels, ...many, missing, ...many, { op: "remove", path: "/data/later" }]
    const { api } = await serverWith({ a: () => patchOf(...operations) }, { mutating: [webhook("a")] })
    expect(statusIn(await api.post(configMaps, { metadata: { name: "c" }, data: { a: "b" } })).message).toContain(
      "error in remove for path: '/data/missing': Unable to remove nonexistent key: missing",
    )
  })

  test("a delete cannot be changed", async () => {
    const { api } = await serverWith(
      { a: (review) => (review.request.operation === "DELETE" ? patchOf(labels) : allowed) },
      { mutating: [webhook("a")] },
    )
    await api.post(configMaps, { metadata: { name: "c" } })
    expect(statusIn(await api.delete(`${configMaps}/c`))).toMatchObject({
      code: 500,
      message:
        'Internal error occurred: admission webhook "a.example.com" attempted to modify the object, which is not supported for this operation',
    })
  })

  test("entries of managedFields that cannot be read are put back, with a warning", async () => {
    const broken = { op: "replace", path: "/metadata/managedFields/0/fieldsType", value: "Old" }
    const { api } = await serverWith({ a: () => patchOf(broken) }, { mutating: [webhook("a")] })
    const response = await api.post(configMaps, { metadata: { name: "c" }, data: { a: "b" } })
    expect(objectIn(response, 201)).toMatchObject({ data: { a: "b" } })
    expect(response.headers.warning).toContain(".metadata.managedFields was in an invalid state after admission")
    const shown = objectIn(await api.askShown("GET", `${configMaps}/c`)).metadata.managedFields
    expect(shown).toMatchObject([{ fieldsType: "FieldsV1" }])
  })
})

describe("validating webhooks", () => {
  test("a refusal has the webhook's words, its code, and its name", async () => {
    const { api } = await serverWith(
      { a: () => ({ allowed: false, status: { code: 402, message: "pay first", reason: "Costly" } }) },
      { validating: [webhook("a")] },
    )
    expect(statusIn(await api.post(configMaps, { metadata: { name: "c" } }))).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      reason: "Costly",
      message: 'admission webhook "a.example.com" denied the request: pay first',
      code: 402,
    })
  })

  test.each([
    [{ allowed: false }, 'admission webhook "a.example.com" denied the request without explanation'],
    [{ allowed: false, status: { reason: "Because" } }, 'admission webhook "a.example.com" denied the request: Because'],
  ])("a refusal without a message: %j", async (answer, message) => {
    const { api } = await serverWith({ a: () => answer }, { validating: [webhook("a")] })
    expect(statusIn(await api.post(configMaps, { metadata: { name: "c" } }))).toMatchObject({ code: 400, message })
  })

  test("warnings come with the answer", async () => {
    const { api } = await serverWith({ a: () => ({ allowed: true, warnings: ["think again"] }) }, { validating: [webhook("a")] })
    const response = await api.post(configMaps, { metadata: { name: "c" } })
    expect(response.headers.warning).toBe('299 - "think again"')
  })

  test("all are called at once, with the object as it will be stored", async () => {
    const both = Promise.withResolvers<void>()
    let called = 0
    const hook = async () => {
      if (++called === 2) both.resolve()
      await both.promise
      return allowed
    }
    const { api, reviews } = await serverWith({ a: hook, b: hook }, { validating: [webhook("a"), webhook("b")] })
    objectIn(await api.post(configMaps, { metadata: { generateName: "c-" } }), 201)
    expect(reviews.b![0]!.request).toMatchObject({ name: expect.stringMatching(/^c-/), object: { metadata: { uid: expect.any(String) } } })
  })
})

test("a webhook without side effects learns of a dry run", async () => {
  const { api, reviews } = await serverWith({ a: () => allowed }, { validating: [webhook("a", { sideEffects: "NoneOnDryRun" })] })
  objectIn(await api.post(configMaps, { metadata: { name: "c" } }, { dryRun: "All" }), 201)
  expect(reviews.a![0]!.request).toMatchObject({ dryRun: true, options: { dryRun: ["All"] } })
})

test("configurations of webhooks are never sent to one", async () => {
  const all = [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] }]
  const { api } = await serverWith({}, { validating: [webhook("a", { rules: all })] })
  objectIn(await api.delete(`${configurations("validating")}/hooks`))
  objectIn(await api.post(configMaps, { metadata: { name: "c" } }), 201)
})

test("calls are counted under kube-apiserver's names", async () => {
  const { api } = await serverWith({ a: () => ({ allowed: false }) }, { validating: [webhook("a")] })
  await api.post(configMaps, { metadata: { name: "c" } })
  const text = api.metrics.text()
  expect(text).toContain(
    'apiserver_admission_webhook_request_total{code="400",name="a.example.com",operation="CREATE",rejected="true",type="validating"} 1',
  )
  expect(text).toContain(
    'apiserver_admission_webhook_rejection_count{error_type="no_error",name="a.example.com",operation="CREATE",rejection_code="400",type="validating"} 1',
  )
})

test("a connection is shown with the flags that its query means, however they are written", async () => {
  const rules = [{ operations: ["CONNECT"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods/exec"] }]
  const { api, reviews } = await serverWith({ a: () => ({ allowed: false }) }, { validating: [webhook("a", { rules })] })
  await api.post("/api/v1/nodes", { metadata: { name: "n" } })
  const pods = "/api/v1/namespaces/default/pods"
  await api.post(pods, { metadata: { name: "p" }, spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] } })
  const query = { command: "sh", stdin: "TRUE", tty: "", stdout: "False", stderr: "0" }
  await api.ask("POST", `${pods}/p/exec`, { query, headers: { connection: "Upgrade", upgrade: "SPDY/3.1" } })
  const { object } = reviews.a![0]!.request
  expect(object).toEqual({ kind: "PodExecOptions", apiVersion: "v1", stdin: true, tty: true, command: ["sh"] })
})

test("the objects of a definition that is deleted are deleted without a webhook, which may have gone with its operator", async () => {
  const rules = [{ operations: ["DELETE"], apiGroups: ["example.com"], apiVersions: ["*"], resources: ["widgets"] }]
  const { api, reviews } = await serverWith({}, { validating: [webhook("gone", { rules })] })
  const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
  objectIn(await api.post(definitions, widgets()), 201)
  await api.clock.settle()
  objectIn(await api.post("/apis/example.com/v1/namespaces/default/widgets", widget("a")), 201)
  await api.delete(`${definitions}/widgets.example.com`)
  await api.clock.settle()
  expect((await api.get(`${definitions}/widgets.example.com`)).status).toBe(404)
  expect(reviews.gone).toBeUndefined()
})

test("a deletion of a collection is shown without a name, and with options of admission's own version", async () => {
  const { api, reviews } = await serverWith({ a: () => allowed }, { validating: [webhook("a")] })
  objectIn(await api.post(configMaps, { metadata: { name: "c" } }), 201)
  await api.ask("DELETE", configMaps, { body: { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Background" } })
  const { request } = reviews.a!.at(-1)!
  expect(request).toMatchObject({ operation: "DELETE", options: { apiVersion: "meta.k8s.io/v1", propagationPolicy: "Background" } })
  expect(request).not.toHaveProperty("name")
})

test("a command that a mutating webhook changes is the one that runs", async () => {
  const asked: TransportRequest[] = []
  const kubelet = () => async (request: TransportRequest) => {
    asked.push(request)
    return { status: 200, headers: {}, body: valueBody("") }
  }
  const rules = [{ operations: ["CONNECT"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods/exec"] }]
  const { dial } = dialing({
    a: () => patchOf({ op: "replace", path: "/command", value: ["date"] }, { op: "add", path: "/container", value: "d" }),
  })
  const api = testServer("in process", { dial, kubelet })
  objectIn(await api.post(configurations("mutating"), { metadata: { name: "hooks" }, webhooks: [webhook("a", { rules })] }), 201)
  await api.post("/api/v1/nodes", { metadata: { name: "n" } })
  const pods = "/api/v1/namespaces/default/pods"
  const containers = ["c", "d"].map((name) => ({ name, image: "i" }))
  await api.post(pods, { metadata: { name: "p" }, spec: { nodeName: "n", containers } })
  const query = { command: ["rm", "-r", "/"], container: "c", stdout: "true" }
  await api.ask("POST", `${pods}/p/exec`, { query, headers: { connection: "Upgrade", upgrade: "SPDY/3.1" } })
  expect(asked).toMatchObject([{ path: "/exec/default/p/d", query: { command: ["date"], output: "1" } }])
})
