import { expect, test } from "vitest"
import { everyWay, objectIn, statusIn } from "../../testing/server.ts"

const core = "/api/v1/namespaces/default"
const devices = "/apis/resource.k8s.io/v1"
const claims = `${devices}/namespaces/default/resourceclaims`
const implicit = "requests.deviceclass.resource.kubernetes.io/"

// `npm run test:real -- quota` holds the same beside a real server.
everyWay("quota of devices as extended resources", (testServer) => {
  async function withQuota(hard: Record<string, string>) {
    const api = testServer()
    const quota = `${core}/resourcequotas/q`
    objectIn(
      await api.post(`${devices}/deviceclasses`, { metadata: { name: "gpu" }, spec: { extendedResourceName: "example.com/gpu" } }),
      201,
    )
    objectIn(await api.post(`${core}/resourcequotas`, { metadata: { name: "q" }, spec: { hard } }), 201)
    const used = Object.fromEntries(Object.keys(hard).map((name) => [name, "0"]))
    objectIn(await api.patch(`${quota}/status`, "merge", { status: { hard, used } }))
    const claim = (name: string, count: number, { of = "gpu", metadata = {} } = {}) =>
      api.post(claims, {
        metadata: { name, ...metadata },
        spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: of, count } }] } },
      })
    const pod = (name: string, amounts: object) =>
      api.post(`${core}/pods`, {
        metadata: { name },
        spec: { containers: [{ name: "c", image: "i", resources: { requests: amounts, limits: amounts } }] },
      })
    return { api, claim, pod, used: async () => objectIn(await api.get(quota)).status?.used }
  }

  /** As the scheduler makes a claim for the extended resources of a pod. */
  const madeFor = (name: string, uid: string | undefined) => ({
    annotations: { "resource.kubernetes.io/extended-resource-claim": "true" },
    ownerReferences: [{ apiVersion: "v1", kind: "Pod", name, uid, controller: true }],
  })

  test("a pod and a claim take of the same (seen)", async () => {
    const { claim, pod, used } = await withQuota({ "requests.example.com/gpu": "4" })
    objectIn(await pod("p", { "example.com/gpu": "2" }), 201)
    objectIn(await claim("a", 1), 201)
    expect(await used()).toEqual({ "requests.example.com/gpu": "3" })
    expect(statusIn(await claim("b", 2))).toMatchObject({
      code: 403,
      message:
        'resourceclaims.resource.k8s.io "b" is forbidden: exceeded quota: q, requested: requests.example.com/gpu=2, used: requests.example.com/gpu=3, limited: requests.example.com/gpu=4',
    })
  })

  test("a class that does not exist takes nothing of a quota of it alone (seen)", async () => {
    const alone = await withQuota({ [`${implicit}ghost`]: "0" })
    objectIn(await alone.claim("a", 1, { of: "ghost" }), 201)
    expect(await alone.used()).toEqual({ [`${implicit}ghost`]: "0" })
  })

  test("with the number of claims in the same quota its devices are limited (seen)", async () => {
    const { claim, used } = await withQuota({ [`${implicit}ghost`]: "1", "count/resourceclaims.resource.k8s.io": "5" })
    objectIn(await claim("a", 1, { of: "ghost" }), 201)
    expect(await used()).toEqual({ [`${implicit}ghost`]: "1", "count/resourceclaims.resource.k8s.io": "1" })
    expect(statusIn(await claim("b", 1, { of: "ghost" }))).toMatchObject({ code: 403 })
  })

  test("what the scheduler claims for a pod is charged to the pod; a second claim of the pod is charged itself (seen)", async () => {
    const { claim, pod, used } = await withQuota({ "requests.example.com/gpu": "3", [`${implicit}gpu`]: "9" })
    const { metadata } = objectIn(await pod("p", { "example.com/gpu": "2" }), 201)
    objectIn(await claim("a", 2, { metadata: madeFor("p", metadata.uid) }), 201)
    expect(await used()).toEqual({ "requests.example.com/gpu": "2", [`${implicit}gpu`]: "2" })
    objectIn(await claim("b", 1, { metadata: madeFor("p", metadata.uid) }), 201)
    expect(await used()).toEqual({ "requests.example.com/gpu": "3", [`${implicit}gpu`]: "3" })
  })

  test("a claim that is no longer its pod's is charged for that (seen)", async () => {
    const { api, claim, pod, used } = await withQuota({ "requests.example.com/gpu": "3" })
    const { metadata } = objectIn(await pod("p", { "example.com/gpu": "1" }), 201)
    objectIn(await claim("a", 1, { metadata: madeFor("p", metadata.uid) }), 201)
    expect(await used()).toEqual({ "requests.example.com/gpu": "1" })
    objectIn(await api.patch(`${claims}/a`, "merge", { metadata: { annotations: null } }))
    expect(await used()).toEqual({ "requests.example.com/gpu": "2" })
  })

  test.each([["gpu"], [""], ["kubernetes.io/gpu"], ["requests.example.com/gpu"], ["deviceclass.resource.kubernetes.io/gpu"]])(
    "a class cannot stand for %j (seen)",
    async (name) => {
      const refused = await testServer().post(`${devices}/deviceclasses`, {
        metadata: { name: "bad" },
        spec: { extendedResourceName: name },
      })
      expect(statusIn(refused)).toMatchObject({
        code: 422,
        message: `DeviceClass.resource.k8s.io "bad" is invalid: spec.extendedResourceName: Invalid value: "${name}": must be a valid extended resource name`,
      })
    },
  )
})
