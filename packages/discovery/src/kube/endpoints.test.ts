import type { Pod } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { wantsUnhealthy } from "../model/unhealthy.ts"
import { type EndpointShape, kubeNode, kubePod, kubeService, kubeSlice, type SliceShape } from "../testing/kube-objects.ts"
import { type RegistryFixture, registryFixture } from "../testing/registry-fixture.ts"

const host = "web.shop.svc.cluster.local"
const pods = [1, 2].map((n) => kubePod(`shop/web-${n}`, { ip: `10.0.0.${n}` }))

async function withSlice(endpoint: Partial<EndpointShape>, service = {}, labels = {}): Promise<RegistryFixture> {
  const slice = kubeSlice("shop/web-1", { endpoints: [{ ip: "10.0.0.1", pod: "web-1", ...endpoint }] })
  return registryFixture({ objects: [kubeService("shop/web", service, { labels }), ...pods, slice] })
}

const session = { "istio.io/persistent-session": "cookie" }
const health: readonly (readonly [
  what: string,
  endpoint: Partial<EndpointShape>,
  service: object,
  labels: object,
  expected: readonly string[],
])[] = [
  ["nothing said is ready", {}, {}, {}, ["healthy"]],
  ["ready", { ready: true }, {}, {}, ["healthy"]],
  ["not ready", { ready: false }, {}, {}, ["unhealthy"]],
  ["ready and terminating, as slices of services that publish everything say", { ready: true, terminating: true }, {}, {}, ["healthy"]],
  ["terminating", { ready: false, terminating: true }, {}, {}, []],
  ["terminating and serving", { ready: false, serving: true, terminating: true }, {}, {}, []],
  ["terminating and serving, with sessions to keep", { ready: false, serving: true, terminating: true }, {}, session, ["draining"]],
  [
    "terminating and serving, with sessions kept by a header",
    { ready: false, serving: true, terminating: true },
    {},
    { "istio.io/persistent-session-header": "x" },
    ["draining"],
  ],
  ["terminating and not serving, with sessions to keep", { ready: false, serving: false, terminating: true }, {}, session, []],
  ["not ready, and the service publishes that", { ready: false }, { publishNotReadyAddresses: true }, {}, ["healthy"]],
]
for (const [what, endpoint, service, labels, expected] of health)
  test(`health: ${what}`, async () => {
    await using f = await withSlice(endpoint, service, labels)
    expect(f.registry.endpoints(host).map((one) => one.health)).toEqual(expected)
  })

test("a new endpoint is ignored until it is ready", async () => {
  await using f = await withSlice({})
  f.told()
  const two = (ready: boolean) =>
    kubeSlice("shop/web-1", {
      endpoints: [
        { ip: "10.0.0.1", pod: "web-1" },
        { ip: "10.0.0.2", pod: "web-2", ready },
      ],
    })
  await f.put(two(false))
  expect([f.told(), f.registry.endpoints(host).length]).toEqual([[], 2])
  await f.put(two(true))
  expect(f.told()).toEqual(["endpoints web.shop"])
  await f.put(two(false))
  expect(f.told()).toEqual(["endpoints web.shop fewer"])
})

test("unless clients want to know: those that prefer near endpoints", async () => {
  await using f = await withSlice({}, { trafficDistribution: "PreferClose" })
  f.told()
  await f.put(
    kubeSlice("shop/web-1", {
      endpoints: [
        { ip: "10.0.0.1", pod: "web-1" },
        { ip: "10.0.0.2", pod: "web-2", ready: false },
      ],
    }),
  )
  expect([f.told(), wantsUnhealthy(f.registry.getService(host)!)]).toEqual([["endpoints web.shop"], true])
})

const ignored: readonly (readonly [what: string, slice: SliceShape])[] = [
  ["of an imported service", { labels: { "multicluster.kubernetes.io/service-name": "web", "kubernetes.io/service-name": "web" } }],
  ["whose addresses are names", { addressType: "FQDN" }],
  ["that names no service", { labels: {} }],
]
for (const [what, shape] of ignored)
  test(`a slice ${what} is ignored`, async () => {
    const slice = kubeSlice("shop/web-1", {
      ...shape,
      endpoints: [
        { ip: "10.0.0.1", pod: "web-1" },
        { ip: "10.0.0.9", pod: "unknown" },
      ],
    })
    await using f = await registryFixture({ objects: [kubeService("shop/web"), ...pods, slice] })
    expect([f.endpoints(host), f.registry.state.waiting.count]).toEqual([[], 0])
  })

