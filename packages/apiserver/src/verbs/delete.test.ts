import { describe, expect, test } from "vitest"
import { allWays, objectIn, said, statusIn, type TestServer, testServer } from "../testing/server.ts"

const configMaps = "/api/v1/namespaces/default/configmaps"
const pods = "/api/v1/namespaces/default/pods"
const make = async (api: TestServer, name: string, metadata = {}) =>
  objectIn(await api.post(configMaps, { metadata: { name, ...metadata } }), 201)

const pod = (name: string, spec = {}) => ({ metadata: { name }, spec: { containers: [{ name: "c", image: "i" }], ...spec } })

describe.each(allWays)("delete, %s", (way) => {
  test("answers with a Status that names what is gone", async () => {
    const api = testServer(way)
    const { metadata } = await make(api, "a")
    expect(objectIn(await api.delete(`${configMaps}/a`))).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: { name: "a", kind: "configmaps", uid: metadata.uid },
    })
    expect(statusIn(await api.delete(`${configMaps}/a`))).toMatchObject({ code: 404, message: 'configmaps "a" not found' })
  })

  test.each(["serviceaccounts", "services"])("answers with the object itself for %s", async (plural) => {
    const api = testServer(way)
    const path = `/api/v1/namespaces/default/${plural}`
    objectIn(await api.post(path, { metadata: { name: "a" }, ...(plural === "services" && { spec: { ports: [{ port: 80 }] } }) }), 201)
    expect(objectIn(await api.delete(`${path}/a`)).metadata.name).toBe("a")
  })

  test("does not read the query beside a body", async () => {
    const api = testServer(way)
    await make(api, "a")
    const send = (text: string) =>
      api.transport({
        verb: "DELETE",
        path: `${configMaps}/a`,
        query: { dryRun: "All" },
        headers: {},
        body: { type: "bytes", bytes: Buffer.from(text), contentType: "application/json" },
      })
    expect(statusIn(await send("[]")).message).toContain("cannot unmarshal array into Go value of type struct")
    objectIn(await send(""))
    objectIn(await api.get(`${configMaps}/a`))
    objectIn(await send("null"))
    expect(statusIn(await api.get(`${configMaps}/a`))).toMatchObject({ code: 404 })
  })

  test("checks the preconditions", async () => {
    const api = testServer(way)
    const { metadata } = await make(api, "a")
    expect(statusIn(await api.delete(`${configMaps}/a`, { preconditions: { uid: "other" } })).message).toContain(
      `the UID in the precondition (other) does not match the UID in record (${metadata.uid})`,
    )
    expect(statusIn(await api.delete(`${configMaps}/a`, { preconditions: { resourceVersion: "1" } }))).toMatchObject({
      code: 409,
      reason: "Conflict",
    })
    objectIn(await api.delete(`${configMaps}/a`, { preconditions: { uid: metadata.uid, resourceVersion: metadata.resourceVersion } }))
  })

  test.each([
    ["Foreground", ["foregroundDeletion"]],
    ["Orphan", ["orphan"]],
  ])("propagation %s puts its finalizer first", async (propagationPolicy, finalizers) => {
    const api = testServer(way)
    await make(api, "a")
    const marked = objectIn(await api.delete(`${configMaps}/a`, { propagationPolicy }))
    expect(marked.metadata).toMatchObject({ finalizers, deletionGracePeriodSeconds: 0 })
    expect(objectIn(await api.delete(`${configMaps}/a`, { propagationPolicy: "Background" })).kind).toBe("Status")
  })

  test("options may stand in the query", async () => {
    const api = testServer(way)
    await make(api, "a")
    const marked = objectIn(await api.delete(`${configMaps}/a`, undefined, { propagationPolicy: "Foreground" }))
    expect(marked.metadata.finalizers).toEqual(["foregroundDeletion"])
  })

  test("a Job orphans its pods by default", async () => {
    const api = testServer(way)
    const jobs = "/apis/batch/v1/namespaces/default/jobs"
    await api.post(jobs, {
      metadata: { name: "j" },
      spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
    })
    expect(objectIn(await api.delete(`${jobs}/j`)).metadata.finalizers).toEqual(["orphan"])
  })

  test("marking counts a generation, once", async () => {
    const api = testServer(way)
    const path = "/apis/apps/v1/namespaces/default/deployments"
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } }
    await api.post(path, {
      metadata: { name: "d", finalizers: ["example.com/x"] },
      spec: { selector: { matchLabels: { a: "b" } }, template },
    })
    const marked = objectIn(await api.delete(`${path}/d`))
    expect(marked.metadata.generation).toBe(2)
    expect(objectIn(await api.delete(`${path}/d`))).toEqual(marked)
  })

  test("dry run leaves the object", async () => {
    const api = testServer(way)
    await make(api, "a")
    objectIn(await api.delete(`${configMaps}/a`, { dryRun: ["All"] }))
    objectIn(await api.delete(`${configMaps}/a`, undefined, { dryRun: "All" }))
    objectIn(await api.get(`${configMaps}/a`))
  })
})

