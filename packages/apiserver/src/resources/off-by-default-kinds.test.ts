import { describe, expect, test } from "vitest"
import { objectIn, statusIn, testServer } from "../testing/server.ts"

const [internal, pools, groups] = ["internal.apiserver.k8s.io/v1alpha1", "resource.k8s.io/v1alpha3", "scheduling.k8s.io/v1alpha2"]
const server = () => testServer("in process", { enabledVersions: [internal, pools, groups] })
const at = {
  versions: `/apis/${internal}/storageversions`,
  requests: `/apis/${pools}/resourcepoolstatusrequests`,
  groups: `/apis/${groups}/namespaces/default/podgroups`,
}

test("kinds of alpha versions are not served by default, as upstream", async () => {
  const api = testServer()
  for (const path of Object.values(at)) expect((await api.get(path)).status, path).toBe(404)
})

test.each([
  [internal, "storage-version-garbage-collector"],
  [pools, "resourcepoolstatusrequest-controller"],
  [groups, "podgroup-protection-controller"],
])("%s gives its controller a role", async (version, controller) => {
  const path = `/apis/rbac.authorization.k8s.io/v1/clusterroles/system:controller:${controller}`
  const api = testServer("in process", { enabledVersions: [version], authorizationModes: ["RBAC"] })
  expect(objectIn(await api.get(path)).metadata.name).toBe(`system:controller:${controller}`)
})

test.each<[what: string, enabledVersions: readonly string[], kept: boolean]>([
  ["without PodGroups", [], false],
  ["with PodGroups", [groups], true],
])("a server %s keeps the group that a pod and a template name: %j is %s", async (_what, enabledVersions, kept) => {
  const api = testServer("in process", { enabledVersions })
  const spec = { containers: [{ name: "a", image: "a" }], schedulingGroup: { podGroupName: "g" } }
  const pod = objectIn(await api.post("/api/v1/namespaces/default/pods", { metadata: { name: "p" }, spec }), 201)
  expect((pod as { spec?: object }).spec).toHaveProperty(kept ? "schedulingGroup" : "containers")
  const template = objectIn(await api.post("/api/v1/namespaces/default/podtemplates", { metadata: { name: "p" }, template: { spec } }), 201)
  expect([pod, template].map((object) => JSON.stringify(object).includes("schedulingGroup"))).toEqual([kept, kept])
})

describe("PodGroups", () => {
  const group = (spec: object) => ({ metadata: { name: "g" }, spec })

  test("are protected when they are created, and lose what other feature gates guard", async () => {
    const spec = { schedulingPolicy: { gang: { minCount: 2 } }, priority: 7, disruptionMode: "PodGroup" }
    const made = objectIn(await server().post(at.groups, { ...group(spec), status: { conditions: [] } }), 201)
    expect(made.metadata.finalizers).toEqual(["scheduling.k8s.io/podgroup-protection"])
    expect(made).toMatchObject({ spec: { schedulingPolicy: { gang: { minCount: 2 } } } })
    expect(Object.keys((made as { spec?: object }).spec ?? {})).toEqual(["schedulingPolicy"])
  })

  test.each<[what: string, spec: object, message: string]>([
    ["without a policy", { schedulingPolicy: {} }, 'spec.schedulingPolicy: Invalid value: "": must specify one of: `basic`, `gang`'],
    [
      "with two policies",
      { schedulingPolicy: { basic: {}, gang: { minCount: 1 } } },
      'spec.schedulingPolicy: Invalid value: "{basic, gang}": must specify exactly one of: `basic`, `gang`',
    ],
    ["of no pod", { schedulingPolicy: { gang: { minCount: 0 } } }, "spec.schedulingPolicy.gang.minCount: Required value"],
    [
      "of fewer than no pods",
      { schedulingPolicy: { gang: { minCount: -1 } } },
      "minCount: Invalid value: -1: must be greater than or equal to 1",
    ],
    [
      "of a template without a Workload",
      { schedulingPolicy: { basic: {} }, podGroupTemplateRef: {} },
      'spec.podGroupTemplateRef: Invalid value: "": must specify one of: `workload`',
    ],
  ])("%s are refused", async (_what, spec, message) => {
    expect(statusIn(await server().post(at.groups, group(spec))).message).toContain(message)
  })

  test("keep their policy", async () => {
    const api = server()
    const made = objectIn(await api.post(at.groups, group({ schedulingPolicy: { basic: {} } })), 201)
    const other = { ...made, spec: { schedulingPolicy: { gang: { minCount: 1 } } } }
    expect(statusIn(await api.put(`${at.groups}/g`, other)).message).toContain("spec.schedulingPolicy: Invalid value")
  })
})

