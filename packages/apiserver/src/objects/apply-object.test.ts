import { expect, test } from "vitest"
import { everyWay, objectIn, statusIn, testServer } from "../testing/server.ts"

const maps = "/api/v1/namespaces/default/configmaps"
const deployments = "/apis/apps/v1/namespaces/default/deployments"

const configMap = (data: Readonly<Record<string, string>>, name = "a") => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  data,
})

everyWay("server-side apply", (testServer) => {
  const managed = async (api: ReturnType<typeof testServer>, path: string) =>
    objectIn(await api.askShown("GET", path)).metadata.managedFields?.map(({ time: _time, ...entry }) => entry)

  test("creates what is not there, and its manager owns what it applied", async () => {
    const api = testServer()
    expect(objectIn(await api.apply(`${maps}/a`, configMap({ x: "1" })), 201).data).toEqual({ x: "1" })
    expect(await managed(api, `${maps}/a`)).toEqual([
      { manager: "tester", operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: { "f:data": { "f:x": {} } } },
    ])
  })

  test("removes what its manager no longer applies, and leaves what others own", async () => {
    const api = testServer()
    await api.apply(`${maps}/a`, configMap({ x: "1", y: "2" }))
    await api.patch(`${maps}/a`, "merge", { data: { z: "3" } }, { fieldManager: "other" })
    expect(objectIn(await api.apply(`${maps}/a`, configMap({ x: "1" }))).data).toEqual({ x: "1", z: "3" })
    expect(await managed(api, `${maps}/a`)).toEqual([
      { manager: "tester", operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: { "f:data": { "f:x": {} } } },
      { manager: "other", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: { "f:data": { "f:z": {} } } },
    ])
  })

  test("refuses to change what another manager owns, and takes it by force", async () => {
    const api = testServer()
    await api.post(maps, configMap({ x: "1" }), { fieldManager: "m1" })
    const refused = statusIn(await api.apply(`${maps}/a`, configMap({ x: "2" })))
    expect(refused).toMatchObject({
      code: 409,
      reason: "Conflict",
      message: 'Apply failed with 1 conflict: conflict with "m1" using v1: .data.x',
      details: { causes: [{ reason: "FieldManagerConflict", message: 'conflict with "m1" using v1', field: ".data.x" }] },
    })
    const forced = await api.apply(`${maps}/a`, configMap({ x: "2" }), { fieldManager: "tester", force: "true" })
    expect(objectIn(forced).data).toEqual({ x: "2" })
    expect((await managed(api, `${maps}/a`))?.map(({ manager, fieldsV1 }) => [manager, fieldsV1])).toEqual([
      ["tester", { "f:data": { "f:x": {} } }],
      ["m1", { "f:data": {} }],
    ])
  })

  test("a second application of the same writes nothing", async () => {
    const api = testServer()
    const first = objectIn(await api.apply(`${maps}/a`, configMap({ x: "1" })), 201)
    await api.clock.advance("5s")
    expect(objectIn(await api.apply(`${maps}/a`, configMap({ x: "1" })))).toEqual(first)
  })

  test("an unknown field is answered with upstream's 500", async () => {
    const api = testServer()
    const { code, message, reason } = statusIn(await api.apply(`${maps}/a`, { ...configMap({}), foo: 1 }))
    expect([code, reason]).toEqual([500, undefined])
    expect(message).toBe("failed to create typed patch object (default/a; /v1, Kind=ConfigMap): .foo: field not declared in schema")
  })

  test("needs a manager", async () => {
    const api = testServer()
    const { code, message } = statusIn(await api.apply(`${maps}/a`, configMap({}), {}))
    expect([code, message]).toEqual([
      422,
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    ])
  })

  test("another kind than the endpoint's is refused", async () => {
    const api = testServer()
    const { code, message } = statusIn(await api.apply(`${maps}/a`, { apiVersion: "v1", kind: "Secret", metadata: { name: "a" } }))
    expect([code, message]).toEqual([400, "invalid object type: /v1, Kind=Secret"])
  })

  test("a Deployment keeps defaulted fields when its containers are applied again", async () => {
    const api = testServer()
    const deployment = (image: string) => ({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", namespace: "default" },
      spec: {
        selector: { matchLabels: { app: "web" } },
        template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image }] } },
      },
    })
    await api.apply(`${deployments}/web`, deployment("a:1"))
    const { spec } = objectIn(await api.apply(`${deployments}/web`, deployment("a:2")))
    expect(spec).toMatchObject({ replicas: 1, template: { spec: { containers: [{ image: "a:2", imagePullPolicy: "IfNotPresent" }] } } })
  })
})

