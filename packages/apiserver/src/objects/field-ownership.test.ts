import { describe, expect, test } from "vitest"
import { objectIn, statusIn, testServer } from "../testing/server.ts"

const maps = "/api/v1/namespaces/default/configmaps"
const deployments = "/apis/apps/v1/namespaces/default/deployments"
const pods = "/api/v1/namespaces/default/pods"

type Api = ReturnType<typeof testServer>

const owners = async (api: Api, path: string) =>
  objectIn(await api.askShown("GET", path)).metadata.managedFields?.map(({ manager, subresource, fieldsV1 }) => ({
    manager,
    ...(subresource && { subresource }),
    fieldsV1,
  }))

const map = (data: object, metadata: object = {}) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", ...metadata }, data })
const entry = (change: object = {}) => ({
  manager: "given",
  operation: "Update",
  apiVersion: "v1",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:data": { "f:a": {} } },
  ...change,
})

describe("managedFields in a body", () => {
  test.each([[[]], [[{}]]])("%j clears what is tracked, and later updates stay untracked", async (managedFields) => {
    const api = testServer()
    objectIn(await api.post(maps, map({ a: "1" })), 201)
    objectIn(await api.put(`${maps}/a`, map({ a: "1" }, { managedFields })))
    objectIn(await api.put(`${maps}/a`, map({ a: "2" })))
    expect(await owners(api, `${maps}/a`)).toBeUndefined()
  })

  test("an entry whose version cannot be one ends the tracking", async () => {
    const api = testServer()
    objectIn(await api.post(maps, map({ a: "1" })), 201)
    objectIn(await api.put(`${maps}/a`, map({ a: "2" }, { managedFields: [entry({ apiVersion: "a/b/c" })] })))
    expect(await owners(api, `${maps}/a`)).toBeUndefined()
  })

  test.each([
    [{ manager: "m".repeat(129) }, "metadata.managedFields[0].manager: Too long: may not be more than 128 bytes"],
    [{ manager: "a\nb" }, 'metadata.managedFields[0].manager: Invalid value: "a\\nb": invalid character U+000A (at position 1)'],
    [{ subresource: "s".repeat(257) }, "metadata.managedFields[0].subresource: Too long: may not be more than 256 bytes"],
  ])("names that are no names are refused", async (change, words) => {
    const api = testServer()
    objectIn(await api.post(maps, map({ a: "1" })), 201)
    expect(statusIn(await api.put(`${maps}/a`, map({ a: "2" }, { managedFields: [entry(change)] })))).toMatchObject({
      code: 422,
      message: `ConfigMap "a" is invalid: ${words}`,
    })
  })
})

