import { describe, expect, test } from "vitest"
import { allWays, objectIn, statusIn, type TestServer, testServer } from "../test-server.ts"

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
