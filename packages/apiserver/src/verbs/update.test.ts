import { describe, expect, test } from "vitest"
import { allWays, objectIn, said, statusIn, testServer } from "../testing/server.ts"

const configMaps = "/api/v1/namespaces/default/configmaps"
const deployments = "/apis/apps/v1/namespaces/default/deployments"
const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
const configMap = (name: string, data = {}) => ({ metadata: { name }, data })

const deployment = (name: string, replicas = 1, image = "nginx") => ({
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "c", image }] } },
  },
})

describe.each(allWays)("update, %s", (way) => {
  test("with an older resourceVersion is a conflict in upstream's words", async () => {
    const api = testServer(way)
    const first = objectIn(await api.post(configMaps, configMap("a")), 201)
    objectIn(await api.put(`${configMaps}/a`, { ...first, data: { x: "1" } }))
    expect(statusIn(await api.put(`${configMaps}/a`, { ...first, data: { x: "2" } }))).toMatchObject({
      code: 409,
      reason: "Conflict",
      message:
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
      details: { name: "a", kind: "configmaps" },
    })
  })

  test("without a resourceVersion overwrites where the kind allows it", async () => {
    const api = testServer(way)
    await api.post(configMaps, configMap("a"))
    expect(objectIn(await api.put(`${configMaps}/a`, configMap("a", { x: "1" }))).data).toEqual({ x: "1" })
    expect(objectIn(await api.put(`${leases}/l`, { metadata: { name: "l" } }), 201).kind).toBe("Lease")
    const status = statusIn(await api.put(`${leases}/l`, { metadata: { name: "l" } }))
    expect(status.code).toBe(422)
    expect(status.message).toContain("metadata.resourceVersion: Invalid value: 0: must be specified for an update")
  })

  test("of something missing is a 404, except for the kinds that a PUT creates", async () => {
    const api = testServer(way)
    expect((await api.put(`${configMaps}/a`, configMap("a"))).status).toBe(404)
    expect((await api.put("/api/v1/namespaces/default/endpoints/e", { metadata: { name: "e" } })).status).toBe(201)
  })

  test("with another uid is a conflict", async () => {
    const api = testServer(way)
    const first = objectIn(await api.post(configMaps, configMap("a")), 201)
    const status = statusIn(await api.put(`${configMaps}/a`, { ...first, metadata: { ...first.metadata, uid: "other" } }))
    expect(status.message).toBe(
      `Operation cannot be fulfilled on configmaps "a": StorageError: invalid object, Code: 4, Key: /registry/configmaps/default/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: ${first.metadata.uid}`,
    )
  })

  test("that changes nothing is no write: same resourceVersion, no event", async () => {
    const api = testServer(way)
    const first = objectIn(await api.post(configMaps, configMap("a", { x: "1" })), 201)
    const watch = await api.watch(configMaps, { resourceVersion: first.metadata.resourceVersion! })
    expect(objectIn(await api.put(`${configMaps}/a`, configMap("a", { x: "1" }))).metadata).toEqual(first.metadata)
    expect(objectIn(await api.patch(`${configMaps}/a`, "merge", { metadata: { labels: {} } })).metadata).toEqual(first.metadata)
    expect(await watch.read()).toEqual([])
  })

  test("another name than the path's is refused", async () => {
    const api = testServer(way)
    await api.post(configMaps, configMap("a"))
    expect(statusIn(await api.put(`${configMaps}/a`, configMap("b")))).toMatchObject({
      code: 400,
      message: "the name of the object (b) does not match the name on the URL (a)",
    })
  })

  test("without a name is refused, also where a patch takes it away", async () => {
    const api = testServer(way)
    await api.post(configMaps, configMap("a"))
    const message = "the name of the object (a based on URL) was undeterminable: name must be provided"
    expect(statusIn(await api.put(`${configMaps}/a`, { data: {} }))).toMatchObject({ code: 400, message })
    for (const metadata of [null, { name: null }])
      expect(statusIn(await api.patch(`${configMaps}/a`, "merge", { metadata }))).toMatchObject({ code: 400, message })
  })

  test.each(["abc", "-1", "1".repeat(21)])(
    "with %s as resourceVersion is a conflict, where upstream answers with 500",
    async (resourceVersion) => {
      const api = testServer(way)
      await api.post(configMaps, configMap("a"))
      expect(statusIn(await api.put(`${configMaps}/a`, { metadata: { name: "a", resourceVersion } })).code).toBe(409)
    },
  )

  test("counts generations: one more when the spec changes, none for labels or status", async () => {
    const api = testServer(way)
    const generation = async (body: unknown, path = "web") =>
      objectIn(await api.patch(`${deployments}/${path}`, "merge", body)).metadata.generation
    expect(objectIn(await api.post(deployments, deployment("web")), 201).metadata.generation).toBe(1)
    expect(await generation({ metadata: { labels: { a: "b" } } })).toBe(1)
    expect(await generation({ spec: { replicas: 3 } })).toBe(2)
    expect(await generation({ status: { replicas: 3 } }, "web/status")).toBe(2)
  })

  test("a client cannot change generation, creationTimestamp or status", async () => {
    const api = testServer(way)
    const made = objectIn(await api.post(deployments, deployment("web")), 201)
    const metadata = { ...made.metadata, generation: 9, creationTimestamp: "2001-01-01T00:00:00Z" }
    const changed = objectIn(await api.put(`${deployments}/web`, { ...made, metadata, status: { replicas: 7 } }))
    expect(changed).toEqual(made)
  })

  test("a selector is immutable", async () => {
    const api = testServer(way)
    await api.post(deployments, deployment("web"))
    const template = { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: "i" }] } }
    const status = statusIn(
      await api.put(`${deployments}/web`, { metadata: { name: "web" }, spec: { selector: { matchLabels: { app: "x" } }, template } }),
    )
    expect(status.code).toBe(422)
    expect(status.message).toBe(
      'Deployment.apps "web" is invalid: spec.selector: Invalid value: {"matchLabels":{"app":"x"}}: field is immutable',
    )
  })

  test("dry run answers with the stored resourceVersion and keeps nothing (seen)", async () => {
    const api = testServer(way)
    const first = objectIn(await api.post(configMaps, configMap("a")), 201)
    const dry = objectIn(await api.put(`${configMaps}/a`, configMap("a", { x: "1" }), { dryRun: "All" }))
    expect(dry.data).toEqual({ x: "1" })
    expect(dry.metadata.resourceVersion).toBe(first.metadata.resourceVersion)
    expect(objectIn(await api.get(`${configMaps}/a`))).toEqual(first)
  })

  test("a pod's spec changes in a few fields only", async () => {
    const api = testServer(way)
    const pods = "/api/v1/namespaces/default/pods"
    await api.post(pods, { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "a:1" }] } })
    objectIn(await api.patch(`${pods}/p`, "strategic", { spec: { containers: [{ name: "c", image: "a:2" }] } }))
    const status = statusIn(await api.patch(`${pods}/p`, "merge", { spec: { nodeName: "n" } }))
    expect(status.code).toBe(422)
    expect(status.message).toContain(
      "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,",
    )
  })

  test("an immutable ConfigMap keeps its data", async () => {
    const api = testServer(way)
    await api.post(configMaps, { ...configMap("a", { x: "1" }), immutable: true })
    const status = statusIn(await api.patch(`${configMaps}/a`, "merge", { data: { x: "2" } }))
    expect(status.message).toBe('ConfigMap "a" is invalid: data: Forbidden: field is immutable when `immutable` is set')
  })
})

