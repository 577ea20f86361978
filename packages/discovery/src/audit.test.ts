import { expect, test, vi } from "vitest"
import { audit, runAudit } from "./audit.ts"
import { kubePod, kubeService, kubeSlice } from "./testing/kube-objects.ts"
import { type RegistryFixture, registryFixture } from "./testing/registry-fixture.ts"

const host = "web.shop.svc.cluster.local"
const objects = [1, 2].map((n) => kubePod(`shop/web-${n}`, { ip: `10.0.0.${n}` }))
const slice = (...numbers: readonly number[]) =>
  kubeSlice("shop/web-1", { endpoints: numbers.map((n) => ({ ip: `10.0.0.${n}`, pod: `web-${n}` })) })

function fixture(): Promise<RegistryFixture> {
  return registryFixture({ objects: [kubeService("shop/web"), ...objects, slice(1, 2)] })
}

async function audited(f: RegistryFixture) {
  const found = await f.clock.run(audit(f.registry, {}, new AbortController().signal))
  await f.clock.settle()
  return found?.map(({ kind, key }) => `${kind} ${key}`)
}

test("nothing drifted: nothing is found, and nothing told", async () => {
  await using f = await fixture()
  f.told()
  expect([await audited(f), f.told(), f.metrics.value("pilothouse_discovery_audits_total", { cluster: "Kubernetes" })]).toEqual([[], [], 1])
})

test("an event that the watch lost: an endpoint that went away hours ago is found and taken out", async () => {
  await using f = await fixture()
  f.kube.changeUnseen(slice(1))
  await f.clock.settle()
  expect(f.endpoints(host)).toHaveLength(2)
  f.told()
  expect(await audited(f)).toEqual(["EndpointSlice shop/web-1"])
  expect([f.endpoints(host), f.told()]).toEqual([["10.0.0.1:8080 healthy"], ["endpoints web.shop fewer"]])
  expect(f.metrics.value("pilothouse_discovery_drift_total", { cluster: "Kubernetes", kind: "EndpointSlice" })).toBe(1)
  expect(await audited(f)).toEqual([])
})

test("a delete that the watch lost", async () => {
  await using f = await fixture()
  f.kube.changeUnseen(kubeService("shop/web"), true)
  expect(await audited(f)).toEqual(["Service shop/web"])
  expect(f.registry.services()).toEqual([])
})

test("what is only on its way is no drift", async () => {
  await using f = await fixture()
  const running = audit(f.registry, {}, new AbortController().signal)
  f.kube.put(kubeService("shop/api"))
  expect(await f.clock.run(running)).toEqual([])
})

test("an index that lost an endpoint is put right in one step", async () => {
  await using f = await fixture()
  f.registry.state.endpoints.put(host, "shop/web-1", f.registry.endpoints(host).slice(0, 1))
  f.told()
  expect(await audited(f)).toEqual([`endpoints ${host}`])
  expect([f.endpoints(host).length, f.told()]).toEqual([2, ["endpoints web.shop"]])
  await f.put(slice(2))
  expect(f.endpoints(host)).toEqual(["10.0.0.2:8080 healthy"])
})

test("an index that has a service that does not exist, with all that belongs to it", async () => {
  await using f = await fixture()
  const hostname = "ghost.shop.svc.cluster.local"
  const { services, details, gateways, atNodes } = f.registry.state
  services.put({ ...f.registry.getService(host)!, name: "ghost", hostname })
  details.set(hostname, { dualStack: true, targetPorts: [] })
  gateways.set(hostname, [{ network: "far", cluster: "Kubernetes", address: "5.5.5.5", port: 443 }])
  atNodes.add(hostname)
  f.told()
  expect(await audited(f)).toEqual([`services ${hostname}`])
  expect([f.registry.services().length, details.size, atNodes.size, f.registry.networkGateways()]).toEqual([1, 1, 0, []])
  expect(f.told()).toEqual(["config: the gateways between networks changed", "service ghost.shop deleted"])
})

test("an index that lost a service or a pod; the pod is notified as a workload that came", async () => {
  await using f = await fixture()
  f.registry.state.services.remove(host)
  f.registry.state.podCache.put("shop/web-1", undefined)
  f.told()
  expect(await audited(f)).toEqual([`services ${host}`, "pods shop/web-1"])
  expect([f.registry.services().length, f.registry.state.podCache.at("10.0.0.1"), f.endpoints(host).length]).toEqual([1, ["shop/web-1"], 2])
  expect(f.told()).toContain("workload 10.0.0.1")
})

test("an index that has a pod that is gone, or one that ended", async () => {
  const ended = kubePod("shop/job-1", { ip: "10.0.0.8", phase: "Succeeded" })
  await using f = await registryFixture({ objects: [kubeService("shop/web"), ...objects, slice(1, 2), ended] })
  const { podCache } = f.registry.state
  podCache.put("shop/ghost", kubePod("shop/ghost", { ip: "10.0.0.9" }))
  podCache.put("shop/job-1", kubePod("shop/job-1", { ip: "10.0.0.8" }))
  f.told()
  expect(await audited(f)).toEqual(["pods shop/job-1", "pods shop/ghost"])
  expect([podCache.size, f.told()]).toEqual([2, ["workload 10.0.0.8", "workload 10.0.0.9"]])
})

test("an index that lost an ExternalName, or a slice that never went through its handler", async () => {
  const out = "out.shop.svc.cluster.local"
  const external = kubeService("shop/out", { type: "ExternalName", externalName: "api.example.com" })
  await using f = await registryFixture({ objects: [kubeService("shop/web"), ...objects, slice(1, 2), external] })
  f.registry.state.endpoints.drop(out)
  f.registry.state.endpoints.drop(host)
  f.registry.state.handled.clear()
  expect(await audited(f)).toEqual([`endpoints ${out}`, `endpoints ${host}`])
  expect([f.endpoints(out), f.endpoints(host).length]).toEqual([["api.example.com:80 healthy"], 2])
  expect(f.registry.state.handled).toEqual(new Set(["shop/web-1"]))
})

test("an object whose handler fails is no drift, however often one looks", async () => {
  await using f = await fixture()
  const failing = vi.spyOn(f.registry.state.services, "put").mockImplementation(() => {
    throw new Error("not now")
  })
  await f.put(kubeService("shop/api"), kubeService("shop/web", { clusterIP: "10.96.0.99" }))
  expect([await audited(f), await audited(f)]).toEqual([[], []])
  failing.mockRestore()
  await f.clock.advance("1m")
  expect([f.registry.services().length, await audited(f)]).toEqual([2, []])
})

test("it comes again every five minutes, and one that fails does not end it", async () => {
  await using f = await fixture()
  const stopping = new AbortController()
  const running = runAudit(f.registry, { every: "5m" }, stopping.signal)
  const { list } = f.kube.client
  let fails = true
  Object.assign(f.kube.client, {
    list: (...asked: Parameters<typeof list>) => (fails ? Promise.reject(new Error("not now")) : list(...asked)),
  })
  await f.clock.advance("6m")
  expect(f.metrics.value("pilothouse_discovery_audits_total", { cluster: "Kubernetes" })).toBe(0)
  fails = false
  await f.clock.advance("5m")
  expect(f.metrics.value("pilothouse_discovery_audits_total", { cluster: "Kubernetes" })).toBe(1)
  stopping.abort()
  await f.clock.run(running)
})
