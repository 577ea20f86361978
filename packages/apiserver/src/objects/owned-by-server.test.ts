import { expect, test } from "vitest"
import { everyWay, objectIn, type TestServer } from "../testing/server.ts"

const inDefault = "/api/v1/namespaces/default"
const cluster = (group: string, plural: string) => `/apis/${group}/v1/${plural}`
const flow = "flowcontrol.apiserver.k8s.io"
const producer = "api-priority-and-fairness-config-producer-v1 Update"

async function managers(api: TestServer, path: string) {
  const { metadata } = objectIn(await api.askShown("GET", path))
  return Object.fromEntries(
    (metadata.managedFields ?? []).map(({ manager, operation, subresource, fieldsV1 }) => [
      [manager, operation, subresource].filter(Boolean).join(" "),
      fieldsV1,
    ]),
  )
}

const set = (...elements: readonly string[]) => Object.fromEntries(elements.map((element) => [element, {}]))
const port = { ".": {}, ...set("f:name", "f:port", "f:protocol", "f:targetPort") }
const condition = (type: string, ...more: readonly string[]) => ({
  "f:conditions": { [`k:{"type":"${type}"}`]: { ".": {}, ...set("f:lastTransitionTime", "f:message", ...more, "f:type") } },
})

// `npm run test:real -- managers` holds all of them beside a real server.
everyWay("what the server writes itself", (testServer) => {
  test.each<[path: string, owners: object]>([
    [
      "/api/v1/namespaces/kube-system",
      { "kube-apiserver Update": { "f:metadata": { "f:labels": { ".": {}, "f:kubernetes.io/metadata.name": {} } } } },
    ],
    [
      `${inDefault}/services/kubernetes`,
      {
        "kube-apiserver Update": {
          "f:metadata": { "f:labels": { ".": {}, ...set("f:component", "f:provider") } },
          "f:spec": {
            ...set("f:clusterIP", "f:internalTrafficPolicy", "f:ipFamilyPolicy"),
            "f:ports": { ".": {}, 'k:{"port":443,"protocol":"TCP"}': port },
            ...set("f:sessionAffinity", "f:type"),
          },
        },
      },
    ],
    [
      cluster(flow, "flowschemas/exempt"),
      {
        "api-priority-and-fairness-config-consumer-v1 Apply status": { "f:status": condition("Dangling", "f:reason", "f:status") },
        [producer]: {
          "f:metadata": { "f:annotations": { ".": {}, "f:apf.kubernetes.io/autoupdate-spec": {} } },
          "f:spec": { "f:matchingPrecedence": {}, "f:priorityLevelConfiguration": { "f:name": {} }, "f:rules": {} },
        },
      },
    ],
    [
      cluster("networking.k8s.io", "servicecidrs/kubernetes"),
      {
        "kube-apiserver Update": { "f:spec": { "f:cidrs": {} } },
        "kubernetes-service-cidr-controller Apply status": { "f:status": condition("Ready", "f:status") },
      },
    ],
  ])("%s has the managers of upstream's", async (path, owners) => {
    expect(await managers(testServer({ serviceClusterIpRange: "10.96.0.0/16" }), path)).toEqual(owners)
  })

  test("the IPAddress of a Service is the server's and not that of the Service's creator", async () => {
    const api = testServer()
    const { spec } = objectIn(await api.post(`${inDefault}/services`, { metadata: { name: "web" }, spec: { ports: [{ port: 80 }] } }), 201)
    const { clusterIP = "" } = spec as { readonly clusterIP?: string }
    expect(await managers(api, cluster("networking.k8s.io", `ipaddresses/${clusterIP}`))).toEqual({
      "kube-apiserver Update": {
        "f:metadata": {
          "f:labels": { ".": {}, ...set("f:ipaddress.kubernetes.io/ip-family", "f:ipaddress.kubernetes.io/managed-by") },
        },
        "f:spec": { "f:parentRef": { ".": {}, ...set("f:name", "f:namespace", "f:resource") } },
      },
    })
  })

  const quota = `${inDefault}/resourcequotas/q`

  async function charged(api: TestServer): Promise<void> {
    const hard = { configmaps: "9", secrets: "9" }
    objectIn(await api.post(`${inDefault}/resourcequotas`, { metadata: { name: "q" }, spec: { hard } }), 201)
    const used = { configmaps: "0", secrets: "0" }
    objectIn(await api.patch(`${quota}/status`, "merge", { status: { hard, used } }, { fieldManager: "counter" }))
  }

  test("what a quota is charged with passes from its controller to the server", async () => {
    const api = testServer()
    await charged(api)
    objectIn(await api.post(`${inDefault}/configmaps`, { metadata: { name: "a" } }), 201)
    expect(await managers(api, quota)).toMatchObject({
      "counter Update status": {
        "f:status": {
          "f:hard": { ".": {}, ...set("f:configmaps", "f:secrets") },
          "f:used": { ".": {}, "f:secrets": {} },
        },
      },
      "kube-apiserver Update status": { "f:status": { "f:used": { "f:configmaps": {} } } },
    })
    const counter = (await managers(api, quota))["counter Update status"] as { "f:status": { "f:used": object } }
    expect(counter["f:status"]["f:used"]).not.toHaveProperty("f:configmaps")
  })

  test("a quota that is not tracked stays so when it is charged", async () => {
    const api = testServer()
    await charged(api)
    objectIn(await api.patch(quota, "merge", { metadata: { managedFields: [{}] } }))
    objectIn(await api.post(`${inDefault}/configmaps`, { metadata: { name: "a" } }), 201)
    expect(await managers(api, quota)).toEqual({})
  })

  test("the spending of a disruption budget is the server's", async () => {
    const api = testServer()
    const budget = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
    objectIn(await api.post(budget, { metadata: { name: "b" }, spec: { selector: { matchLabels: { a: "b" } } } }), 201)
    const status = { observedGeneration: 1, disruptionsAllowed: 2, currentHealthy: 1, desiredHealthy: 0, expectedPods: 1 }
    objectIn(await api.patch(`${budget}/b/status`, "merge", { status }))
    const spec = { containers: [{ name: "c", image: "i" }] }
    objectIn(await api.post(`${inDefault}/pods`, { metadata: { name: "p", labels: { a: "b" } }, spec }), 201)
    objectIn(
      await api.patch(`${inDefault}/pods/p/status`, "merge", {
        status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
      }),
    )
    objectIn(await api.post(`${inDefault}/pods/p/eviction`, { metadata: { name: "p" } }), 201)
    expect((await managers(api, `${budget}/b`))["kube-apiserver Update status"]).toEqual({
      "f:status": { "f:disruptedPods": { ".": {}, "f:p": {} }, "f:disruptionsAllowed": {} },
    })
  })
})
