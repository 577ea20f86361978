import { encodeProtobuf, protobufContentType } from "@pilothouse/api/protobuf"
import { expect, test } from "vitest"
import { everyWay, objectIn, type TestServer } from "../testing/server.ts"

const pods = "/api/v1/namespaces/default/pods"
const container = { name: "c", image: "i" }

/** Over sockets only: in process a list that is not there, or a time, is left out. */
everyWay("objects are written as Go writes them", (testServer, way) => {
  const inBytes = way.startsWith("over TLS")

  test("zero values that Go leaves out are gone; those behind pointers stay (seen)", async () => {
    const env = [{ name: "A", value: "" }]
    const spec = { hostNetwork: false, hostname: "", automountServiceAccountToken: false, containers: [{ ...container, env, tty: false }] }
    const made = objectIn(await testServer().post(pods, { metadata: { name: "x" }, spec }), 201)
    expect(made.spec).not.toHaveProperty("hostNetwork")
    expect(made.spec).not.toHaveProperty("hostname")
    expect(made.spec).toMatchObject({ automountServiceAccountToken: false, containers: [{ env: [{ name: "A" }] }] })
    expect(JSON.stringify(made.spec)).not.toMatch(/"tty"|"value"/)
  })

  test.each([
    ["/api/v1/namespaces/default/resourcequotas", {}, { spec: {}, status: {} }],
    ["/apis/coordination.k8s.io/v1/namespaces/default/leases", {}, { spec: {} }],
    ["/apis/policy/v1/namespaces/default/poddisruptionbudgets", {}, { spec: {}, status: { disruptionsAllowed: 0, currentHealthy: 0 } }],
    ["/apis/scheduling.k8s.io/v1/priorityclasses", {}, { value: 0 }],
    ["/apis/networking.k8s.io/v1/servicecidrs", { spec: { cidrs: ["fd00::/112"] } }, { status: {} }],
    ["/api/v1/nodes", {}, { spec: {}, status: { daemonEndpoints: { kubeletEndpoint: { Port: 0 } }, nodeInfo: { machineID: "" } } }],
    ["/apis/networking.k8s.io/v1/namespaces/default/networkpolicies", {}, { spec: { podSelector: {}, policyTypes: ["Ingress"] } }],
  ])("%s has what Go always writes (seen)", async (path, body, expected) => {
    const api = testServer()
    const made = objectIn(await api.post(path, { metadata: { name: "x" }, ...body }), 201)
    expect(made).toMatchObject(expected)
    expect(objectIn(await api.put(`${path}/x`, made)).metadata.resourceVersion).toBe(made.metadata.resourceVersion)
  })

  test.each([
    ["/apis/rbac.authorization.k8s.io/v1/clusterroles", {}, { rules: null }],
    ["/api/v1/namespaces/default/limitranges", {}, { spec: { limits: null } }],
    [
      "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
      { addressType: "IPv4", endpoints: [] },
      { endpoints: null, ports: null },
    ],
    [
      "/api/v1/namespaces/default/events",
      { involvedObject: { namespace: "default" } },
      { eventTime: null, firstTimestamp: null, lastTimestamp: null },
    ],
    [
      "/api/v1/nodes",
      { status: { conditions: [{ type: "Ready", status: "True" }] } },
      { status: { conditions: [{ lastHeartbeatTime: null, lastTransitionTime: null }] } },
    ],
    ["/apis/storage.k8s.io/v1/csinodes", { spec: { drivers: [] } }, { spec: { drivers: null } }],
  ])("%s has null where Go has nothing, in bytes (seen)", async (path, body, expected) => {
    const api = testServer()
    objectIn(await api.post(path, { metadata: { name: "x" }, ...body }), 201)
    const [one, [listed]] = [
      objectIn(await api.get(`${path}/x`)),
      objectIn(await api.get(path, { fieldSelector: "metadata.name=x" })).items ?? [],
    ]
    for (const seen of [one, listed]) {
      if (inBytes) expect(seen).toMatchObject(expected)
      else expect(JSON.stringify(seen)).not.toContain("null")
    }
  })

  test("a patch finds what clients see (seen)", async () => {
    const api = testServer()
    const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
    objectIn(await api.post(roles, { metadata: { name: "x" } }), 201)
    const found = { op: "test", path: "/rules", value: null }
    const { metadata } = objectIn(await api.patch(`${roles}/x`, "json", [found]))
    expect(objectIn(await api.patch(`${roles}/x`, "merge", { rules: null })).metadata).toEqual(metadata)
    const verbs = [{ op: "replace", path: "/rules", value: [{ verbs: ["get"], nonResourceURLs: ["/x"] }] }]
    expect(objectIn(await api.patch(`${roles}/x`, "json", verbs))).toMatchObject({ rules: [{ verbs: ["get"] }] })
  })

  test("protobuf and JSON make the same object, and one can replace the other without a write", async () => {
    const api = testServer()
    const body = { apiVersion: "v1", kind: "Service", metadata: { name: "x" }, spec: { ports: [{ port: 80 }] } }
    const made = objectIn(await postBytes(api, "/api/v1/namespaces/default/services", encodeProtobuf(body)), 201)
    expect(made.spec).toMatchObject({ ports: [{ port: 80, targetPort: 80, protocol: "TCP" }] })
    const { resourceVersion } = made.metadata
    const same = objectIn(await api.put("/api/v1/namespaces/default/services/x", { ...body, metadata: { name: "x", resourceVersion } }))
    expect(same.metadata.resourceVersion).toBe(resourceVersion)
  })
})

function postBytes(api: TestServer, path: string, bytes: Uint8Array) {
  const body = { type: "bytes", bytes, contentType: protobufContentType } as const
  return api.transport({ verb: "POST", path, query: {}, headers: { "content-type": protobufContentType }, body })
}
