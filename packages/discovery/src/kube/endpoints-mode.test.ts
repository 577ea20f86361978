import { expect, test } from "vitest"
import { kubeEndpoints, kubePod, kubeService, kubeSlice } from "../testing/kube-objects.ts"
import { registryFixture } from "../testing/registry-fixture.ts"

const host = "web.shop.svc.cluster.local"
const ports = [{ name: "http", port: 8080 }]
const ref = (name: string) => ({ kind: "Pod", namespace: "shop", name })
const at = (n: number) => ({ ip: `10.0.0.${n}`, targetRef: ref(`web-${n}`) })
const pods = [1, 2].map((n) => kubePod(`shop/web-${n}`, { ip: `10.0.0.${n}` }))

test("Endpoints, as Pilot read them in 2019: every ready address behind every port; slices are not looked at", async () => {
  const subsets = [{ addresses: [at(1)], notReadyAddresses: [at(2)], ports: [...ports, { name: "admin", port: 9090 }] }]
  const objects = [
    kubeService("shop/web"),
    ...pods,
    kubeEndpoints("shop/web", subsets),
    kubeSlice("shop/web-1", { endpoints: [{ ip: "10.0.0.9" }] }),
  ]
  await using f = await registryFixture({ endpoints: "endpoints", objects })
  expect(f.endpoints(host)).toEqual([
    "10.0.0.1:8080 healthy",
    "10.0.0.1:9090 healthy",
    "10.0.0.2:8080 unhealthy",
    "10.0.0.2:9090 unhealthy",
  ])
  expect(f.registry.instancesByPort(host, 80).map(({ endpoint }) => endpoint.addresses[0])).toEqual(["10.0.0.1"])
})

test("several subsets have their own ports", async () => {
  const subsets = [
    { addresses: [at(1)], ports },
    { addresses: [at(2)], ports: [{ name: "http", port: 8081 }] },
  ]
  await using f = await registryFixture({
    endpoints: "endpoints",
    objects: [kubeService("shop/web"), ...pods, kubeEndpoints("shop/web", subsets)],
  })
  expect(f.endpoints(host)).toEqual(["10.0.0.1:8080 healthy", "10.0.0.2:8081 healthy"])
})

test("they are compared by their subsets only: other churn is counted and dropped", async () => {
  const endpoints = kubeEndpoints("shop/web", [{ addresses: [at(1)], ports }])
  await using f = await registryFixture({ endpoints: "endpoints", objects: [kubeService("shop/web"), ...pods, endpoints] })
  f.told()
  await f.put({ ...endpoints, metadata: { ...endpoints.metadata, labels: { touched: "yes" } } })
  expect([f.told(), f.metrics.value("pilot_k8s_reg_events", { cluster: "Kubernetes", type: "Endpoints", event: "updatesame" })]).toEqual([
    [],
    1,
  ])
})

test("an address before its pod waits here too", async () => {
  await using f = await registryFixture({
    endpoints: "endpoints",
    objects: [kubeService("shop/web"), kubeEndpoints("shop/web", [{ addresses: [at(1)], ports }])],
  })
  expect(f.endpoints(host)).toEqual([])
  await f.put(...pods)
  expect(f.endpoints(host)).toEqual(["10.0.0.1:8080 healthy"])
})

test("Endpoints without a selector, written by hand, are used at once", async () => {
  const objects = [
    kubeService("shop/web", { selector: undefined }),
    kubeEndpoints("shop/web", [{ addresses: [{ ip: "192.0.2.7" }], ports }]),
  ]
  await using f = await registryFixture({ endpoints: "endpoints", objects })
  expect(f.endpoints(host)).toEqual(["192.0.2.7:8080 healthy"])
})