test("an object that is too large with its managedFields is stored without them", async () => {
  const api = testServer("over TLS, on disk")
  const keys = Array.from({ length: 24_000 }, (_, index) => [`a-key-of-some-length-${index}`, "x".repeat(24)])
  const large = configMap(Object.fromEntries(keys))
  expect(objectIn(await api.askShown("POST", maps, { body: large }), 201).metadata.managedFields).toBeUndefined()
  expect((await api.apply(`${maps}/b`, { ...large, metadata: { ...large.metadata, name: "b" } })).status).toBe(500)
  expect(objectIn(await api.askShown("POST", maps, { body: configMap({ x: "1" }, "c") }), 201).metadata.managedFields).toHaveLength(1)
})

test("an object with a list item without keys is stored without managedFields", async () => {
  const api = testServer()
  const path = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/probes/status"
  const stored = objectIn(await api.patch(path, "merge", { status: { conditions: [{}] } }))
  expect(stored.status).toEqual({ conditions: [{}] })
  expect(api.lines.filter(({ level }) => level === "error")).toEqual([])
})

test("what Go always writes is not pruned from an object that another manager wrote in another version, found with seed 4", async () => {
  const api = testServer()
  const path = (version: string) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers/web`
  const autoscaler = (spec: object) => ({
    apiVersion: "autoscaling/v1",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web", namespace: "default" },
    spec,
  })
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" }
  await api.apply(path("v1"), autoscaler({ scaleTargetRef, maxReplicas: 5 }))
  await api.patch(path("v2"), "merge", { metadata: { labels: { a: "b" } } }, { fieldManager: "other" })
  const { spec } = objectIn(await api.apply(path("v1"), autoscaler({ minReplicas: 2 })))
  expect(spec).toMatchObject({ maxReplicas: 5, minReplicas: 2, scaleTargetRef: { kind: "Deployment", name: "web" } })
})

test("equal owner references count once, and references that differ in one field stay", async () => {
  const api = testServer()
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "a", uid: "u" }
  const owners = [owner, { ...owner, controller: true }, { ...owner }, { ...owner, uid: "v" }]
  const body = { metadata: { name: "a", ownerReferences: owners } }
  const response = await api.post(maps, body)
  expect(objectIn(response, 201).metadata.ownerReferences).toEqual([owners[0], owners[1], owners[3]])
  expect(response.headers.warning).toContain("duplicate UID(s) observed: u")
})

test("thousands of managers that update are joined to ten", async () => {
  const api = testServer()
  await api.post(maps, configMap({ x: "1" }))
  const managedFields = Array.from({ length: 3000 }, (_, index) => ({
    manager: `m-${index}`,
    operation: "Update",
    apiVersion: "v1",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:data": { [`f:key-${index}`]: {} } },
  }))
  await api.put(`${maps}/a`, { ...configMap({ x: "1" }), metadata: { name: "a", managedFields } })
  const entries = objectIn(await api.askShown("GET", `${maps}/a`)).metadata.managedFields ?? []
  const ancient = entries.find(({ manager }) => manager === "ancient-changes")?.fieldsV1 as { "f:data": object }
  expect([entries.length, Object.keys(ancient["f:data"]).length]).toEqual([10, 2991])
})

test("an apply beside thousands of appliers removes only what no other applies", async () => {
  const api = testServer()
  await api.apply(`${maps}/a`, configMap({ x: "1", "key-7": "v", mine: "1" }))
  const others = Array.from({ length: 2000 }, (_, index) => ({
    manager: `m-${index}`,
    operation: "Apply",
    apiVersion: "v1",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:data": { [`f:key-${index}`]: {} } },
  }))
  const own = objectIn(await api.askShown("GET", `${maps}/a`)).metadata.managedFields ?? []
  const metadata = { name: "a", managedFields: [...own, ...others] }
  await api.put(`${maps}/a`, { ...configMap({ x: "1", "key-7": "v", mine: "1" }), metadata })
  expect(objectIn(await api.apply(`${maps}/a`, configMap({ x: "1" }))).data).toEqual({ x: "1", "key-7": "v" })
})