describe.each(allWays)("the grace of pods, %s", (way) => {
  test("an unscheduled pod goes at once", async () => {
    const api = testServer(way)
    const { metadata } = objectIn(await api.post(pods, pod("p")), 201)
    const watch = await api.watch(pods, { resourceVersion: metadata.resourceVersion! })
    expect(objectIn(await api.delete(`${pods}/p`)).metadata.name).toBe("p")
    const events = await watch.read()
    expect(said(events)).toEqual(["DELETED p"])
    expect(events[0]!.object.metadata.deletionTimestamp).toBe("2026-01-05T09:00:00Z")
  })

  test("a running one is marked, can only be hurried, and goes with grace 0", async () => {
    const api = testServer(way)
    await api.post(pods, pod("p", { nodeName: "n" }))
    const marked = objectIn(await api.delete(`${pods}/p`))
    expect(marked.metadata).toMatchObject({ deletionTimestamp: "2026-01-05T09:00:30Z", deletionGracePeriodSeconds: 30, generation: 2 })
    expect(objectIn(await api.delete(`${pods}/p`, { gracePeriodSeconds: 60 }))).toEqual(marked)
    const hurried = objectIn(await api.delete(`${pods}/p`, { gracePeriodSeconds: 10 }))
    expect(hurried.metadata).toMatchObject({ deletionTimestamp: "2026-01-05T09:00:10Z", deletionGracePeriodSeconds: 10 })
    objectIn(await api.delete(`${pods}/p`, { gracePeriodSeconds: 0, preconditions: { uid: marked.metadata.uid } }))
    expect((await api.get(`${pods}/p`)).status).toBe(404)
  })

  test("options win over the spec; less than nothing is one second", async () => {
    const api = testServer(way)
    await api.post(pods, pod("p", { nodeName: "n", terminationGracePeriodSeconds: 5 }))
    expect(objectIn(await api.delete(`${pods}/p`, { gracePeriodSeconds: -1 })).metadata.deletionGracePeriodSeconds).toBe(1)
  })

  test("a finished one goes at once, but waits for its finalizers", async () => {
    const api = testServer(way)
    await api.post(pods, { ...pod("p", { nodeName: "n" }), metadata: { name: "p", finalizers: ["example.com/x"] } })
    await api.patch(`${pods}/p/status`, "merge", { status: { phase: "Succeeded" } })
    expect(objectIn(await api.delete(`${pods}/p`)).metadata).toMatchObject({ deletionGracePeriodSeconds: 0 })
    await api.patch(`${pods}/p`, "merge", { metadata: { finalizers: null } })
    expect((await api.get(`${pods}/p`)).status).toBe(404)
  })
})

describe.each(allWays)("delete of a collection, %s", (way) => {
  test("takes what the selectors name and answers with the list", async () => {
    const api = testServer(way)
    await make(api, "a", { labels: { x: "1" } })
    await make(api, "b", { labels: { x: "1" }, finalizers: ["example.com/x"] })
    await make(api, "c")
    const list = objectIn(await api.delete(configMaps, undefined, { labelSelector: "x=1" }))
    expect(list.items?.map(({ metadata }) => metadata.name)).toEqual(["a", "b"])
    const left = objectIn(await api.get(configMaps)).items ?? []
    expect(left.map(({ metadata }) => [metadata.name, metadata.deletionTimestamp !== undefined])).toEqual([
      ["b", true],
      ["c", false],
    ])
  })
})

describe.each(allWays)("namespaces, %s", (way) => {
  test("are there from the start", async () => {
    const list = objectIn(await testServer(way).get("/api/v1/namespaces"))
    expect(list.items?.map(({ metadata }) => metadata.name)).toEqual(["default", "kube-node-lease", "kube-public", "kube-system"])
    expect(list.items?.[0]).toMatchObject({ spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } })
  })

  test("end when both kinds of finalizers are gone; nothing new is made meanwhile", async () => {
    const api = testServer(way)
    const made = objectIn(await api.post("/api/v1/namespaces", { metadata: { name: "ns" } }), 201)
    expect(made).toMatchObject({
      metadata: { labels: { "kubernetes.io/metadata.name": "ns" } },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    })
    const marked = objectIn(await api.delete("/api/v1/namespaces/ns"))
    expect(marked).toMatchObject({ metadata: { deletionTimestamp: "2026-01-05T09:00:00Z" }, status: { phase: "Terminating" } })
    const status = statusIn(await api.post("/api/v1/namespaces/ns/configmaps", { metadata: { name: "a" } }))
    expect(status).toMatchObject({
      code: 403,
      message: 'configmaps "a" is forbidden: unable to create new content in namespace ns because it is being terminated',
      details: { causes: [{ reason: "NamespaceTerminating", message: "namespace ns is being terminated", field: "metadata.namespace" }] },
    })
    objectIn(await api.put("/api/v1/namespaces/ns/finalize", { ...marked, spec: {} }))
    expect((await api.get("/api/v1/namespaces/ns")).status).toBe(404)
  })

  test("a finalizer of others keeps it after finalize", async () => {
    const api = testServer(way)
    await api.post("/api/v1/namespaces", { metadata: { name: "ns", finalizers: ["example.com/x"] } })
    const marked = objectIn(await api.delete("/api/v1/namespaces/ns"))
    objectIn(await api.put("/api/v1/namespaces/ns/finalize", { ...marked, spec: {} }))
    objectIn(await api.get("/api/v1/namespaces/ns"))
    objectIn(await api.patch("/api/v1/namespaces/ns", "merge", { metadata: { finalizers: null } }))
    expect((await api.get("/api/v1/namespaces/ns")).status).toBe(404)
  })

  test.each(["default", "kube-system", "kube-public"])("%s cannot be deleted", async (name) => {
    const status = statusIn(await testServer(way).delete(`/api/v1/namespaces/${name}`))
    expect(status).toMatchObject({ code: 403, message: `namespaces "${name}" is forbidden: this namespace may not be deleted` })
  })
})