describe("options of apply", () => {
  test.each([
    [{ fieldManager: "" }, "fieldManager: Required value: is required for apply patch"],
    [{ fieldManager: "ü".repeat(65) }, "fieldManager: Too long: may not be more than 128 bytes"],
    [{ fieldManager: "a\u00a0b" }, 'fieldManager: Invalid value: "a\\u00a0b": invalid character U+00A0 (at position 1)'],
  ])("%j is refused", async (query, words) => {
    const status = statusIn(await testServer().apply(`${maps}/a`, map({}), query))
    expect(status).toMatchObject({ code: 422, message: `PatchOptions.meta.k8s.io "" is invalid: ${words}` })
  })

  test("all faults of the options are named at once", async () => {
    const api = testServer()
    objectIn(await api.post(maps, map({ a: "1" })), 201)
    const status = statusIn(await api.patch(`${maps}/a`, "merge", {}, { force: "true", fieldManager: "m".repeat(129) }))
    expect(status.details?.causes?.map(({ field }) => field)).toEqual(["force", "fieldManager"])
  })

  test("a resourceVersion where nothing is does not keep apply from creating", async () => {
    const api = testServer()
    objectIn(await api.apply(`${maps}/a`, map({ a: "1" }, { resourceVersion: "1" })), 201)
  })

  test("managedFields of null are none", async () => {
    objectIn(await testServer().apply(`${maps}/a`, map({ a: "1" }, { managedFields: null })), 201)
  })

  test.each([
    [[], "array"],
    [7, "number"],
  ])("a body of %j is refused in upstream's words", async (body, word) => {
    expect(statusIn(await testServer().apply(`${maps}/a`, body as never)).message).toBe(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${word} into Go value of type map[string]interface {}`,
    )
  })
})

describe("endpoints", () => {
  const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } }
  const workload = { metadata: { name: "d" }, spec: { selector: { matchLabels: { app: "a" } }, template } }

  test("an update through ephemeralcontainers takes what it changes from others, though the change is dropped", async () => {
    const api = testServer()
    const made = objectIn(await api.post(pods, { metadata: { name: "p" }, spec: template.spec }, { fieldManager: "m1" }), 201)
    const body = structuredClone(made) as unknown as { spec: { containers: { image: string }[]; ephemeralContainers?: object[] } }
    body.spec.containers[0]!.image = "other"
    body.spec.ephemeralContainers = [{ name: "debug", image: "d" }]
    objectIn(await api.put(`${pods}/p/ephemeralcontainers`, body, { fieldManager: "m2" }))
    const second = (await owners(api, `${pods}/p`))?.find(({ manager }) => manager === "m2")
    expect(second?.fieldsV1).toMatchObject({ "f:spec": { "f:containers": { 'k:{"name":"c"}': { "f:image": {} } } } })
  })

  test("the status of most kinds carries labels, that of a Deployment does not, that of a FlowSchema no metadata at all", async () => {
    const api = testServer()
    const labels = { by: "status" }
    const [rc, flow] = ["/api/v1/namespaces/default/replicationcontrollers", "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"]
    objectIn(await api.post(deployments, workload), 201)
    objectIn(await api.post(rc, { metadata: { name: "r" }, spec: { template } }), 201)
    objectIn(await api.post(flow, { metadata: { name: "f" }, spec: { priorityLevelConfiguration: { name: "p" } } }), 201)
    const labelled = async (path: string) =>
      objectIn(await api.patch(`${path}/status`, "merge", { metadata: { labels, annotations: labels } })).metadata
    expect(await labelled(`${rc}/r`)).toMatchObject({ labels, annotations: labels })
    expect((await labelled(`${deployments}/d`)).labels?.by).toBeUndefined()
    expect((await labelled(`${flow}/f`)).annotations).toBeUndefined()
  })

  test("annotations of a Deployment count for its generation", async () => {
    const api = testServer()
    objectIn(await api.post(deployments, workload), 201)
    const patched = objectIn(await api.patch(`${deployments}/d`, "merge", { metadata: { annotations: { a: "b" } } }))
    expect(patched.metadata.generation).toBe(2)
  })

  test("requests are defaulted in pods, not in templates", async () => {
    const resources = { limits: { cpu: "1" } }
    const sized = { ...template, spec: { containers: [{ name: "c", image: "i", resources }] } }
    const made = objectIn(await testServer().post(deployments, { ...workload, spec: { ...workload.spec, template: sized } }), 201)
    expect(made.spec).toMatchObject({ template: { spec: { containers: [{ resources }] } } })
    expect(JSON.stringify(made.spec)).not.toContain("requests")
  })

  test("a DaemonSet's creator owns its template generation", async () => {
    const api = testServer()
    const path = "/apis/apps/v1/namespaces/default/daemonsets"
    objectIn(await api.post(path, workload, { fieldManager: "m1" }), 201)
    expect((await owners(api, `${path}/d`))?.[0]?.fieldsV1).toMatchObject({
      "f:metadata": { "f:annotations": { ".": {}, "f:deprecated.daemonset.template.generation": {} } },
    })
  })

  test("an atomic list that lacks Go's nulls is another than the live one", async () => {
    const api = testServer()
    const path = "/apis/batch/v1/namespaces/default/jobs"
    objectIn(
      await api.post(path, { metadata: { name: "j" }, spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } }),
      201,
    )
    const conditions = [{ type: "A", status: "True", lastTransitionTime: "2024-01-02T03:04:05Z" }]
    const status = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "j" }, status: { conditions } }
    objectIn(await api.apply(`${path}/j/status`, status, { fieldManager: "m1" }))
    expect(statusIn(await api.apply(`${path}/j/status`, status, { fieldManager: "m2" })).message).toBe(
      'Apply failed with 1 conflict: conflict with "m1" with subresource "status": .status.conditions',
    )
  })

  test("references to one owner that differ are not duplicates, and a patch's are warned of after admission", async () => {
    const api = testServer()
    const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" }
    const other = { ...owner, name: "q" }
    const made = objectIn(await api.post(maps, map({}, { ownerReferences: [owner, other] })), 201)
    expect(made.metadata.ownerReferences).toEqual([owner, other])
    const patched = await api.patch(`${maps}/a`, "merge", { metadata: { ownerReferences: [owner, owner] } })
    expect(patched.headers.warning).toContain("duplicate entries after mutating admission happens;")
  })

  test("a manager of an event goes when the event is written in another group", async () => {
    const api = testServer()
    const [core, events] = ["/api/v1/namespaces/default/events", "/apis/events.k8s.io/v1/namespaces/default/events"]
    const involvedObject = { kind: "Pod", name: "p", namespace: "default" }
    objectIn(await api.post(core, { metadata: { name: "e" }, involvedObject, reason: "R" }, { fieldManager: "m1" }), 201)
    objectIn(await api.patch(`${events}/e`, "merge", { metadata: { labels: { a: "b" } } }, { fieldManager: "m2" }))
    expect((await owners(api, `${core}/e`))?.map(({ manager }) => manager)).toEqual(["m2"])
  })

  test("an applier of an autoscaler moves between versions", async () => {
    const api = testServer()
    const path = (version: string) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "d" }
    const autoscaler = (version: string, spec: object) => ({
      apiVersion: `autoscaling/${version}`,
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "h" },
      spec: { scaleTargetRef, maxReplicas: 5, ...spec },
    })
    objectIn(await api.apply(`${path("v1")}/h`, autoscaler("v1", { minReplicas: 2 })), 201)
    const moved = objectIn(await api.apply(`${path("v2")}/h`, autoscaler("v2", {})))
    expect(moved).toMatchObject({ apiVersion: "autoscaling/v2", spec: { minReplicas: 1, maxReplicas: 5 } })
    const labelled = { ...autoscaler("v1", {}), metadata: { name: "h", labels: { a: "b" } }, spec: undefined }
    const other = { fieldManager: "other" }
    objectIn(await api.apply(`${path("v1")}/h`, labelled, other))
    const without = { ...autoscaler("v2", {}), metadata: { name: "h", annotations: { c: "d" } }, spec: undefined }
    expect(objectIn(await api.apply(`${path("v2")}/h`, without, other)).metadata.labels).toBeUndefined()
  })
})

describe("what Go's memory tells apart and JSON does not", () => {
  const namespaced = (group: string, plural: string) => `/apis/${group}/v1/namespaces/default/${plural}`

  test("a list that is owned as a whole changes hands with a quantity in another text", async () => {
    const api = testServer()
    const ranges = "/api/v1/namespaces/default/limitranges"
    const range = (storage: string) => ({
      metadata: { name: "a" },
      spec: { limits: [{ type: "PersistentVolumeClaim", max: { storage } }] },
    })
    objectIn(await api.post(ranges, range("1Ti"), { fieldManager: "m1" }), 201)
    objectIn(await api.put(`${ranges}/a`, range("1Ti"), { fieldManager: "m2" }))
    expect((await owners(api, `${ranges}/a`))?.map(({ manager }) => manager)).toEqual(["m1"])
    const written = objectIn(await api.put(`${ranges}/a`, range("1024Gi"), { fieldManager: "m2" }))
    expect(written.spec).toEqual(range("1Ti").spec)
    expect(await owners(api, `${ranges}/a`)).toEqual([{ manager: "m2", fieldsV1: { "f:spec": { "f:limits": {} } } }])
  })

  test.each([
    ["update", (api: Api, path: string, spec: object) => api.put(path, { metadata: { name: "a" }, spec })],
    ["merge patch", (api: Api, path: string, spec: object) => api.patch(path, "merge", { spec })],
    ["strategic patch", (api: Api, path: string, spec: object) => api.patch(path, "strategic", { spec })],
  ])("an empty map in a NetworkPolicy makes a new generation by %s, a list that defaulting fills makes none", async (_verb, write) => {
    const api = testServer()
    const policies = namespaced("networking.k8s.io", "networkpolicies")
    objectIn(await api.post(policies, { metadata: { name: "a" }, spec: { podSelector: { matchLabels: {} } } }), 201)
    const generation = async (spec: object) => objectIn(await write(api, `${policies}/a`, spec)).metadata.generation
    expect(await generation({ podSelector: {} })).toBe(1)
    expect(await generation({ podSelector: {}, policyTypes: [] })).toBe(1)
    expect(await generation({ podSelector: { matchLabels: {} } })).toBe(2)
    expect(await generation({ podSelector: { matchLabels: {} } })).toBe(3)
  })

  test("an empty list of rules is owned where Go writes null for none", async () => {
    const api = testServer()
    const roles = namespaced("rbac.authorization.k8s.io", "roles")
    objectIn(await api.post(roles, { metadata: { name: "a" }, rules: null }, { fieldManager: "m1" }), 201)
    expect(await owners(api, `${roles}/a`)).toBeUndefined()
    objectIn(await api.post(roles, { metadata: { name: "b" }, rules: [] }, { fieldManager: "m1" }), 201)
    expect(await owners(api, `${roles}/b`)).toEqual([{ manager: "m1", fieldsV1: { "f:rules": {} } }])
  })
})