describe("ResourcePoolStatusRequests", () => {
  const request = (spec: object) => ({ metadata: { name: "r" }, spec })

  test("ask for a hundred pools by default, and their answer stays", async () => {
    const api = server()
    const made = objectIn(await api.post(at.requests, { ...request({ driver: "gpu.example.com" }), status: { poolCount: 1 } }), 201)
    expect(made).toMatchObject({ spec: { limit: 100 } })
    expect(made).not.toHaveProperty("status")
    const answered = objectIn(await api.put(`${at.requests}/r/status`, { ...made, status: { poolCount: 3 } }))
    expect(statusIn(await api.put(`${at.requests}/r/status`, { ...answered, status: { poolCount: 4 } })).message).toContain(
      "field is immutable",
    )
  })

  test.each<[what: string, spec: object, message: string]>([
    ["of no driver", { driver: "" }, "spec.driver: Required value"],
    ["of a driver with a blank", { driver: "a b" }, 'spec.driver: Invalid value: "a b"'],
    [
      "of a pool with an empty part",
      { driver: "d", poolName: "a//b" },
      'spec.poolName: Invalid value: "a//b": segment 1: must not be empty',
    ],
    ["for no pool", { driver: "d", limit: 0 }, "spec.limit: Invalid value: 0: must be greater than or equal to 1"],
    ["for too many pools", { driver: "d", limit: 1001 }, "spec.limit: Invalid value: 1001: must be less than or equal to 1000"],
  ])("%s are refused", async (_what, spec, message) => {
    expect(statusIn(await server().post(at.requests, request(spec))).message).toContain(message)
  })
})

describe("StorageVersions", () => {
  const entry = { apiServerID: "one", encodingVersion: "apps/v1", decodableVersions: ["apps/v1"] }

  test.each([
    ["deployments", "name must be in the form of <group>.<resource>"],
    ["Apps.deployments", "the group segment a lowercase RFC 1123 subdomain"],
    ["apps.9s", "the resource segment a DNS-1035 label"],
  ])("are not named %s", async (name, message) => {
    expect(statusIn(await server().post(at.versions, { metadata: { name }, spec: {} })).message).toContain(message)
  })

  test.each<[what: string, status: object, message: string | undefined]>([
    ["one server", { storageVersions: [entry], commonEncodingVersion: "apps/v1" }, undefined],
    ["no common version", { storageVersions: [entry] }, "the common encoding version is apps/v1"],
    ["another common version", { storageVersions: [entry], commonEncodingVersion: "v1" }, "the actual common encoding version is apps/v1"],
    ["a common version of no server", { commonEncodingVersion: "v1" }, "should be nil if servers do not agree"],
    ["a server twice", { storageVersions: [entry, entry], commonEncodingVersion: "apps/v1" }, 'apiServerID: Duplicate value: "one"'],
    [
      "a version that its server cannot read",
      { storageVersions: [{ ...entry, decodableVersions: ["apps/v2"] }], commonEncodingVersion: "apps/v1" },
      "decodableVersions must include encodingVersion apps/v1",
    ],
    [
      "a version that is served and not read",
      { storageVersions: [{ ...entry, servedVersions: ["v9"] }], commonEncodingVersion: "apps/v1" },
      "individual served version : v9 must be included in decodableVersions : [apps/v1]",
    ],
    [
      "words that are no version",
      { storageVersions: [{ ...entry, encodingVersion: "a/b/c", decodableVersions: ["a/b/c"] }], commonEncodingVersion: "a/b/c" },
      "with an optional DNS subdomain prefix",
    ],
  ])("have a status of %s", async (_what, status, message) => {
    const api = server()
    const made = objectIn(await api.post(at.versions, { metadata: { name: "apps.deployments" }, spec: {} }), 201)
    const answer = await api.put(`${at.versions}/apps.deployments/status`, { ...made, status })
    if (message === undefined) expect(objectIn(answer)).toMatchObject({ status })
    else expect(statusIn(answer).message).toContain(message)
  })
})
