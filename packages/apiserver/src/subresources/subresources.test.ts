import { describe, expect, test } from "vitest"
import { allWays, objectIn, statusIn, type TestServer, testServer } from "../testing/server.ts"

const pods = "/api/v1/namespaces/default/pods"
const deployments = "/apis/apps/v1/namespaces/default/deployments"

const makePod = async (api: TestServer, spec = {}) =>
  objectIn(await api.post(pods, { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }], ...spec } }), 201)

const makeDeployment = async (api: TestServer) =>
  objectIn(
    await api.post(deployments, {
      metadata: { name: "web" },
      spec: {
        selector: { matchLabels: { app: "web" } },
        template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "i" }] } },
      },
    }),
    201,
  )

describe.each(allWays)("status, %s", (way) => {
  test("a write of the status leaves spec and labels alone", async () => {
    const api = testServer(way)
    const made = await makeDeployment(api)
    const body = {
      ...made,
      metadata: { ...made.metadata, labels: { x: "1" } },
      spec: { ...made.spec, replicas: 9 },
      status: { replicas: 1 },
    }
    const changed = objectIn(await api.put(`${deployments}/web/status`, body))
    expect(changed.spec).toEqual(made.spec)
    expect(changed.metadata.labels).toBeUndefined()
    expect(changed.status).toEqual({ replicas: 1 })
    expect(objectIn(await api.get(`${deployments}/web/status`))).toEqual(changed)
  })

  test("a pod's keeps its class and its owners, and mirrors its address", async () => {
    const api = testServer(way)
    await makePod(api)
    const status = { phase: "Running", podIPs: [{ ip: "10.0.0.1" }], qosClass: "Guaranteed" }
    const changed = objectIn(await api.patch(`${pods}/p/status`, "merge", { status }))
    expect(changed.status).toMatchObject({ phase: "Running", podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }], qosClass: "BestEffort" })
  })
})

describe.each(allWays)("scale, %s", (way) => {
  test("reads and writes the replicas with the parent's resourceVersion", async () => {
    const api = testServer(way)
    const made = await makeDeployment(api)
    expect(objectIn(await api.get(`${deployments}/web/scale`))).toEqual({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      metadata: {
        name: "web",
        namespace: "default",
        uid: made.metadata.uid,
        resourceVersion: made.metadata.resourceVersion,
        creationTimestamp: made.metadata.creationTimestamp,
      },
      spec: { replicas: 1 },
      status: { replicas: 0, selector: "app=web" },
    })
    objectIn(await api.patch(`${deployments}/web/scale`, "merge", { spec: { replicas: 4 } }))
    expect(objectIn(await api.get(`${deployments}/web`))).toMatchObject({ spec: { replicas: 4 }, metadata: { generation: 2 } })
    const scale = objectIn(await api.get(`${deployments}/web/scale`))
    expect(objectIn(await api.put(`${deployments}/web/scale`, { ...scale, spec: { replicas: 0 } })).spec).toEqual({})
    expect(statusIn(await api.put(`${deployments}/web/scale`, { ...scale, spec: { replicas: 2 } })).code).toBe(409)
    expect(statusIn(await api.patch(`${deployments}/web/scale`, "merge", { spec: { replicas: -1 } })).code).toBe(422)
  })

  test("is that of the object that its metadata names", async () => {
    const api = testServer(way)
    await makeDeployment(api)
    const scale = objectIn(await api.get(`${deployments}/web/scale`))
    const put = async (metadata: object) =>
      statusIn(await api.put(`${deployments}/web/scale`, { ...scale, metadata: { name: "web", ...metadata } }))
    expect(await put({ uid: "other" })).toMatchObject({ code: 409, reason: "Conflict" })
    expect(await put({ namespace: "other" })).toMatchObject({
      code: 400,
      message: "the namespace of the provided object does not match the namespace sent on the request",
    })
    expect(await put({ name: "" })).toMatchObject({
      code: 400,
      message: "the name of the object (web based on URL) was undeterminable: name must be provided",
    })
  })
})

