import type { TransportResponse } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { objectIn, statusIn, testServer } from "../testing/server.ts"

const path = "/apis/storagemigration.k8s.io/v1beta1/storageversionmigrations"
const enabled = { enabledVersions: ["storagemigration.k8s.io/v1beta1"] }
const migration = (resource: object) => ({ metadata: { name: "m" }, spec: { resource } })
const condition = (type: string, status = "True") => ({
  type,
  status,
  reason: "Test",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
})

/** Whatever a server says, as JSON. */
function valueOf({ body }: TransportResponse): Readonly<Record<string, unknown>> {
  if (body.type === "value") return body.value as Readonly<Record<string, unknown>>
  if (body.type === "bytes") return JSON.parse(new TextDecoder().decode(body.bytes)) as Readonly<Record<string, unknown>>
  throw new Error("expected a whole answer, found a stream")
}

describe("StorageVersionMigrations", () => {
  test("are not served by default, as upstream", async () => {
    const api = testServer()
    expect((await api.post(path, migration({ resource: "pods" }))).status).toBe(404)
  })

  test("are served, discovered and described where their version is enabled", async () => {
    const api = testServer("in process", enabled)
    expect(objectIn(await api.post(path, migration({ group: "apps", resource: "deployments" })), 201)).toMatchObject({
      kind: "StorageVersionMigration",
      spec: { resource: { group: "apps", resource: "deployments" } },
    })
    expect(valueOf(await api.get("/apis/storagemigration.k8s.io/v1beta1")).resources).toMatchObject([
      { name: "storageversionmigrations" },
      { name: "storageversionmigrations/status" },
    ])
    expect(Object.keys(valueOf(await api.get("/openapi/v3")).paths as object)).toContain("apis/storagemigration.k8s.io/v1beta1")
  })

  test("give their controller a role", async () => {
    const name = "system:controller:storage-version-migrator-controller"
    const at = `/apis/rbac.authorization.k8s.io/v1/clusterroles/${name}`
    const modes = { authorizationModes: ["RBAC"] } as const
    expect(objectIn(await testServer("in process", { ...enabled, ...modes }).get(at)).metadata.name).toBe(name)
    expect(statusIn(await testServer("in process", modes).get(at)).code).toBe(404)
  })

  test.each([
    ["without a resource", {}, "spec.resource.resource: Required value: resource is required to be set"],
    [
      "of a resource with capitals",
      { resource: "Pods" },
      'spec.resource.resource: Invalid value: "Pods": a DNS-1035 label must consist of',
    ],
    [
      "of a group with spaces",
      { resource: "pods", group: "a b" },
      'spec.resource.group: Invalid value: "a b": a lowercase RFC 1123 subdomain',
    ],
  ])("%s are refused", async (_what, resource, words) => {
    const api = testServer("in process", enabled)
    expect(statusIn(await api.post(path, migration(resource)))).toMatchObject({ code: 422, message: expect.stringContaining(words) })
  })

  test("name the same resource for ever", async () => {
    const api = testServer("in process", enabled)
    objectIn(await api.post(path, migration({ resource: "pods" })), 201)
    const changed = await api.patch(`${path}/m`, "merge", { spec: { resource: { resource: "secrets" } } })
    expect(statusIn(changed)).toMatchObject({ code: 422, message: expect.stringContaining("spec: Invalid value") })
  })

  test.each([
    [
      "a version that is none",
      { resourceVersion: "01" },
      'status.resourceVersion: Invalid value: "01": resource version is not well formed: 01',
    ],
    ["another version", { resourceVersion: "8" }, 'status.resourceVersion: Invalid value: "8": field is immutable'],
    [
      "success and failure",
      { resourceVersion: "7", conditions: [condition("Succeeded"), condition("Failed")] },
      "Both success and failed conditions cannot be true at the same time",
    ],
    [
      "no success after it",
      { resourceVersion: "7", conditions: [condition("Succeeded", "False")] },
      "Success condition cannot be set to false once it is true",
    ],
  ])("a status may not say %s", async (_what, status, words) => {
    const api = testServer("in process", enabled)
    objectIn(await api.post(path, migration({ resource: "pods" })), 201)
    objectIn(await api.patch(`${path}/m/status`, "merge", { status: { resourceVersion: "7", conditions: [condition("Succeeded")] } }))
    const refused = await api.patch(`${path}/m/status`, "merge", { status })
    expect(statusIn(refused)).toMatchObject({ code: 422, message: expect.stringContaining(words) })
  })
})