test("a slice that is given to another service takes its endpoints there", async () => {
  const api = "api.shop.svc.cluster.local"
  await using f = await withSlice({})
  await f.put(kubeService("shop/api"))
  f.told()
  await f.put(kubeSlice("shop/web-1", { service: "api", endpoints: [{ ip: "10.0.0.1", pod: "web-1" }] }))
  expect([f.endpoints(host), f.endpoints(api), f.told()]).toEqual([
    [],
    ["10.0.0.1:8080 healthy"],
    ["endpoints web.shop fewer", "endpoints api.shop"],
  ])
})

test("two families: one endpoint with both addresses of the pod, told by the first slice only", async () => {
  const pod = kubePod("shop/web-1", { ips: ["10.0.0.1", "fd00::1"] })
  const four = kubeSlice("shop/web-1", { endpoints: [{ ip: "10.0.0.1", pod: "web-1" }] })
  const six = kubeSlice("shop/web-2", { addressType: "IPv6", endpoints: [{ ip: "fd00::1", pod: "web-1" }, { ip: "fd00::9" }] })
  await using f = await registryFixture({ objects: [kubeService("shop/web", { clusterIPs: ["10.96.0.1", "fd00::96"] }), pod, four, six] })
  expect(f.endpoints(host)).toEqual(["10.0.0.1+fd00::1:8080 healthy", "fd00::9:8080 healthy"])
})

test("one family: a service in IPv6 uses its slice, and a pod has one address in it", async () => {
  const pod = kubePod("shop/web-1", { ips: ["10.0.0.1", "fd00::1"] })
  const six = kubeSlice("shop/web-2", { addressType: "IPv6", endpoints: [{ ip: "fd00::1", pod: "web-1" }] })
  await using f = await registryFixture({ objects: [kubeService("shop/web", { clusterIPs: ["fd00::96"] }), pod, six] })
  expect(f.endpoints(host)).toEqual(["fd00::1:8080 healthy"])
})

test("two families: a pod that has only IPv6 is not lost", async () => {
  const pod = kubePod("shop/web-1", { ips: ["fd00::1"] })
  const six = kubeSlice("shop/web-2", { addressType: "IPv6", endpoints: [{ ip: "fd00::1", pod: "web-1" }] })
  await using f = await registryFixture({ objects: [kubeService("shop/web", { clusterIPs: ["10.96.0.1", "fd00::96"] }), pod, six] })
  expect(f.endpoints(host)).toEqual(["fd00::1:8080 healthy"])
})

test("a service that gets its second family notifies of its endpoints again", async () => {
  const pod = kubePod("shop/web-1", { ips: ["10.0.0.1", "fd00::1"] })
  await using f = await registryFixture({
    objects: [kubeService("shop/web"), pod, kubeSlice("shop/web-1", { endpoints: [{ ip: "10.0.0.1", pod: "web-1" }] })],
  })
  expect(f.endpoints(host)).toEqual(["10.0.0.1:8080 healthy"])
  await f.put(kubeService("shop/web", { clusterIPs: ["10.96.0.10", "fd00::96"] }))
  expect(f.endpoints(host)).toEqual(["10.0.0.1+fd00::1:8080 healthy"])
})

test("a change of the service alone reaches its endpoints", async () => {
  await using f = await withSlice({ ready: false })
  await f.put(kubeService("shop/web", { publishNotReadyAddresses: true }))
  expect(f.endpoints(host)).toEqual(["10.0.0.1:8080 healthy"])
})

test("a node's labels say where its endpoints and its workloads are, whenever they come", async () => {
  await using f = await withSlice({})
  f.told()
  const place = { "topology.kubernetes.io/region": "r1", "topology.kubernetes.io/zone": "z1" }
  const workloads = ["workload 10.0.0.1", "workload 10.0.0.2"]
  await f.put(kubeNode("node-1", place))
  expect([f.told(), f.registry.endpoints(host)[0]?.locality]).toEqual([
    [...workloads, "endpoints web.shop"],
    { region: "r1", zone: "z1", subzone: "" },
  ])
  await f.put(kubeNode("node-1", { ...place, another: "label" }))
  expect(f.told()).toEqual([])
  await f.remove(kubeNode("node-1", place))
  expect(f.told()).toEqual([...workloads, "endpoints web.shop"])
})

test("and of addresses without a pod, by the node that the slice names", async () => {
  await using f = await withSlice({ pod: undefined, ip: "10.0.0.77", node: "node-7" })
  await f.put(kubeNode("node-7", { "topology.kubernetes.io/region": "r7" }))
  expect(f.registry.endpoints(host)[0]).toMatchObject({ node: "node-7", locality: { region: "r7" }, identity: "", labels: {} })
})