describe.each(allWays)("binding, %s", (way) => {
  const bind = { metadata: { name: "p" }, target: { kind: "Node", name: "n1" } }

  test("puts the pod on a node and says that it is scheduled", async () => {
    const api = testServer(way)
    await makePod(api)
    const answer = await api.post(`${pods}/p/binding`, { ...bind, metadata: { name: "p", annotations: { a: "b" } } })
    expect(objectIn(answer, 201)).toMatchObject({ kind: "Status", status: "Success", code: 201 })
    expect(objectIn(await api.get(`${pods}/p`))).toMatchObject({
      metadata: { annotations: { a: "b" } },
      spec: { nodeName: "n1" },
      status: { conditions: [{ type: "PodScheduled", status: "True", lastTransitionTime: "2026-01-05T09:00:00Z" }] },
    })
  })

  test("gives the pod its labels too, and takes away what was only a hint (seen)", async () => {
    const api = testServer(way)
    await makePod(api)
    objectIn(await api.patch(`${pods}/p`, "merge", { metadata: { labels: { a: "old", b: "kept" } } }))
    objectIn(await api.patch(`${pods}/p/status`, "merge", { status: { nominatedNodeName: "n7" } }))
    objectIn(await api.post(`${pods}/p/binding`, { ...bind, metadata: { name: "p", labels: { a: "new" } } }), 201)
    const { metadata, status } = objectIn(await api.get(`${pods}/p`))
    expect(metadata.labels).toEqual({ a: "new", b: "kept" })
    expect(status).not.toHaveProperty("nominatedNodeName")
  })

  test.each([
    ["UID", { uid: "other" }],
    ["ResourceVersion", { resourceVersion: "1" }],
  ])("of another pod or state of the name is a conflict: %s (seen)", async (what, meant) => {
    const api = testServer(way)
    await makePod(api)
    const { metadata } = objectIn(await api.get(`${pods}/p`))
    const [wanted, found] = [Object.values(meant)[0], what === "UID" ? metadata.uid : metadata.resourceVersion]
    expect(statusIn(await api.post(`${pods}/p/binding`, { ...bind, metadata: { name: "p", ...meant } }))).toMatchObject({
      code: 409,
      message: `Operation cannot be fulfilled on pods "p": StorageError: invalid object, Code: 4, Key: /registry/pods/default/p, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${found}`,
    })
    const { uid, resourceVersion } = metadata
    objectIn(await api.post(`${pods}/p/binding`, { ...bind, metadata: { name: "p", uid, resourceVersion } }), 201)
  })

  test("a second time, or of a pod that is going or gated, is a conflict", async () => {
    const api = testServer(way)
    await makePod(api)
    await api.post(`${pods}/p/binding`, bind)
    expect(statusIn(await api.post(`${pods}/p/binding`, bind))).toMatchObject({
      code: 409,
      message: 'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"',
    })
    await api.delete(`${pods}/p`)
    expect(statusIn(await api.post(`${pods}/p/binding`, bind)).message).toContain("pod p is being deleted, cannot be assigned to a host")
    await api.delete(`${pods}/p`, { gracePeriodSeconds: 0 })
    await makePod(api, { schedulingGates: [{ name: "example.com/g" }] })
    expect(statusIn(await api.post(`${pods}/p/binding`, bind)).message).toContain("pod p has non-empty .spec.schedulingGates")
  })

  test("can be posted to bindings too", async () => {
    const api = testServer(way)
    await makePod(api)
    objectIn(await api.post("/api/v1/namespaces/default/bindings", bind), 201)
    expect(objectIn(await api.get(`${pods}/p`)).spec).toMatchObject({ nodeName: "n1" })
  })
})

describe.each(allWays)("finalize, %s", (way) => {
  test("changes the finalizers of the spec and the metadata, and keeps the status", async () => {
    const api = testServer(way)
    const path = "/api/v1/namespaces/n"
    const made = objectIn(await api.post("/api/v1/namespaces", { metadata: { name: "n", labels: { a: "b" } } }), 201)
    const body = {
      ...made,
      metadata: { ...made.metadata, labels: {} },
      spec: { finalizers: ["example.com/x"] },
      status: { phase: "Terminating" },
    }
    expect(objectIn(await api.put(`${path}/finalize`, body))).toMatchObject({
      metadata: { labels: { "kubernetes.io/metadata.name": "n" } },
      spec: { finalizers: ["example.com/x"] },
      status: { phase: "Active" },
    })
  })
})
