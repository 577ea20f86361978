import { type Dial, PilothouseError, parseJson, type TransportRequest, valueBody } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { widget, widgets } from "../../customresources/testing/definitions.ts"
import { objectIn, statusIn, testServer } from "../../testing/server.ts"

const configMaps = "/api/v1/namespaces/default/configmaps"
const configurations = (type: string) => `/apis/admissionregistration.k8s.io/v1/${type}webhookconfigurations`

interface Review {
  readonly request: { readonly uid: string; readonly operation: string; readonly object: { readonly metadata: object } } & Record<
    string,
    unknown
  >
}
type Answer = (review: Review, request: TransportRequest) => unknown

/** Webhooks by the host of their URL; each gets the AdmissionReview and returns a response, or throws. */
function dialing(hooks: Record<string, Answer>) {
  const reviews: Record<string, Review[]> = {}
  const dial: Dial = ({ server }) => {
    const host = new URL(server).hostname
    return async (request) => {
      if (request.body?.type !== "bytes") throw new Error("expected bytes")
      const review = parseJson(new TextDecoder().decode(request.body.bytes)) as Review
      ;(reviews[host] ??= []).push(review)
      const hook = hooks[host]
      if (hook === undefined) throw new PilothouseError("CONNECTION_LOST", `dial tcp ${host}:443: connect: connection refused`)
      const response = await hook(review, request)
      const { uid } = review.request
      return {
        status: 200,
        headers: {},
        body: valueBody({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: { uid, ...(response as object) } }),
      }
    }
  }
  return { dial, reviews }
}

const allowed = { allowed: true }
const patchOf = (...operations: object[]) => ({
  allowed: true,
  patchType: "JSONPatch",
  patch: Buffer.from(JSON.stringify(operations)).toString("base64"),
})
const label = (name: string, value = "yes") => ({ op: "add", path: `/metadata/labels/${name}`, value })
const labels = { op: "add", path: "/metadata/labels", value: {} }