test("and where a pod stands at such an address, by the labels of its node, whenever they change", async () => {
  await using f = await withSlice({ pod: undefined, ip: "10.0.0.1", node: "elsewhere" })
  await f.put(kubeNode("node-1", { "topology.kubernetes.io/region": "r1" }))
  expect(f.registry.endpoints(host)[0]).toMatchObject({ node: "node-1", locality: { region: "r1" } })
})

test("an address without a pod reference takes what it can from a pod of its namespace at that address", async () => {
  await using f = await withSlice({ pod: undefined, ip: "10.0.0.5" })
  expect(f.registry.endpoints(host)[0]?.pod).toBeUndefined()
  await f.put(kubePod("other/x", { ip: "10.0.0.5", labels: { app: "x" } }))
  expect(f.registry.endpoints(host)[0]?.pod).toBeUndefined()
  await f.put(kubePod("shop/y", { ip: "10.0.0.5", labels: { app: "y" }, account: "yy" }))
  expect(f.registry.endpoints(host)[0]).toMatchObject({ pod: "y", labels: { app: "y" }, identity: "spiffe://cluster.local/ns/shop/sa/yy" })
})

test("what an endpoint says of its pod: identity, workload, node", async () => {
  const owner = { kind: "ReplicaSet", name: "web-5d8f" }
  const pod = kubePod("shop/web-1", { ip: "10.0.0.1", account: "shopper", labels: { "pod-template-hash": "5d8f" }, owner })
  const slice = kubeSlice("shop/web-1", { endpoints: [{ ip: "10.0.0.1", pod: "web-1" }] })
  await using f = await registryFixture({ trustDomain: "td", cluster: "east", objects: [kubeService("shop/web"), pod, slice] })
  expect(f.registry.endpoints(host)[0]).toMatchObject({
    identity: "spiffe://td/ns/shop/sa/shopper",
    workload: "web",
    pod: "web-1",
    node: "node-1",
    cluster: "east",
  })
})

test("a pod that names no account has its namespace's default one, as the API server would fill in", async () => {
  const named = kubePod("shop/web-1", { ip: "10.0.0.1" })
  const { serviceAccountName: _none, ...spec } = named.spec!
  const pod: Pod = { ...named, spec }
  const slice = kubeSlice("shop/web-1", { endpoints: [{ ip: "10.0.0.1", pod: "web-1" }] })
  await using f = await registryFixture({ objects: [kubeService("shop/web"), pod, slice] })
  expect(f.registry.endpoints(host)[0]?.identity).toBe("spiffe://cluster.local/ns/shop/sa/default")
})

test("a workload that is no ReplicaSet keeps its name", async () => {
  const pod = kubePod("shop/web-1", { ip: "10.0.0.1", owner: { kind: "StatefulSet", name: "web" } })
  await using f = await registryFixture({
    objects: [kubeService("shop/web"), pod, kubeSlice("shop/web-1", { endpoints: [{ ip: "10.0.0.1", pod: "web-1" }] })],
  })
  expect(f.registry.endpoints(host)[0]?.workload).toBe("web")
})

test("an endpoint port without a name is that of a service with a single port", async () => {
  const slice = kubeSlice("shop/web-1", { ports: [{ port: 7000 }], endpoints: [{ ip: "10.0.0.1" }] })
  await using f = await registryFixture({ objects: [kubeService("shop/web"), slice] })
  expect(f.registry.endpoints(host)[0]).toMatchObject({ portName: "http", port: 7000 })
})

test("resourceVersions that come and go are counted and no news", async () => {
  await using f = await withSlice({})
  f.told()
  const slice = kubeSlice("shop/web-1", { endpoints: [{ ip: "10.0.0.1", pod: "web-1" }] })
  await f.put({ ...slice, metadata: { ...slice.metadata, annotations: { "endpoints.kubernetes.io/last-change-trigger-time": "now" } } })
  expect([
    f.told(),
    f.metrics.value("pilot_k8s_reg_events", { cluster: "Kubernetes", type: "EndpointSlices", event: "updatesame" }),
  ]).toEqual([[], 1])
})

test("a thousand addresses that came and went leave nothing behind", async () => {
  await using f = await withSlice({})
  for (let round = 0; round < 100; round++) {
    const endpoints = Array.from({ length: 10 }, (_, n) => ({ ip: `10.9.${round}.${n}` }))
    f.kube.put(kubeSlice("shop/web-1", { endpoints }))
    await f.clock.settle()
  }
  expect([f.registry.endpoints(host).length, f.registry.state.handled.size]).toEqual([10, 1])
})
