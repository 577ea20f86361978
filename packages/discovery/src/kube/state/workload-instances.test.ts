// Workloads that are no pods: the rows of Istio's tests of WorkloadInstances, and what follows from them.
import { expect, test } from "vitest"
import { auditIndex } from "../../audit.ts"
import { explain } from "../../explain.ts"
import type { WorkloadInstance } from "../../model/workload-instance.ts"
import { kubeNamespace, kubePod, kubeService, kubeSlice } from "../../testing/kube-objects.ts"
import { registryFixture } from "../../testing/registry-fixture.ts"

const host = "web.shop.svc.cluster.local"
const api = "api.shop.svc.cluster.local"
const machine = (name: string, address: string, more: Partial<WorkloadInstance> = {}): WorkloadInstance => ({
  namespace: "shop",
  name,
  addresses: [address],
  labels: { app: "web" },
  ...more,
})
const pod = kubePod("shop/web-1", { ip: "10.0.0.1", labels: { app: "web" } })
const slice = kubeSlice("shop/web-1", { endpoints: [{ ip: "10.0.0.1", pod: "web-1" }] })

test("several workloads stand beside the pods of the service that selects them, each told once", async () => {
  await using f = await registryFixture({ objects: [kubeService("shop/web"), pod, slice] })
  f.told()
  f.registry.putWorkload(machine("vm-1", "192.0.2.1"))
  f.registry.putWorkload(machine("vm-2", "192.0.2.2"))
  expect(f.told()).toEqual(["endpoints web.shop", "endpoints web.shop"])
  expect(f.endpoints(host)).toEqual(["10.0.0.1:8080 healthy", "192.0.2.1:8080 healthy", "192.0.2.2:8080 healthy"])
  f.registry.putWorkload(machine("vm-2", "192.0.2.2"))
  expect(f.told()).toEqual([])
})

test("its index follows it: another address, other labels, gone", async () => {
  await using f = await registryFixture({ objects: [kubeService("shop/web"), kubeService("shop/api")] })
  f.registry.putWorkload(machine("vm-1", "192.0.2.1"))
  f.registry.putWorkload(machine("vm-1", "192.0.2.9"))
  expect([f.endpoints(host), f.registry.proxyServiceInstances({ addresses: ["192.0.2.1"] })]).toEqual([["192.0.2.9:8080 healthy"], []])
  f.told()
  f.registry.putWorkload(machine("vm-1", "192.0.2.9", { labels: { app: "api" } }))
  expect([f.endpoints(host), f.endpoints(api)]).toEqual([[], ["192.0.2.9:8080 healthy"]])
  expect(f.told()).toEqual(["endpoints web.shop fewer", "endpoints api.shop"])
  f.registry.removeWorkload({ namespace: "shop", name: "vm-1" })
  expect([f.endpoints(api), f.told()]).toEqual([[], ["endpoints api.shop fewer"]])
})

test("a service that comes, selects others or goes later than its workloads", async () => {
  await using f = await registryFixture()
  f.registry.putWorkload(machine("vm-1", "192.0.2.1"))
  await f.put(kubeService("shop/web"))
  expect(f.endpoints(host)).toEqual(["192.0.2.1:8080 healthy"])
  await f.put(kubeService("shop/web", { selector: { app: "other" } }))
  expect(f.endpoints(host)).toEqual([])
  await f.put(kubeService("shop/web"))
  await f.remove(kubeService("shop/web"))
  expect(f.endpoints(host)).toEqual([])
})

test.each([
  ["of another namespace", machine("vm", "192.0.2.1", { namespace: "other" })],
  ["without labels", machine("vm", "192.0.2.1", { labels: {} })],
  ["with one label of two", machine("vm", "192.0.2.1", { labels: { app: "web" } })],
  ["with a name for an address", machine("vm", "vm.example.org", { labels: { app: "web", tier: "front" } })],
])("one %s is not selected", async (_which, instance) => {
  const service = kubeService("shop/web", { selector: { app: "web", tier: "front" } })
  await using f = await registryFixture({ objects: [service] })
  f.told()
  f.registry.putWorkload(instance)
  expect([f.endpoints(host), f.told()]).toEqual([[], []])
})

test.each([
  ["without a selector", { selector: undefined }],
  ["that is headless", { clusterIP: "None" }],
])("a service %s has none", async (_which, spec) => {
  await using f = await registryFixture({ objects: [kubeService("shop/web", spec)] })
  f.registry.putWorkload(machine("vm-1", "192.0.2.1"))
  expect(f.endpoints(host)).toEqual([])
})

