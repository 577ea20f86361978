import type { Service } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { kubePod, kubeService, kubeSlice } from "../testing/kube-objects.ts"
import { registryFixture } from "../testing/registry-fixture.ts"

const host = "web.shop.svc.cluster.local"

test("four services, sorted, with their addresses and ports", async () => {
  const objects = ["d", "b", "a", "c"].map((name, at) => kubeService(`shop/${name}`, { clusterIP: `10.96.0.${at}` }))
  await using f = await registryFixture({ objects })
  expect(f.registry.services().map(({ name, addresses, ports }) => [name, addresses.Kubernetes, ports[0]?.port])).toEqual([
    ["a", ["10.96.0.2"], 80],
    ["b", ["10.96.0.1"], 80],
    ["c", ["10.96.0.3"], 80],
    ["d", ["10.96.0.0"], 80],
  ])
  expect(f.registry.getService("unknown.shop.svc.cluster.local")).toBeUndefined()
})

test("a service that is added, changed and deleted notifies of that", async () => {
  await using f = await registryFixture()
  f.told()
  await f.put(kubeService("shop/web"))
  await f.put(kubeService("shop/web", { clusterIP: "10.96.0.99" }))
  await f.remove(kubeService("shop/web"))
  expect(f.told()).toEqual(["service web.shop added", "service web.shop updated", "service web.shop deleted"])
})

const base = kubeService("shop/web")
const port = base.spec!.ports![0]!
const pushes: readonly (readonly [what: string, after: Service, told: boolean])[] = [
  ["nothing", base, false],
  ["an irrelevant annotation", kubeService("shop/web", {}, { annotations: { note: "x" } }), false],
  ["a label", kubeService("shop/web", {}, { labels: { a: "b" } }), true],
  ["a target port", kubeService("shop/web", { ports: [{ ...port, targetPort: 9090 }] }), true],
  ["a named target port", kubeService("shop/web", { ports: [{ ...port, targetPort: "http" }] }), true],
  ["a port's number", kubeService("shop/web", { ports: [{ ...port, port: 81 }] }), true],
  ["one more port", kubeService("shop/web", { ports: [port, { name: "admin", port: 90 }] }), true],
  ["the selector", kubeService("shop/web", { selector: { app: "other" } }), true],
  ["an exportTo", kubeService("shop/web", {}, { annotations: { "networking.istio.io/exportTo": "." } }), true],
  ["session affinity, which clients are not told", kubeService("shop/web", { sessionAffinity: "ClientIP" }), false],
]
for (const [what, after, told] of pushes)
  test(`a change of ${what} is ${told ? "" : "not "}told`, async () => {
    await using f = await registryFixture({ objects: [base] })
    f.told()
    await f.put(after)
    expect(f.told()).toEqual(told ? ["service web.shop updated"] : [])
  })

test("a service that no namespace may see is not notified until one may", async () => {
  const hidden = (spec = {}) => kubeService("shop/web", spec, { annotations: { "networking.istio.io/exportTo": "~" } })
  await using f = await registryFixture()
  f.told()
  await f.put(hidden())
  await f.put(hidden({ clusterIP: "10.96.0.99" }))
  await f.put(kubePod("shop/web-1"), kubeSlice("shop/web-1", { endpoints: [{ ip: "10.0.0.1", pod: "web-1" }] }))
  expect(f.told().filter((line) => !line.startsWith("workload"))).toEqual([])
  await f.put(kubeService("shop/web"))
  expect([f.told(), f.endpoints(host)]).toEqual([["service web.shop updated"], ["10.0.0.1:8080 healthy"]])
})

test("the deletion of a hidden service is notified, so that subscribers forget it", async () => {
  const hidden = kubeService("shop/web", {}, { annotations: { "networking.istio.io/exportTo": "~" } })
  await using f = await registryFixture({ objects: [hidden] })
  f.told()
  await f.remove(hidden)
  expect([f.told(), f.registry.services()]).toEqual([["service web.shop deleted"], []])
})

test("ExternalName: by DNS, one instance per port with the name as address and the Service's labels, all gone with it", async () => {
  const ports = [
    { name: "http", port: 80 },
    { name: "tcp", port: 90 },
  ]
  const object = kubeService(
    "shop/web",
    { type: "ExternalName", externalName: "api.example.com", clusterIP: "", ports },
    { labels: { v: "1" } },
  )
  await using f = await registryFixture()
  await f.put(object)
  expect(f.registry.getService(host)?.resolution).toBe("dns")
  expect(f.endpoints(host)).toEqual(["api.example.com:80 healthy", "api.example.com:90 healthy"])
  const instances = (asked: number, labels?: readonly Record<string, string>[]) =>
    f.registry.instancesByPort(host, asked, labels).map(({ endpoint }) => `${endpoint.addresses[0]}:${endpoint.port}`)
  expect([instances(80), instances(0), instances(81)]).toEqual([["api.example.com:80"], ["api.example.com:80", "api.example.com:90"], []])
  expect([instances(80, [{ v: "1" }]), instances(80, [{ v: "2" }])]).toEqual([["api.example.com:80"], []])
  await f.remove(object)
  expect([f.registry.services(), f.registry.endpoints(host)]).toEqual([[], []])
})

