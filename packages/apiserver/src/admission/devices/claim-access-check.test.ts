import { expect, test } from "vitest"
import type { Authorizer } from "../../authorization/authorizer.ts"
import { noRules } from "../../authorization/authorizer.ts"
import { statusIn, testServer } from "../../testing/server.ts"

const group = "/apis/resource.k8s.io/v1/namespaces/default"
const admin = { name: "admin", groups: ["system:masters"] }
const user = { name: "writer", groups: ["system:authenticated"] }
const onNode = {
  name: "system:serviceaccount:default:driver",
  groups: ["system:authenticated"],
  extra: { "authentication.kubernetes.io/node-name": ["node-1"] },
}

/** A server on which every user may write claims, and "update resourceclaims/driver gpu.example.com" and the like where they are given. */
async function withRights(...rights: readonly string[]) {
  const authorizer: Authorizer = {
    authorize({ groups }, what) {
      if (groups.includes("system:masters") || !("resource" in what)) return { allowed: true }
      if (what.subresource !== "binding" && what.subresource !== "driver") return { allowed: true }
      const text = `${what.verb} ${what.resource}/${what.subresource} ${what.namespace}/${what.name}`
      return { allowed: rights.includes(text) }
    },
    rules: () => noRules,
  }
  const api = testServer("in process", { authorizer })
  await api.post("/api/v1/namespaces", { metadata: { name: "admin", labels: { "resource.kubernetes.io/admin-access": "true" } } })
  const devices = { requests: [{ name: "gpu", exactly: { deviceClassName: "gpu" } }] }
  expect((await api.post(`${group}/resourceclaims`, { metadata: { name: "c" }, spec: { devices } })).status).toBe(201)
  return api
}

type Api = Awaited<ReturnType<typeof withRights>>

const result = { request: "gpu", driver: "gpu.example.com", pool: "p", device: "gpu-0" }
const nodeSelector = {
  nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["node-1"] }] }],
}
const allocation = { devices: { results: [result] }, nodeSelector }
const device = { driver: "gpu.example.com", pool: "p", device: "gpu-0", data: { a: 1 } }
const headers = { "content-type": "application/merge-patch+json" }

function patchStatus(api: Api, who: typeof user, status: object) {
  return api.as(who)("PATCH", `${group}/resourceclaims/c/status`, { body: { status }, headers })
}

async function causesOf(answer: Promise<Awaited<ReturnType<typeof patchStatus>>>): Promise<unknown> {
  const { code, details } = statusIn(await answer)
  return [code, details?.causes?.map(({ field, message }) => `${field}: ${message}`)]
}

test("an allocation needs the right to bind claims of the whole cluster", async () => {
  const api = await withRights("update resourceclaims/binding default/c")
  const refused =
    'resourceclaims.resource.k8s.io is forbidden: User "writer" cannot patch resource "resourceclaims/binding" in API group "resource.k8s.io" at the cluster scope'
  const needs = 'changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="patch" permission'
  expect(await causesOf(patchStatus(api, user, { allocation }))).toEqual([422, [`status.allocation: Forbidden: ${needs}: ${refused}`]])
  const allowed = await withRights("patch resourceclaims/binding /")
  expect((await patchStatus(allowed, user, { allocation })).status).toBe(200)
})

test("a write that leaves the allocation as it is needs no right to bind", async () => {
  const api = await withRights()
  expect((await patchStatus(api, admin, { allocation })).status).toBe(200)
  expect((await patchStatus(api, user, { allocation })).status).toBe(200)
})

test("a reservation needs the right to bind", async () => {
  const api = await withRights()
  await patchStatus(api, admin, { allocation })
  const reservedFor = [{ resource: "pods", name: "p", uid: "1" }]
  expect((await patchStatus(api, user, { reservedFor })).status).toBe(422)
})

test.each([
  ["a user without the right", user, "", 422],
  ["a user with the right for all nodes", user, "arbitrary-node:patch resourceclaims/driver default/gpu.example.com", 200],
  ["a user with the right for another driver", user, "arbitrary-node:patch resourceclaims/driver default/nic.example.com", 422],
  ["a user that is on no node", user, "associated-node:patch resourceclaims/driver default/gpu.example.com", 422],
  ["an account on the node", onNode, "associated-node:patch resourceclaims/driver default/gpu.example.com", 200],
] as const)("the status of a device by %s", async (_, who, right, expected) => {
  const api = await withRights(right)
  await patchStatus(api, admin, { allocation })
  expect((await patchStatus(api, who as typeof user, { devices: [device] })).status).toBe(expected)
})

test("an account of another node may not write the status of a device", async () => {
  const api = await withRights("associated-node:patch resourceclaims/driver default/gpu.example.com")
  await patchStatus(api, admin, { allocation })
  const elsewhere = { ...onNode, extra: { "authentication.kubernetes.io/node-name": ["node-2"] } }
  const text = 'changing status.devices requires resource="resourceclaims/driver", verb="[arbitrary-node:patch]" permission'
  expect(await causesOf(patchStatus(api, elsewhere, { devices: [device] }))).toEqual([422, [expect.stringContaining(text)]])
})

test("admin access needs the label of the namespace", async () => {
  const api = await withRights()
  const devices = { requests: [{ name: "gpu", exactly: { deviceClassName: "gpu", adminAccess: true } }] }
  const text = "admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace"
  const expected = [422, [`spec.devices.requests[0].adminAccess: Forbidden: ${text}`]]
  const claim = { metadata: { name: "a" }, spec: { devices } }
  expect(await causesOf(api.post(`${group}/resourceclaims`, claim))).toEqual(expected)
  const template = { metadata: { name: "a" }, spec: { spec: { devices } } }
  expect(await causesOf(api.post(`${group}/resourceclaimtemplates`, template))).toEqual(expected)
  expect((await api.post("/apis/resource.k8s.io/v1/namespaces/admin/resourceclaims", claim)).status).toBe(201)
  const results = [{ ...result, adminAccess: true }]
  const granted = causesOf(patchStatus(api, admin, { allocation: { devices: { results } } }))
  expect(await granted).toEqual([422, [`status.allocation.devices.results[0].adminAccess: Forbidden: ${text}`]])
})
