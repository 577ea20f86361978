import type { Pod } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { kubePod, kubeService, kubeSlice } from "../../testing/kube-objects.ts"
import { registryFixture } from "../../testing/registry-fixture.ts"

const host = "web.shop.svc.cluster.local"
const pod = kubePod("shop/web-1", { ip: "10.0.0.1", labels: { app: "web" } })
const endpoint = { ip: "10.0.0.1", pod: "web-1" }

test("an endpoint before its pod is held back, and both its services are repaired when the pod comes", async () => {
  const slices = ["web", "api"].map((name) => kubeSlice(`shop/${name}-1`, { endpoints: [endpoint] }))
  await using f = await registryFixture({ objects: [kubeService("shop/web"), kubeService("shop/api"), ...slices] })
  expect([
    f.endpoints(host),
    f.registry.state.waiting.count,
    f.metrics.value("pilot_k8s_endpoints_pending_pod", { cluster: "Kubernetes" }),
  ]).toEqual([[], 2, 2])
  expect(f.metrics.value("pilot_k8s_endpoints_with_no_pods", { cluster: "Kubernetes" })).toBe(2)
  f.told()
  await f.put(pod)
  expect(f.told()).toEqual(["workload 10.0.0.1", "endpoints web.shop", "endpoints api.shop"])
  expect([
    f.endpoints(host),
    f.registry.state.waiting.count,
    f.metrics.value("pilot_k8s_endpoints_pending_pod", { cluster: "Kubernetes" }),
  ]).toEqual([["10.0.0.1:8080 healthy"], 0, 0])
})

test("the others of its slice are not held back with it", async () => {
  const slice = kubeSlice("shop/web-1", { endpoints: [endpoint, { ip: "10.0.0.2", pod: "web-2" }] })
  await using f = await registryFixture({ objects: [kubeService("shop/web"), pod, slice] })
  expect([f.endpoints(host), f.registry.state.waiting.count]).toEqual([["10.0.0.1:8080 healthy"], 1])
})

test("an address without a pod behind it is used at once", async () => {
  await using f = await registryFixture({
    objects: [kubeService("shop/web"), kubeSlice("shop/web-1", { endpoints: [{ ip: "10.0.0.9" }] })],
  })
  expect([f.endpoints(host), f.registry.state.waiting.count]).toEqual([["10.0.0.9:8080 healthy"], 0])
})

test("nothing is held for ever: an update that removes the address ends the wait", async () => {
  await using f = await registryFixture({ objects: [kubeService("shop/web"), kubeSlice("shop/web-1", { endpoints: [endpoint] })] })
  await f.put(kubeSlice("shop/web-1", { endpoints: [] }))
  expect([f.registry.state.waiting.count, f.metrics.value("pilot_k8s_endpoints_pending_pod", { cluster: "Kubernetes" })]).toEqual([0, 0])
})

test("nothing is held for ever: a slice that is deleted ends the wait", async () => {
  const slice = kubeSlice("shop/web-1", { endpoints: [endpoint] })
  await using f = await registryFixture({ objects: [kubeService("shop/web"), slice] })
  await f.remove(slice)
  expect([f.registry.state.waiting.count, f.registry.state.handled.size]).toEqual([0, 0])
  await f.put(pod)
  expect(f.endpoints(host)).toEqual([])
})

test("nothing is held for ever: a service that is deleted ends the wait of its slices", async () => {
  const web = kubeService("shop/web")
  await using f = await registryFixture({ objects: [web, kubeSlice("shop/web-1", { endpoints: [endpoint] })] })
  expect(f.registry.state.waiting.count).toBe(1)
  await f.remove(web)
  expect(f.registry.state.waiting.count).toBe(0)
})

