import { expect, test } from "vitest"
import { kubePod, kubeService, kubeSlice } from "../../testing/kube-objects.ts"
import { registryFixture } from "../../testing/registry-fixture.ts"

const host = "web.shop.svc.cluster.local"
const ports = [
  { name: "http", port: 80 },
  { name: "admin", port: 90 },
]
const slicePorts = [
  { name: "http", port: 8080 },
  { name: "admin", port: 9090 },
]
const pods = [
  kubePod("shop/web-1", { ip: "10.0.0.1", labels: { v: "1", a: "x" } }),
  kubePod("shop/web-2", { ip: "10.0.0.2", labels: { v: "2" } }),
]
const endpoints = [
  { ip: "10.0.0.1", pod: "web-1" },
  { ip: "10.0.0.2", pod: "web-2" },
]

async function asked(port: number, labels?: readonly Record<string, string>[], slice = {}) {
  await using f = await registryFixture({
    objects: [kubeService("shop/web", { ports }), ...pods, kubeSlice("shop/web-1", { ports: slicePorts, endpoints, ...slice })],
  })
  return f.registry
    .instancesByPort(host, port, labels)
    .map(({ endpoint, servicePort }) => `${endpoint.addresses[0]}:${endpoint.port} behind ${servicePort.port}`)
}

test("a port is found by its name", async () => expect(await asked(90)).toEqual(["10.0.0.1:9090 behind 90", "10.0.0.2:9090 behind 90"]))

test("a port that the service does not have: none, and no error", async () => expect(await asked(81)).toEqual([]))

test("port 0 is all ports, each endpoint behind its own", async () =>
  expect(await asked(0)).toEqual([
    "10.0.0.1:8080 behind 80",
    "10.0.0.1:9090 behind 90",
    "10.0.0.2:8080 behind 80",
    "10.0.0.2:9090 behind 90",
  ]))

test("an endpoint port without a name stands behind every port", async () =>
  expect(await asked(90, undefined, { ports: [{ port: 7000 }] })).toEqual(["10.0.0.1:7000 behind 90", "10.0.0.2:7000 behind 90"]))

const labelled: readonly (readonly [what: string, sets: readonly Record<string, string>[], expected: readonly string[]])[] = [
  ["no set matches every instance", [], ["10.0.0.1", "10.0.0.2"]],
  ["a set matches instances with all of its pairs", [{ v: "1" }], ["10.0.0.1"]],
  ["of several sets one is enough", [{ v: "1", a: "x" }, { v: "2" }], ["10.0.0.1", "10.0.0.2"]],
  ["a pair more than the pod has", [{ v: "2", a: "x" }], []],
  ["an empty set matches every instance", [{}], ["10.0.0.1", "10.0.0.2"]],
]
for (const [what, sets, expected] of labelled)
  test(`labels: ${what}`, async () => expect((await asked(80, sets)).map((line) => line.split(":")[0])).toEqual(expected))

test("only healthy ones", async () => {
  expect(await asked(80, undefined, { endpoints: [endpoints[0], { ...endpoints[1], ready: false }] })).toEqual(["10.0.0.1:8080 behind 80"])
})

test("two services in two namespaces, networks by range: each has its own", async () => {
  const mesh = JSON.stringify({
    networks: { one: { endpoints: [{ fromCidr: "10.10.1.0/24" }] }, two: { endpoints: [{ fromCidr: "10.11.1.0/24" }] } },
  })
  const objects = [
    { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "istio-system", name: "istio" }, data: { meshNetworks: mesh } },
    kubeService("shop/web"),
    kubePod("shop/web-1", { ip: "10.10.1.1" }),
    kubePod("shop/web-2", { ip: "10.11.1.2" }),
    kubeSlice("shop/web-1", {
      endpoints: [
        { ip: "10.10.1.1", pod: "web-1" },
        { ip: "10.11.1.2", pod: "web-2" },
      ],
    }),
  ]
  await using f = await registryFixture({ meshNetworks: { configMap: { name: "istio-system/istio" } }, objects })
  expect(f.registry.instancesByPort(host, 80).map(({ endpoint }) => endpoint.network)).toEqual(["one", "two"])
})

test("accounts: those of the pods behind the asked ports, and both kinds of annotation", async () => {
  const annotations = { "alpha.istio.io/kubernetes-serviceaccounts": "k1", "alpha.istio.io/canonical-serviceaccounts": "c1@example.com" }
  const accountPods = [kubePod("shop/web-1", { ip: "10.0.0.1", account: "a1" }), kubePod("shop/web-2", { ip: "10.0.0.2", account: "a2" })]
  const objects = [
    kubeService("shop/web", { ports }, { annotations }),
    kubeService("shop/empty"),
    ...accountPods,
    kubeSlice("shop/web-1", { ports: slicePorts, endpoints }),
  ]
  await using f = await registryFixture({ objects })
  const spiffe = (account: string) => `spiffe://cluster.local/ns/shop/sa/${account}`
  expect(f.registry.serviceAccounts(host, [80])).toEqual(["c1@example.com", spiffe("a1"), spiffe("a2"), spiffe("k1")])
  expect(f.registry.serviceAccounts(host, [])).toEqual(["c1@example.com", spiffe("k1")])
  expect(f.registry.serviceAccounts("empty.shop.svc.cluster.local", [80])).toEqual([])
})
