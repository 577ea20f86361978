import { expect, test } from "vitest"
import { everyWay, objectIn, statusIn } from "../testing/server.ts"

const core = "/api/v1/namespaces/default"
const configMaps = `${core}/configmaps`
const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } }

/** Lines of the spec (1.1, 1.5, 1.7, 1.8, 1.9) that no other suite has. */
everyWay("lines of the spec", (testServer) => {
  test("the version says which release it emulates, and which it can be followed by", async () => {
    const version = { emulationMajor: "1", emulationMinor: "36", minCompatibilityMajor: "1", minCompatibilityMinor: "35" }
    const seen = objectIn(await testServer().get("/version"))
    expect(seen).toMatchObject({ major: "1", minor: "36", gitVersion: "v1.36.3", ...version })
    for (const key of ["gitCommit", "gitTreeState", "buildDate", "goVersion", "compiler", "platform"]) expect(seen).toHaveProperty(key)
  })

  test("what the server alone says of a new object, whatever the body says", async () => {
    const own = { selfLink: "/x", deletionGracePeriodSeconds: 5, deletionTimestamp: "2001-01-01T00:00:00Z", generation: 9 }
    const { metadata } = objectIn(await testServer().post(configMaps, { metadata: { name: "a", ...own } }), 201)
    for (const key of Object.keys(own)) expect(metadata).not.toHaveProperty(key)
  })

  test.each([
    ["a namespace with a dot", "/api/v1/namespaces", "a.b", 422],
    ["a namespace", "/api/v1/namespaces", "a-b", 201],
    ["a role with a colon", "/apis/rbac.authorization.k8s.io/v1/clusterroles", "system:A_b", 201],
    ["a role with a slash", "/apis/rbac.authorization.k8s.io/v1/clusterroles", "a/b", 422],
    ["a map with capitals", configMaps, "A", 422],
    ["a map with a dot", configMaps, "a.b", 201],
    ["a name of 253 letters", configMaps, "a".repeat(253), 201],
    ["a name of 254 letters", configMaps, "a".repeat(254), 422],
  ])("%s", async (_what, path, name, status) => {
    expect((await testServer().post(path, { metadata: { name } })).status).toBe(status)
  })

  test.each(["a.b", "1a", "A"])("a service may not be called %s unless that is a label", async (name) => {
    const answer = await testServer().post(`${core}/services`, { metadata: { name }, spec: { ports: [{ port: 80 }] } })
    expect(answer.status).toBe(name === "1a" ? 201 : 422)
  })

  test("annotations are 256 KiB together at most", async () => {
    const annotations = { a: "x".repeat(131_072), b: "x".repeat(131_072) }
    const status = statusIn(await testServer().post(configMaps, { metadata: { name: "a", annotations } }))
    expect(status).toMatchObject({ code: 422, details: { causes: [{ field: "metadata.annotations", reason: "FieldValueTooLong" }] } })
  })

  test("null leaves the default, and field names are case-sensitive", async () => {
    const api = testServer()
    const made = objectIn(
      await api.post(`${core}/pods`, { ...pod, spec: { ...pod.spec, restartPolicy: null, RestartPolicy: "Never" } }),
      201,
    )
    expect(made.spec).toMatchObject({ restartPolicy: "Always" })
    expect(made.spec).not.toHaveProperty("RestartPolicy")
  })

  test("an owner is named in full", async () => {
    const metadata = { name: "a", ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "" }] }
    const fields = (statusIn(await testServer().post(configMaps, { metadata })).details?.causes ?? []).map(({ field }) => field)
    expect(fields).toEqual(["metadata.ownerReferences.name", "metadata.ownerReferences.uid"])
  })

  test("dry runs of binding, eviction and the deletion of many keep nothing", async () => {
    const api = testServer()
    objectIn(await api.post(`${core}/pods`, pod), 201)
    const before = objectIn(await api.get(`${core}/pods/p`))
    const dryRun = { dryRun: "All" }
    expect(
      (await api.post(`${core}/pods/p/binding`, { metadata: { name: "p" }, target: { kind: "Node", name: "n" } }, dryRun)).status,
    ).toBe(201)
    expect((await api.post(`${core}/pods/p/eviction`, { metadata: { name: "p" } }, dryRun)).status).toBe(201)
    expect((await api.delete(`${core}/pods`, undefined, dryRun)).status).toBe(200)
    expect(objectIn(await api.get(`${core}/pods/p`))).toEqual(before)
  })

  test("a DELETED event has the last state, under the revision of the deletion", async () => {
    const api = testServer()
    const made = objectIn(await api.post(configMaps, { metadata: { name: "a" }, data: { k: "v" } }), 201)
    const watch = await api.watch(configMaps, { resourceVersion: made.metadata.resourceVersion! })
    await api.delete(`${configMaps}/a`)
    const [event] = await watch.read()
    expect(event).toMatchObject({ type: "DELETED", object: { data: { k: "v" }, metadata: { uid: made.metadata.uid } } })
    expect(Number(event?.object.metadata.resourceVersion)).toBeGreaterThan(Number(made.metadata.resourceVersion))
    expect(event?.object.metadata.resourceVersion).toBe(objectIn(await api.get(configMaps)).metadata.resourceVersion)
  })

  test("a JSON patch has 10,000 operations at most", async () => {
    const api = testServer()
    objectIn(await api.post(configMaps, { metadata: { name: "a" } }), 201)
    const operations = Array.from({ length: 10_001 }, () => ({ op: "test", path: "/kind", value: "ConfigMap" }))
    expect(statusIn(await api.patch(`${configMaps}/a`, "json", operations))).toMatchObject({ code: 413, reason: "RequestEntityTooLarge" })
    objectIn(await api.patch(`${configMaps}/a`, "json", operations.slice(1)))
  })

  test.each([
    [{ orphanDependents: true }, 200, ["orphan"]],
    [{ orphanDependents: false }, 200, undefined],
    [{ orphanDependents: true, propagationPolicy: "Orphan" }, 422, undefined],
  ])("the deletion option of old: %j", async (options, status, finalizers) => {
    const api = testServer()
    objectIn(await api.post(configMaps, { metadata: { name: "a" } }), 201)
    const answer = await api.delete(`${configMaps}/a`, { kind: "DeleteOptions", apiVersion: "v1", ...options })
    expect(answer.status).toBe(status)
    if (status === 200) expect(objectIn(answer).metadata.finalizers).toEqual(finalizers)
  })
})