test("a service that is deleted and recreated comes back whole, while its slices stayed", async () => {
  const web = kubeService("shop/web")
  await using f = await registryFixture({ objects: [web, pod, kubeSlice("shop/web-1", { endpoints: [endpoint] })] })
  await f.remove(web)
  expect(f.endpoints(host)).toEqual([])
  await f.put(web)
  expect(f.endpoints(host)).toEqual(["10.0.0.1:8080 healthy"])
})

test("slices before their service are used when it comes", async () => {
  await using f = await registryFixture({ objects: [pod, kubeSlice("shop/web-1", { endpoints: [endpoint] })] })
  expect(f.endpoints(host)).toEqual([])
  f.told()
  await f.put(kubeService("shop/web"))
  expect([f.told(), f.endpoints(host)]).toEqual([["service web.shop added", "endpoints web.shop"], ["10.0.0.1:8080 healthy"]])
})

test("a pod that goes takes its endpoint with it, even before the slice says so", async () => {
  await using f = await registryFixture({ objects: [kubeService("shop/web"), pod, kubeSlice("shop/web-1", { endpoints: [endpoint] })] })
  f.told()
  await f.remove(pod)
  expect([f.told(), f.endpoints(host)]).toEqual([["workload 10.0.0.1", "endpoints web.shop fewer"], []])
})

test("a changed label notifies of the workload first, then of the services that show it", async () => {
  await using f = await registryFixture({ objects: [kubeService("shop/web"), pod, kubeSlice("shop/web-1", { endpoints: [endpoint] })] })
  f.told()
  await f.put(kubePod("shop/web-1", { ip: "10.0.0.1", labels: { app: "web", version: "v2" } }))
  expect(f.told()).toEqual(["workload 10.0.0.1", "endpoints web.shop"])
  expect(f.registry.endpoints(host)[0]?.labels).toEqual({ app: "web", version: "v2" })
})

test("an address that is used again by another pod never shows the old one's labels", async () => {
  const old = kubePod("shop/old-1", { ip: "10.0.0.1", labels: { app: "old" } })
  await using f = await registryFixture({ objects: [kubeService("shop/web"), old, kubeSlice("shop/web-1", { endpoints: [endpoint] })] })
  await f.put(pod)
  await f.remove(old)
  expect(f.registry.endpoints(host)[0]?.labels).toEqual({ app: "web" })
  expect(f.registry.state.podCache.at("10.0.0.1")).toEqual(["shop/web-1"])
})

test("two pods of the host network at one address are two workloads with their own labels", async () => {
  const other = kubePod("shop/api-1", { ip: "10.0.0.1", labels: { app: "api" } })
  const slices = [
    kubeSlice("shop/web-1", { endpoints: [endpoint] }),
    kubeSlice("shop/api-1", { endpoints: [{ ip: "10.0.0.1", pod: "api-1" }] }),
  ]
  await using f = await registryFixture({ objects: [kubeService("shop/web"), kubeService("shop/api"), pod, other, ...slices] })
  expect([f.registry.endpoints(host)[0]?.labels, f.registry.endpoints("api.shop.svc.cluster.local")[0]?.labels]).toEqual([
    { app: "web" },
    { app: "api" },
  ])
})

test("periodic status updates of a pod are ignored", async () => {
  await using f = await registryFixture({ objects: [kubeService("shop/web"), pod, kubeSlice("shop/web-1", { endpoints: [endpoint] })] })
  f.told()
  const again: Pod = { ...pod, status: { ...pod.status, message: "still well" } }
  await f.put(again)
  expect([f.told(), f.metrics.value("pilot_k8s_reg_events", { cluster: "Kubernetes", type: "Pods", event: "updatesame" })]).toEqual([[], 1])
})

test("a pod that failed is out of sight, and its endpoint with it", async () => {
  await using f = await registryFixture({ objects: [kubeService("shop/web"), pod, kubeSlice("shop/web-1", { endpoints: [endpoint] })] })
  await f.put(kubePod("shop/web-1", { ip: "", phase: "Failed" }))
  expect([f.endpoints(host), f.registry.state.podCache.size]).toEqual([[], 0])
})