test.each([
  ["a number", { targetPort: 8080 }, undefined, ["192.0.2.1:8080 healthy"]],
  ["no target", { targetPort: undefined }, undefined, ["192.0.2.1:80 healthy"]],
  ["a number, and the workload has another for that port", { targetPort: 8080 }, { http: 9090 }, ["192.0.2.1:9090 healthy"]],
  ["a name that the workload has", { targetPort: "web" }, { web: 9091, http: 1 }, ["192.0.2.1:9091 healthy"]],
  ["a name that it has not", { targetPort: "web" }, { http: 9090 }, []],
])("its port, where the Service says %s", async (_what, target, ports, expected) => {
  const service = kubeService("shop/web", { ports: [{ name: "http", port: 80, ...target }] })
  await using f = await registryFixture({ objects: [service] })
  f.registry.putWorkload(machine("vm-1", "192.0.2.1", { ...(ports !== undefined && { ports }) }))
  expect(f.endpoints(host)).toEqual(expected)
})

test("ports of UDP are left out, of its endpoints and of what a proxy there is part of", async () => {
  const ports = [
    { name: "http", port: 80, targetPort: 8080 },
    { name: "dns", port: 53, targetPort: 5353, protocol: "UDP" as const },
  ]
  await using f = await registryFixture({ objects: [kubeService("shop/web", { ports })] })
  f.registry.putWorkload(machine("vm-1", "192.0.2.1"))
  const found = f.registry.proxyServiceInstances({ addresses: ["192.0.2.1"], namespace: "shop" })
  expect([f.endpoints(host), found.map(({ endpoint }) => endpoint.port)]).toEqual([["192.0.2.1:8080 healthy"], [8080]])
})

test("its own fields take precedence", async () => {
  await using f = await registryFixture({ objects: [kubeService("shop/web")], network: "main" })
  const locality = { region: "r", zone: "z", subzone: "" }
  f.registry.putWorkload(machine("vm-1", "192.0.2.1", { account: "vm", locality, network: "far", weight: 3, health: "unhealthy" }))
  f.registry.putWorkload(machine("vm-2", "192.0.2.2"))
  expect(f.registry.endpoints(host)).toMatchObject([
    { identity: "spiffe://cluster.local/ns/shop/sa/vm", locality, network: "far", weight: 3, health: "unhealthy", workload: "vm-1" },
    { identity: "", network: "main", weight: 1, labels: { app: "web" }, workload: "vm-2" },
  ])
})

test("its network is looked up again when networks change", async () => {
  await using f = await registryFixture({ objects: [kubeService("shop/web")] })
  f.registry.putWorkload(machine("vm-1", "192.0.2.1"))
  await f.put(kubeNamespace("istio-system", { "topology.istio.io/network": "new" }))
  expect(f.registry.endpoints(host).map(({ network }) => network)).toEqual(["new"])
})

test("a proxy at its address is part of the services that select it, before any pod there", async () => {
  const objects = [kubeService("shop/web"), kubeService("shop/api"), kubePod("shop/api-1", { ip: "192.0.2.1", labels: { app: "api" } })]
  await using f = await registryFixture({ objects })
  f.registry.putWorkload(machine("vm-1", "192.0.2.1"))
  const found = f.registry.proxyServiceInstances({ addresses: ["192.0.2.1"], namespace: "shop" })
  expect(found.map(({ service, endpoint }) => [service.hostname, endpoint.port])).toEqual([[host, 8080]])
})

test.each([
  ["its own name", { id: "vm-b.shop", namespace: "shop" }, "vm-b"],
  ["its namespace", { id: "x.shop", namespace: "shop" }, "vm-a"],
  ["neither: the first by name", { id: "x.other", namespace: "other" }, "vm-0"],
])("of several at one address, a proxy is the one with %s", async (_what, proxy, expected) => {
  await using f = await registryFixture({ objects: [kubeService("shop/web"), kubeService("aa/web")] })
  for (const name of ["vm-b", "vm-a"]) f.registry.putWorkload(machine(name, "192.0.2.1"))
  f.registry.putWorkload(machine("vm-0", "192.0.2.1", { namespace: "aa" }))
  const found = f.registry.proxyServiceInstances({ addresses: ["192.0.2.1"], ...proxy })
  expect(found.map(({ endpoint }) => endpoint.workload)).toEqual([expected])
})

test("the audit knows them, and explain says why they are in", async () => {
  await using f = await registryFixture({ objects: [kubeService("shop/web"), pod, slice] })
  f.registry.putWorkload(machine("vm-1", "192.0.2.1"))
  expect([auditIndex(f.registry.state), f.endpoints(host)]).toEqual([[], ["10.0.0.1:8080 healthy", "192.0.2.1:8080 healthy"]])
  expect(explain(f.registry, { hostname: host, address: "192.0.2.1" }).answer).toBe(
    "192.0.2.1 is in: the labels of the workload vm-1, which is no pod, fit the selector",
  )
})
