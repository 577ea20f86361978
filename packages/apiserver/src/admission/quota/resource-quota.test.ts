import { expect, test } from "vitest"
import { everyWay, objectIn, statusIn } from "../../testing/server.ts"

const core = "/api/v1/namespaces/default"
const quotas = `${core}/resourcequotas`
const pod = (name: string, cpu?: string, spec = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: "c", image: "i", ...(cpu !== undefined && { resources: { requests: { cpu } } }) }], ...spec },
})

everyWay("quota", (testServer) => {
  /** As the quota controller leaves it: with a status that says what is used. */
  async function withQuota(hard: Record<string, string>, spec = {}) {
    const api = testServer()
    objectIn(await api.post(quotas, { metadata: { name: "q" }, spec: { hard, ...spec } }), 201)
    const used = Object.fromEntries(Object.keys(hard).map((name) => [name, "0"]))
    objectIn(await api.patch(`${quotas}/q/status`, "merge", { status: { hard, used } }))
    return { api, used: async () => objectIn(await api.get(`${quotas}/q`)).status?.used }
  }

  test("what is made is counted, and refused where there is no more", async () => {
    const { api, used } = await withQuota({ pods: "1", "count/pods": "5" })
    objectIn(await api.post(`${core}/pods`, pod("a")), 201)
    expect(await used()).toEqual({ pods: "1", "count/pods": "1" })
    expect(statusIn(await api.post(`${core}/pods`, pod("b")))).toMatchObject({
      code: 403,
      message: 'pods "b" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1',
    })
  })

  test("of many who come at once exactly as many get in as there is room for", async () => {
    const { api, used } = await withQuota({ "requests.cpu": "1" })
    const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => api.post(`${core}/pods`, pod(`p${index}`, "100m"))))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10)
    expect(await used()).toEqual({ "requests.cpu": "1" })
  })

  test("a quota without a status limits no request, and one that is half counted refuses every request", async () => {
    const api = testServer()
    await api.post(quotas, { metadata: { name: "q" }, spec: { hard: { configmaps: "9" } } })
    objectIn(await api.post(`${core}/configmaps`, { metadata: { name: "a" } }), 201)
    await api.patch(`${quotas}/q/status`, "merge", { status: { hard: { configmaps: "9" } } })
    expect(statusIn(await api.post(`${core}/configmaps`, { metadata: { name: "b" } }))).toMatchObject({
      code: 403,
      message: 'configmaps "b" is forbidden: status unknown for quota: q, resources: configmaps',
    })
    objectIn(await api.post(`${core}/secrets`, { metadata: { name: "b" } }), 201)
  })

  test("who does not say how much is refused where that is counted", async () => {
    const { api } = await withQuota({ "limits.memory": "1Gi", "requests.cpu": "1" })
    expect(statusIn(await api.post(`${core}/pods`, pod("a")))).toMatchObject({
      code: 403,
      message: 'pods "a" is forbidden: failed quota: q: must specify limits.memory for: c; requests.cpu for: c',
    })
  })

  test("who speaks for the pod as a whole need not speak for each container", async () => {
    const { api, used } = await withQuota({ "requests.cpu": "5" })
    objectIn(await api.post(`${core}/pods`, pod("a", undefined, { resources: { requests: { cpu: "3" } } })), 201)
    expect(await used()).toEqual({ "requests.cpu": "3" })
  })

  test("a pod that gets a deadline goes over to the quota of those that end", async () => {
    const { api, used } = await withQuota({ pods: "1" }, { scopes: ["Terminating"] })
    await api.post(`${core}/pods`, pod("a"))
    expect(await used()).toEqual({ pods: "0" })
    objectIn(await api.patch(`${core}/pods/a`, "merge", { spec: { activeDeadlineSeconds: 5 } }))
    expect(await used()).toEqual({ pods: "1" })
    await api.post(`${core}/pods`, pod("b"))
    const refused = await api.patch(`${core}/pods/b`, "merge", { spec: { activeDeadlineSeconds: 5 } })
    expect(statusIn(refused)).toMatchObject({ code: 403, message: expect.stringContaining("exceeded quota: q, requested: pods=1") })
  })

  test("a decrease waits for the controller, which counts what is really there", async () => {
    const { api, used } = await withQuota({ "services.nodeports": "2" })
    await api.post(`${core}/services`, { metadata: { name: "a" }, spec: { type: "NodePort", ports: [{ port: 80 }] } })
    objectIn(await api.patch(`${core}/services/a`, "merge", { spec: { type: "ClusterIP" } }))
    expect(await used()).toEqual({ "services.nodeports": "1" })
  })

  test("the growth of a claim is counted when it is said, and cannot be refused any more", async () => {
    const { api, used } = await withQuota({ "requests.storage": "1Gi" })
    const spec = { accessModes: ["ReadWriteOnce"], storageClassName: "s", resources: { requests: { storage: "1Gi" } } }
    await api.post(`${core}/persistentvolumeclaims`, { metadata: { name: "a" }, spec })
    const status = { allocatedResources: { storage: "2Gi" } }
    objectIn(await api.patch(`${core}/persistentvolumeclaims/a/status`, "merge", { status }))
    expect(await used()).toEqual({ "requests.storage": "2Gi" })
  })

  test("a dry run is refused as well, and takes nothing", async () => {
    const { api, used } = await withQuota({ pods: "0" })
    expect((await api.post(`${core}/pods`, pod("a"), { dryRun: "All" })).status).toBe(403)
    expect(await used()).toEqual({ pods: "0" })
  })

  test.each([
    ["BestEffort", pod("a"), "1"],
    ["BestEffort", pod("a", "1"), "0"],
    ["NotBestEffort", pod("a", "1"), "1"],
    ["Terminating", pod("a", "1", { activeDeadlineSeconds: 5 }), "1"],
    ["NotTerminating", pod("a", "1", { activeDeadlineSeconds: 5 }), "0"],
  ])("scope %s counts those it is about (%#)", async (scope, body, pods) => {
    const { api, used } = await withQuota({ pods: "5" }, { scopes: [scope] })
    objectIn(await api.post(`${core}/pods`, body), 201)
    expect(await used()).toEqual({ pods })
  })

  const ports = [{ port: 80 }]

  test.each([
    ["services", { spec: { type: "LoadBalancer", ports } }, { services: "1", "services.nodeports": "1", "services.loadbalancers": "1" }],
    [
      "persistentvolumeclaims",
      { spec: { accessModes: ["ReadWriteOnce"], storageClassName: "fast", resources: { requests: { storage: "2Gi" } } } },
      { persistentvolumeclaims: "1", "requests.storage": "2Gi", "fast.storageclass.storage.k8s.io/requests.storage": "2Gi" },
    ],
    ["secrets", {}, { secrets: "1", "count/secrets": "1" }],
    [
      "resourceclaims",
      { spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "gpu", count: 2 } }] } } },
      { "count/resourceclaims.resource.k8s.io": "1", "gpu.deviceclass.resource.k8s.io/devices": "2" },
    ],
  ])("%s are counted by what they take", async (plural, body, expected) => {
    const group = plural === "resourceclaims" ? "/apis/resource.k8s.io/v1/namespaces/default" : core
    const { api, used } = await withQuota(Object.fromEntries(Object.keys(expected).map((name) => [name, "9Gi"])))
    objectIn(await api.post(`${group}/${plural}`, { metadata: { name: "a" }, ...body }), 201)
    expect(await used()).toEqual(expected)
  })

  test("a claim of more devices of a class than there is room for is refused (seen)", async () => {
    const { api } = await withQuota({ "gpu.deviceclass.resource.k8s.io/devices": "3" })
    const claim = (name: string, allocationMode: string, count?: number) =>
      api.post("/apis/resource.k8s.io/v1/namespaces/default/resourceclaims", {
        metadata: { name },
        spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "gpu", allocationMode, count } }] } },
      })
    objectIn(await claim("a", "ExactCount", 2), 201)
    const exceeded = (requested: number) =>
      `exceeded quota: q, requested: gpu.deviceclass.resource.k8s.io/devices=${requested}, used: gpu.deviceclass.resource.k8s.io/devices=2, limited: gpu.deviceclass.resource.k8s.io/devices=3`
    for (const [answer, requested] of [
      [await claim("b", "ExactCount", 2), 2],
      [await claim("b", "All"), 32],
    ] as const) {
      expect(statusIn(answer)).toMatchObject({
        code: 403,
        message: `resourceclaims.resource.k8s.io "b" is forbidden: ${exceeded(requested)}`,
      })
    }
    objectIn(await claim("b", "ExactCount", 1), 201)
  })

  test("a change is charged for what it takes more", async () => {
    const { api, used } = await withQuota({ "services.nodeports": "1" })
    await api.post(`${core}/services`, { metadata: { name: "a" }, spec: { ports } })
    objectIn(await api.patch(`${core}/services/a`, "merge", { spec: { type: "NodePort" } }))
    expect(await used()).toEqual({ "services.nodeports": "1" })
    const more = { spec: { ports: [...ports, { name: "b", port: 81 }].map((port, index) => ({ name: `n${index}`, ...port })) } }
    expect(statusIn(await api.patch(`${core}/services/a`, "merge", more))).toMatchObject({ code: 403 })
  })
})