describe.each(allWays)("patch, %s", (way) => {
  test("of a missing object is a 404; of an unknown type a 415", async () => {
    const api = testServer(way)
    expect((await api.patch(`${configMaps}/a`, "merge", {})).status).toBe(404)
    const response = await api.ask("PATCH", `${configMaps}/a`, { body: {}, headers: { "content-type": "application/foo" } })
    expect(statusIn(response)).toMatchObject({ code: 415, reason: "UnsupportedMediaType", message: "415: Unsupported Media Type" })
  })

  test("a JSON patch that does not apply is a 422 without details (seen)", async () => {
    const api = testServer(way)
    await api.post(configMaps, configMap("a", { x: "1" }))
    const status = statusIn(await api.patch(`${configMaps}/a`, "json", [{ op: "test", path: "/data/x", value: "2" }]))
    expect(status).toMatchObject({
      code: 422,
      reason: "Invalid",
      message: "the server rejected our request due to an error in our request",
    })
  })

  test("a JSON patch that doubles an object again and again is a 422 too", async () => {
    const api = testServer(way)
    await api.post(configMaps, configMap("a", { x: "1" }))
    const copies = Array.from({ length: 40 }, (_, index) => ({ op: "copy", from: "/data", path: `/data/x${index}` }))
    expect(statusIn(await api.patch(`${configMaps}/a`, "json", copies))).toMatchObject({
      code: 422,
      reason: "Invalid",
      message: "the server rejected our request due to an error in our request",
    })
  })

  test("null is no merge patch", async () => {
    const api = testServer(way)
    await api.post(configMaps, configMap("a"))
    expect(statusIn(await api.patch(`${configMaps}/a`, "merge", null))).toMatchObject({ code: 400, message: "Invalid JSON Patch" })
  })

  test("JSON, merge and strategic patches each do their own", async () => {
    const api = testServer(way)
    await api.post(deployments, deployment("web"))
    const image = { spec: { template: { spec: { containers: [{ name: "c", image: "x" }] } } } }
    const strategic = objectIn(await api.patch(`${deployments}/web`, "strategic", image))
    expect(strategic.spec).toMatchObject({ template: { spec: { containers: [{ name: "c", image: "x", imagePullPolicy: "Always" }] } } })
    const merge = objectIn(await api.patch(`${deployments}/web`, "merge", { metadata: { annotations: { a: "b" } } }))
    expect(merge.metadata.annotations).toEqual({ a: "b" })
    const json = objectIn(await api.patch(`${deployments}/web`, "json", [{ op: "replace", path: "/spec/replicas", value: 5 }]))
    expect(json.spec).toMatchObject({ replicas: 5 })
  })

  test("with a resourceVersion is conditional", async () => {
    const api = testServer(way)
    await api.post(configMaps, configMap("a"))
    const status = statusIn(await api.patch(`${configMaps}/a`, "merge", { metadata: { resourceVersion: "1" }, data: { x: "1" } }))
    expect(status).toMatchObject({ code: 409, reason: "Conflict" })
  })

  test("many at once all take effect", async () => {
    const api = testServer(way)
    await api.post(configMaps, configMap("a"))
    const names = Array.from({ length: 20 }, (_, index) => `k${index}`)
    await Promise.all(names.map((name) => api.patch(`${configMaps}/a`, "merge", { data: { [name]: "1" } })))
    expect(Object.keys(objectIn(await api.get(`${configMaps}/a`)).data ?? {})).toHaveLength(20)
  })
})

describe.each(allWays)("finalizers, %s", (way) => {
  test("taking the last one away from a marked object lets it go", async () => {
    const api = testServer(way)
    const made = objectIn(await api.post(configMaps, { metadata: { name: "a", finalizers: ["example.com/x"] } }), 201)
    const watch = await api.watch(configMaps, { resourceVersion: made.metadata.resourceVersion! })
    const marked = objectIn(await api.delete(`${configMaps}/a`))
    expect(marked.metadata).toMatchObject({ deletionTimestamp: "2026-01-05T09:00:00Z", deletionGracePeriodSeconds: 0 })
    const status = statusIn(
      await api.patch(`${configMaps}/a`, "json", [{ op: "add", path: "/metadata/finalizers/-", value: "example.com/y" }]),
    )
    expect(status.code).toBe(422)
    expect(status.message).toContain(
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/y"}',
    )
    const last = objectIn(await api.patch(`${configMaps}/a`, "merge", { metadata: { finalizers: null } }))
    expect(last.metadata.resourceVersion).toBe(marked.metadata.resourceVersion)
    expect((await api.get(`${configMaps}/a`)).status).toBe(404)
    expect(said(await watch.read())).toEqual(["MODIFIED a", "DELETED a"])
  })
})