function webhook(host: string, more: object = {}) {
  return {
    name: `${host}.example.com`,
    clientConfig: { url: `https://${host}/hook` },
    rules: [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    ...more,
  }
}

async function serverWith(hooks: Record<string, Answer>, configured: Record<string, object[]>) {
  const { dial, reviews } = dialing(hooks)
  const api = testServer("in process", { dial })
  for (const [type, webhooks] of Object.entries(configured)) {
    objectIn(await api.post(configurations(type), { metadata: { name: "hooks" }, webhooks }), 201)
  }
  return { api, reviews }
}

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

describe("webhooks that fail", () => {
  const failing = 'Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: '
  test("refuse the request by default, in the words of Go's client", async () => {
    const { api } = await serverWith({}, { validating: [webhook("a")] })
    expect(statusIn(await api.post(configMaps, { metadata: { name: "c" } }))).toMatchObject({
      code: 500,
      reason: "InternalError",
      message: `${failing}Post "https://a/hook?timeout=10s": dial tcp a:443: connect: connection refused`,
    })
  })

  test("are passed over with failurePolicy Ignore", async () => {
    const { api } = await serverWith({}, { mutating: [webhook("a", { failurePolicy: "Ignore" })] })
    objectIn(await api.post(configMaps, { metadata: { name: "c" } }), 201)
    expect(api.metrics.text()).toContain('apiserver_admission_webhook_fail_open_count{name="a.example.com",type="admit"} 1')
  })

  test("and hang cost their request only, until their timeout", async () => {
    const { api } = await serverWith({ a: () => new Promise(() => {}) }, { validating: [webhook("a", { timeoutSeconds: 5 })] })
    const pending = api.post(configMaps, { metadata: { name: "c" } })
    objectIn(await api.post("/api/v1/namespaces/default/secrets", { metadata: { name: "s" } }), 201)
    await api.clock.advance("5s")
    expect(statusIn(await pending).message).toBe(`${failing}Post "https://a/hook?timeout=5s": context deadline exceeded`)
  })

  test.each<[string, Answer, string]>([
    ["no response", () => ({ uid: undefined, allowed: true }), "received invalid webhook response: expected response.uid="],
    [
      "a code that is none",
      () => ({ allowed: false, status: { code: "teapot" } }),
      "received invalid webhook response: expected a Status in response.status",
    ],
    [
      "a patch without its type",
      () => ({ allowed: true, patch: "W10=" }),
      "received invalid webhook response: webhook returned response.patch but not response.patchType",
    ],
    [
      "a type without a patch",
      () => ({ allowed: true, patchType: "JSONPatch" }),
      "received invalid webhook response: webhook returned response.patchType but not response.patch",
    ],
    [
      "a patch that is no JSON",
      () => ({ allowed: true, patchType: "JSONPatch", patch: "Zm9v" }),
      "received undecodable patch in webhook response: invalid character 'o' in literal false (expecting 'a')",
    ],
  ])("answer badly: %s", async (_, answer, says) => {
    const { api } = await serverWith({ a: answer }, { mutating: [webhook("a")] })
    expect(statusIn(await api.post(configMaps, { metadata: { name: "c" } })).message).toContain(says)
  })
})

test("a webhook without side effects learns of a dry run", async () => {
  const { api, reviews } = await serverWith({ a: () => allowed }, { validating: [webhook("a", { sideEffects: "NoneOnDryRun" })] })
  objectIn(await api.post(configMaps, { metadata: { name: "c" } }, { dryRun: "All" }), 201)
  expect(reviews.a![0]!.request).toMatchObject({ dryRun: true, options: { dryRun: ["All"] } })
})

describe("match conditions", () => {
  const conditions = (expression: string, more: object = {}) => [webhook("a", { matchConditions: [{ name: "c", expression }], ...more })]
  test("one that is false leaves the webhook out", async () => {
    const { api, reviews } = await serverWith(
      { a: () => allowed },
      { validating: conditions("request.userInfo.username != 'kubernetes-admin'") },
    )
    objectIn(await api.post(configMaps, { metadata: { name: "c" } }), 201)
    expect(reviews).toEqual({})
    expect(api.metrics.text()).toContain(
      'match_condition_exclusions_total{kind="webhook",name="a.example.com",operation="CREATE",type="validate"} 1',
    )
  })

  test("they see the object", async () => {
    const { api, reviews } = await serverWith({ a: () => allowed }, { mutating: conditions("object.metadata.name.startsWith('x')") })
    for (const name of ["c", "x1"]) objectIn(await api.post(configMaps, { metadata: { name } }), 201)
    expect(reviews.a!.map(({ request }) => request.name)).toEqual(["x1"])
  })

  test("one that fails refuses the request, or leaves the webhook out", async () => {
    const failing = "object.data.missing == 'x'"
    const { api } = await serverWith({ a: () => allowed }, { validating: conditions(failing) })
    expect(statusIn(await api.post(configMaps, { metadata: { name: "c" } }))).toMatchObject({ code: 403 })
    const ignored = await serverWith({ a: () => ({ allowed: false }) }, { validating: conditions(failing, { failurePolicy: "Ignore" }) })
    objectIn(await ignored.api.post(configMaps, { metadata: { name: "c" } }), 201)
  })

  test("an expression that does not compile is refused with the configuration", async () => {
    const api = testServer()
    const body = { metadata: { name: "h" }, webhooks: conditions("object.") }
    expect(statusIn(await api.post(configurations("validating"), body))).toMatchObject({
      code: 422,
      message: expect.stringContaining('webhooks[0].matchConditions[0].expression: Invalid value: "object.": compilation failed: '),
    })
  })
})

describe("a Service", () => {
  const service = { spec: { ports: [{ name: "https", port: 443 }] } }
  const slice = (ready: boolean) => ({
    metadata: { name: "hook-1", labels: { "kubernetes.io/service-name": "hook" } },
    addressType: "IPv4",
    ports: [{ name: "https", port: 8443 }],
    endpoints: [{ addresses: ["10.0.0.7"], conditions: { ready } }],
  })
  const clientConfig = { service: { name: "hook", namespace: "default", path: "/check" } }
  const calling = 'failed to call webhook: Post "https://hook.default.svc:443/check?timeout=10s": '
  const asked = async (...made: [string, object][]) => {
    const hosts = { "10.0.0.7": () => allowed, "10.0.0.8": () => allowed }
    const { api, reviews } = await serverWith(hosts, { validating: [webhook("a", { clientConfig })] })
    for (const [path, body] of made) objectIn(await api.post(path, body), 201)
    return { response: await api.post(configMaps, { metadata: { name: "c" } }), reviews }
  }
  const services = "/api/v1/namespaces/default/services"
  const slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"

  test("is reached at a ready endpoint of its port", async () => {
    const { response, reviews } = await asked([services, { metadata: { name: "hook" }, ...service }], [slices, slice(true)])
    objectIn(response, 201)
    expect(reviews["10.0.0.7"]).toHaveLength(1)
  })

  test("is reached at any of its ready endpoints", async () => {
    const two = { ...slice(true), endpoints: ["10.0.0.7", "10.0.0.8"].map((address) => ({ addresses: [address] })) }
    const { api, reviews } = await serverWith(
      { "10.0.0.7": () => allowed, "10.0.0.8": () => allowed },
      { validating: [webhook("a", { clientConfig })] },
    )
    objectIn(await api.post(services, { metadata: { name: "hook" }, ...service }), 201)
    objectIn(await api.post(slices, two), 201)
    for (let n = 0; n < 40; n++) objectIn(await api.post(configMaps, { metadata: { name: `c${n}` } }), 201)
    for (const calls of Object.values(reviews)) expect(calls.length).toBeGreaterThan(5)
    expect(Object.keys(reviews)).toHaveLength(2)
  })

  test("with a simulated pod behind it is refused at once, as nothing listens there", async () => {
    const node = { metadata: { name: "n", labels: { "pilothouse.dev/simulated": "true" } } }
    const simulated = { ...slice(true), endpoints: [{ addresses: ["10.0.0.7"], nodeName: "n" }] }
    const { response, reviews } = await asked(
      ["/api/v1/nodes", node],
      [services, { metadata: { name: "hook" }, ...service }],
      [slices, simulated],
    )
    expect(statusIn(response).message).toContain(`${calling}dial tcp 10.0.0.7:8443: connect: connection refused`)
    expect(reviews).toEqual({})
  })

  test.each<[string, [string, object][], string]>([
    ["that does not exist", [], 'service "hook" not found'],
    ["without a ready endpoint", [[services, { metadata: { name: "hook" }, ...service }]], 'no endpoints available for service "hook"'],
    [
      "without the port",
      [[services, { metadata: { name: "hook" }, spec: { ports: [{ port: 80 }] } }]],
      'no service port 443 found for service "hook"',
    ],
  ])("%s fails the call", async (_, made, says) => {
    const { response } = await asked(...made)
    expect(statusIn(response).message).toContain(`${calling}${says}`)
  })
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
