import { expect, test } from "vitest"
import { kubePod, kubeService, kubeSlice } from "../testing/kube-objects.ts"
import { registryFixture } from "../testing/registry-fixture.ts"

const host = "web.shop.svc.cluster.local"
const web = kubeService("shop/web")
const pod = (n: number, more = {}) => kubePod(`shop/web-${n}`, { ip: `10.0.0.${n}`, labels: { app: "web" }, ...more })
const slice = (...numbers: readonly number[]) =>
  kubeSlice("shop/web-1", { endpoints: numbers.map((n) => ({ ip: `10.0.0.${n}`, pod: `web-${n}` })) })

test("services, pods and slices become services and endpoints", async () => {
  await using f = await registryFixture({ objects: [web, pod(1), pod(2), slice(1, 2)] })
  expect(f.registry.synced).toBe(true)
  expect(f.told()).toEqual(["config: the first state was read"])
  expect(f.registry.services().map(({ hostname }) => hostname)).toEqual([host])
  expect(f.endpoints(host)).toEqual(["10.0.0.1:8080 healthy", "10.0.0.2:8080 healthy"])
  expect(f.registry.endpoints(host)[0]).toEqual({
    addresses: ["10.0.0.1"],
    port: 8080,
    portName: "http",
    health: "healthy",
    locality: { region: "", zone: "", subzone: "" },
    network: "",
    cluster: "Kubernetes",
    weight: 1,
    labels: { app: "web" },
    identity: "spiffe://cluster.local/ns/shop/sa/default",
    namespace: "shop",
    pod: "web-1",
    workload: "web-1",
    node: "node-1",
  })
})

test("what is unknown is empty, not an error", async () => {
  await using f = await registryFixture()
  const { registry } = f
  expect([registry.services(), registry.getService(host), registry.endpoints(host)]).toEqual([[], undefined, []])
  expect([registry.instancesByPort(host, 80), registry.servicesByAddress("10.0.0.9"), registry.serviceAccounts(host, [80])]).toEqual([
    [],
    [],
    [],
  ])
  expect([
    registry.managementPorts("10.0.0.9"),
    registry.healthChecks("10.0.0.9"),
    registry.proxyServiceInstances({ addresses: ["10.0.0.9"] }),
  ]).toEqual([[], [], []])
})

test("an endpoint that did not change stays the same object, and a list that did not the same array", async () => {
  await using f = await registryFixture({ objects: [web, pod(1), pod(2), slice(1, 2)] })
  const before = f.registry.endpoints(host)
  await f.put(pod(3), slice(1, 2, 3))
  const after = f.registry.endpoints(host)
  expect([after[0] === before[0], after[1] === before[1], after.length]).toEqual([true, true, 3])
  await f.put({ ...slice(1, 2, 3), metadata: { ...slice().metadata, annotations: { touched: "yes" } } })
  expect(f.registry.endpoints(host)).toBe(after)
})

test("a scale up and down notifies of endpoints only, and a loss of a removal", async () => {
  await using f = await registryFixture({ objects: [web, pod(1), pod(2), slice(1)] })
  f.told()
  await f.put(slice(1, 2))
  expect(f.told()).toEqual(["endpoints web.shop"])
  await f.put(slice(2))
  expect(f.told()).toEqual(["endpoints web.shop fewer"])
})

test("one to none and back never tells the service itself", async () => {
  await using f = await registryFixture({ objects: [web, pod(1), slice(1)] })
  f.told()
  await f.put(slice())
  await f.put(slice(1))
  expect(f.told()).toEqual(["endpoints web.shop fewer", "endpoints web.shop"])
})
