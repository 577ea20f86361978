import { describe, expect, test } from "vitest"
import { allWays, objectIn, statusIn, testServer } from "../testing/server.ts"

const configMaps = "/api/v1/namespaces/default/configmaps"
const pods = "/api/v1/namespaces/default/pods"
const configMap = (name: string, data = {}) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data })

describe.each(allWays)("create, %s", (way) => {
  test("sets uid, creationTimestamp and resourceVersion, whatever the body says of them", async () => {
    const api = testServer(way)
    const metadata = {
      name: "a",
      uid: "mine",
      creationTimestamp: "2001-01-01T00:00:00Z",
      generation: 7,
      deletionTimestamp: "2001-01-01T00:00:00Z",
    }
    const made = objectIn(await api.post(configMaps, { ...configMap("a"), metadata }), 201)
    expect(made.metadata).toEqual({
      name: "a",
      namespace: "default",
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      creationTimestamp: "2026-01-05T09:00:00Z",
      resourceVersion: expect.stringMatching(/^\d+$/),
    })
    expect(made.metadata.uid).not.toBe("mine")
  })

  test("refuses a resourceVersion with 500 (seen)", async () => {
    const api = testServer(way)
    const response = await api.post(configMaps, { metadata: { name: "a", resourceVersion: "3" } })
    expect(response.status).toBe(500)
    expect(statusIn(response).message).toBe("resourceVersion should not be set on objects to be created")
  })

  test("refuses a resourceVersion after all else, and not in a dry run", async () => {
    const api = testServer(way)
    const broken = await api.post(configMaps, { metadata: { name: "A", resourceVersion: "3" } })
    expect(statusIn(broken).reason).toBe("Invalid")
    const dry = await api.post(configMaps, { metadata: { name: "a", resourceVersion: "3" } }, { dryRun: "All" })
    expect(objectIn(dry, 201).metadata.resourceVersion).toBe("3")
    for (const resourceVersion of ["0", "x"]) {
      const made = await api.post(configMaps, { metadata: { name: `version-${resourceVersion}`, resourceVersion } })
      expect(objectIn(made, 201).metadata.resourceVersion).toMatch(/^\d+$/)
    }
  })

  test("refuses another namespace than the path's", async () => {
    const api = testServer(way)
    const status = statusIn(await api.post(configMaps, { metadata: { name: "a", namespace: "other" } }))
    expect(status).toMatchObject({
      code: 400,
      message: "the namespace of the provided object does not match the namespace sent on the request",
    })
  })

  test("drops the namespace of an object that is in none", async () => {
    const api = testServer(way)
    const body = { metadata: { name: "a", namespace: "other" } }
    const made = objectIn(await api.post("/apis/rbac.authorization.k8s.io/v1/clusterroles", body), 201)
    expect(made.metadata).not.toHaveProperty("namespace")
    const path = "/apis/rbac.authorization.k8s.io/v1/clusterroles/a"
    const written = objectIn(await api.put(path, { ...made, metadata: { ...made.metadata, namespace: "other", labels: { a: "b" } } }))
    expect(written.metadata).toMatchObject({ labels: { a: "b" } })
    expect(written.metadata).not.toHaveProperty("namespace")
  })

  test("fills in apiVersion and kind, and refuses others", async () => {
    const api = testServer(way)
    expect(objectIn(await api.post(configMaps, { metadata: { name: "a" } }), 201)).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" })
    const status = statusIn(await api.post(configMaps, { apiVersion: "v2", metadata: { name: "b" } }))
    expect(status).toMatchObject({
      code: 400,
      message:
        'ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v2" in scheme "pkg/runtime/scheme.go:111"',
    })
  })

  test("makes a name of generateName: at most 58 characters of it and five letters", async () => {
    const api = testServer(way)
    const made = objectIn(await api.post(configMaps, { metadata: { generateName: "x".repeat(70) } }), 201)
    expect(made.metadata.name).toMatch(/^x{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/)
    expect(made.metadata.generateName).toBe("x".repeat(70))
  })

  test("tries eight generated names, then gives up with a retry hint", async () => {
    const api = testServer(way, {
      random: { next: () => 0.5, int: () => 0, uuid: () => "u", letters: () => "bbbbb", bytes: () => new Uint8Array() },
    })
    await api.post(configMaps, { metadata: { generateName: "a-" } })
    const status = statusIn(await api.post(configMaps, { metadata: { generateName: "a-" } }))
    expect(status).toMatchObject({ code: 409, reason: "AlreadyExists", details: { retryAfterSeconds: 1 } })
  })

  test("says that a name is taken, and that its owner is on the way out", async () => {
    const api = testServer(way)
    await api.post(configMaps, { metadata: { name: "a1", finalizers: ["example.com/x"] } })
    expect(statusIn(await api.post(configMaps, configMap("a1")))).toMatchObject({
      code: 409,
      reason: "AlreadyExists",
      message: 'configmaps "a1" already exists',
      details: { name: "a1", kind: "configmaps" },
    })
    await api.delete(`${configMaps}/a1`)
    expect(statusIn(await api.post(configMaps, configMap("a1"))).message).toBe('object is being deleted: configmaps "a1" already exists')
  })

  test("lists every wrong field of an invalid object, with the Kind in the details", async () => {
    const api = testServer(way)
    const status = statusIn(await api.post(pods, { metadata: { name: "A_1" }, spec: {} }))
    expect(status).toMatchObject({ code: 422, reason: "Invalid", details: { name: "A_1", kind: "Pod" } })
    expect(status.message).toMatch(/^Pod "A_1" is invalid: \[metadata.name: Invalid value: "A_1": .*, spec.containers: Required value\]$/)
    expect(status.details?.causes?.map(({ reason, field }) => [reason, field])).toEqual([
      ["FieldValueInvalid", "metadata.name"],
      ["FieldValueRequired", "spec.containers"],
    ])
  })

  test("a namespace that is not there is a 404 of the namespace", async () => {
    const api = testServer(way)
    const status = statusIn(await api.post("/api/v1/namespaces/nope/configmaps", configMap("a")))
    expect(status).toMatchObject({ code: 404, message: 'namespaces "nope" not found', details: { name: "nope", kind: "namespaces" } })
  })

  test("dry run answers with uid and creationTimestamp but no resourceVersion, and keeps nothing (seen)", async () => {
    const api = testServer(way)
    const made = objectIn(await api.post(configMaps, configMap("a"), { dryRun: "All" }), 201)
    expect(made.metadata.uid).toBeDefined()
    expect(made.metadata.resourceVersion).toBeUndefined()
    expect((await api.get(`${configMaps}/a`)).status).toBe(404)
    expect(statusIn(await api.post(configMaps, configMap("a"), { dryRun: "Some" })).code).toBe(422)
  })

  test("unknown fields are dropped with a warning, refused when strict, ignored when told", async () => {
    const api = testServer(way)
    const body = { metadata: { name: "a" }, spec: { containers: [{ name: "c", image: "i", foo: 1 }] }, bar: {} }
    const warned = await api.post(pods, body)
    expect(objectIn(warned, 201)).not.toHaveProperty("bar")
    expect(warned.headers.warning).toBe('299 - "unknown field \\"spec.containers[0].foo\\"", 299 - "unknown field \\"bar\\""')
    const strict = statusIn(await api.post(pods, body, { fieldValidation: "Strict" }))
    expect(strict).toMatchObject({
      code: 400,
      message:
        'Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.containers[0].foo", unknown field "bar"',
    })
    const ignored = await api.post(pods, { ...body, metadata: { name: "b" } }, { fieldValidation: "Ignore" })
    expect(ignored.headers.warning).toBeUndefined()
  })

  test("a value of the wrong type is a 400 in the words of the decoder", async () => {
    const api = testServer(way)
    const body = { metadata: { name: "a" }, spec: { replicas: "three" } }
    expect(statusIn(await api.post("/apis/apps/v1/namespaces/default/deployments", body))).toMatchObject({
      code: 400,
      message:
        'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    })
  })

  test("quantities are written in their shortest form", async () => {
    const api = testServer(way)
    const resources = { limits: { cpu: "1000m", memory: 1024 } }
    const made = objectIn(
      await api.post(pods, { metadata: { name: "a" }, spec: { containers: [{ name: "c", image: "i", resources }] } }),
      201,
    )
    expect(made.spec).toMatchObject({
      containers: [{ resources: { limits: { cpu: "1", memory: "1024" }, requests: { cpu: "1", memory: "1024" } } }],
    })
  })

  test("one owner counts once, with a warning", async () => {
    const api = testServer(way)
    const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" }
    const response = await api.post(configMaps, { metadata: { name: "a", ownerReferences: [owner, owner] } })
    expect(objectIn(response, 201).metadata.ownerReferences).toEqual([owner])
    expect(response.headers.warning).toContain("duplicate UID(s) observed: u")
  })

  test("two controllers of one object are refused", async () => {
    const api = testServer(way)
    const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u", controller: true }
    const status = statusIn(await api.post(configMaps, { metadata: { name: "a", ownerReferences: [owner, { ...owner, uid: "v" }] } }))
    expect(status.code).toBe(422)
    expect(status.message).toContain("Only one reference can have Controller set to true")
  })
})