test("slices that are left over at an ExternalName are not used", async () => {
  const slice = kubeSlice("shop/out-1", { endpoints: [{ ip: "10.0.0.9" }], service: "out" })
  await using f = await registryFixture({
    objects: [kubeService("shop/out", { type: "ExternalName", externalName: "example.org" }), slice],
  })
  expect(f.endpoints("out.shop.svc.cluster.local")).toEqual(["example.org:80 healthy"])
})

test("an ExternalName that becomes an ordinary service loses its instances", async () => {
  await using f = await registryFixture({ objects: [kubeService("shop/web", { type: "ExternalName", externalName: "api.example.com" })] })
  expect(f.registry.endpoints(host)).toHaveLength(1)
  await f.put(kubeService("shop/web"))
  expect([f.registry.endpoints(host), f.registry.getService(host)?.resolution]).toEqual([[], "client-side"])
})

test("an ExternalName as an alias has no endpoints, and says for whom it stands", async () => {
  const object = kubeService("shop/web", { type: "ExternalName", externalName: "api.example.com" })
  await using f = await registryFixture({ externalNames: "alias", objects: [object] })
  expect([f.registry.endpoints(host), f.registry.getService(host)?.aliasOf]).toEqual([[], "api.example.com"])
})

test("by address", async () => {
  await using f = await registryFixture({ objects: [kubeService("shop/web", { externalIPs: ["203.0.113.1"] })] })
  const names = (address: string) => f.registry.servicesByAddress(address).map(({ name }) => name)
  expect([names("10.96.0.10"), names("203.0.113.1"), names("10.96.0.11")]).toEqual([["web"], ["web"], []])
})

test("namespaces can be left out, as Pilot left out kube-system in 2019", async () => {
  await using f = await registryFixture({ leaveOut: ["kube-system"], objects: [kubeService("kube-system/dns"), kubeService("shop/web")] })
  expect(f.registry.services().map(({ name }) => name)).toEqual(["web"])
})

test("only watched namespaces are read", async () => {
  const objects = ["a/web", "b/web", "c/web"].map((key) => kubeService(key))
  await using one = await registryFixture({ namespaces: ["a"], objects })
  await using two = await registryFixture({ namespaces: ["a", "b"], objects })
  expect([one.registry.services().length, two.registry.services().length]).toEqual([1, 2])
  await two.put(kubePod("b/web-1"), kubeSlice("b/web-1", { endpoints: [{ ip: "10.0.0.1", pod: "web-1" }] }))
  expect(two.endpoints("web.b.svc.cluster.local")).toEqual(["10.0.0.1:8080 healthy"])
})

test("an ordinary service tells its endpoints only", async () => {
  await using f = await registryFixture({ objects: [base, kubePod("shop/web-1")] })
  f.told()
  await f.put(kubeSlice("shop/web-1", { endpoints: [{ ip: "10.0.0.1", pod: "web-1" }] }))
  expect(f.told()).toEqual(["endpoints web.shop"])
})

const headless = (name: string): Service => kubeService("shop/web", { clusterIP: "None", ports: [{ name, port: 80 }] })
for (const [name, expected] of [
  ["http", ["endpoints web.shop"]],
  ["grpc", ["endpoints web.shop"]],
  ["tcp", ["endpoints web.shop", "service web.shop updated"]],
  ["", ["endpoints web.shop", "service web.shop updated"]],
] as const)
  test(`a headless service with a port named "${name}" tells ${expected.join(" and ")}`, async () => {
    await using f = await registryFixture({ objects: [headless(name), kubePod("shop/web-1")] })
    f.told()
    await f.put(kubeSlice("shop/web-1", { endpoints: [{ ip: "10.0.0.1", pod: "web-1" }] }))
    expect(f.told()).toEqual(expected)
  })

test("another account behind a service notifies of the service too; the same one again does not", async () => {
  const pod = (n: number, account: string) => kubePod(`shop/web-${n}`, { ip: `10.0.0.${n}`, account })
  const slice = (...numbers: readonly number[]) =>
    kubeSlice("shop/web-1", { endpoints: numbers.map((n) => ({ ip: `10.0.0.${n}`, pod: `web-${n}` })) })
  await using f = await registryFixture({ objects: [base, pod(1, "a"), pod(2, "a"), pod(3, "b"), slice(1)] })
  f.told()
  await f.put(slice(1, 2))
  await f.put(slice())
  await f.put(slice(2))
  expect(f.told()).toEqual(["endpoints web.shop", "endpoints web.shop fewer", "endpoints web.shop"])
  await f.put(slice(2, 3))
  expect(f.told()).toEqual(["endpoints web.shop", "service web.shop updated"])
})
