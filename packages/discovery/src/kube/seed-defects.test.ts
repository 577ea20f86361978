import { silentLog } from "@pilothouse/seams"
import { expect, test, vi } from "vitest"
import { AggregateRegistry } from "../aggregate/aggregate-registry.ts"
import { kubePod, kubeService, kubeSlice } from "../testing/kube-objects.ts"
import { recorded, registryFixture } from "../testing/registry-fixture.ts"

/*
 * What was wrong in Pilot's registry of early 2019, and must not happen here.
 */

const host = "web.shop.svc.cluster.local"
const pod = kubePod("shop/web-1", { ip: "10.0.0.1", labels: { app: "web" } })
const slice = kubeSlice("shop/web-1", { endpoints: [{ ip: "10.0.0.1", pod: "web-1" }] })

test("(a) services are found by their selector when there is no error, and with namespace and name the right way round", async () => {
  await using f = await registryFixture({ objects: [kubeService("shop/web"), kubeService("web/shop", { selector: { app: "web" } }), pod] })
  expect(f.registry.proxyServiceInstances({ addresses: ["10.0.0.1"] }).map(({ service }) => service.hostname)).toEqual([host])
})

test("(b) an endpoint that comes before its pod is not lost", async () => {
  await using f = await registryFixture({ objects: [kubeService("shop/web"), slice] })
  await f.put(pod)
  expect(f.endpoints(host)).toEqual(["10.0.0.1:8080 healthy"])
})

test("(c) services and endpoints have the same name", async () => {
  await using f = await registryFixture({ objects: [pod] })
  const told = new Set<string>()
  const note = (hostname: string) => void told.add(hostname)
  f.registry.subscribe({
    serviceUpdate: note,
    endpointsUpdate: (_, hostname) => note(hostname),
    workloadUpdate: () => {},
    configUpdate: () => {},
  })
  await f.put(kubeService("shop/web"), slice)
  expect([...told]).toEqual([host])
})

test("(d) services of every cluster are sent, whatever its name", async () => {
  await using f = await registryFixture({ cluster: "east" })
  f.told()
  await f.put(kubeService("shop/web"))
  expect(f.told()).toEqual(["service web.shop added"])
})

test("(e) two registries in one process share nothing", async () => {
  await using one = await registryFixture({ objects: [kubeService("shop/web"), pod, slice] })
  await using other = await registryFixture({ objects: [kubeService("shop/web")] })
  const all = new AggregateRegistry({ log: silentLog })
  expect([one.endpoints(host).length, other.endpoints(host).length, all.endpoints(host).length]).toEqual([1, 0, 0])
  const told = recorded(other.registry)
  await one.put(kubeSlice("shop/web-1", { endpoints: [] }))
  expect(told()).toEqual([])
})

test("(f) a proxy is found by any of its addresses", async () => {
  await using f = await registryFixture({
    objects: [kubeService("shop/web"), kubePod("shop/web-1", { ips: ["10.0.0.1", "fd00::1"], labels: { app: "web" } })],
  })
  const found = (...addresses: readonly string[]) => f.registry.proxyServiceInstances({ addresses }).length
  expect([found("fd00::1"), found("127.0.0.6", "fd00::1"), found("10.0.0.1")]).toEqual([1, 1, 1])
})

test("(g) instances are found without looking at the endpoints of other services", async () => {
  const others = Array.from({ length: 50 }, (_, n) => [
    kubeService(`shop/s${n}`),
    kubeSlice(`shop/s${n}-1`, { endpoints: [{ ip: `10.1.0.${n}` }] }),
  ]).flat()
  await using f = await registryFixture({ objects: [...others, kubeService("shop/web"), pod, slice] })
  const { endpoints, services, sources } = f.registry.state
  const read = vi.spyOn(endpoints, "get")
  const everything = [vi.spyOn(endpoints, "services"), vi.spyOn(services, "sorted"), vi.spyOn(sources.watched, "keys")]
  expect(f.registry.instancesByPort(host, 80)).toHaveLength(1)
  expect([read.mock.calls, everything.flatMap(({ mock }) => mock.calls)]).toEqual([[[host]], []])
})

test("events of one object are not told in another order than they came in, also after a failure", async () => {
  const at = (clusterIP: string) => kubeService("shop/web", { clusterIP })
  await using f = await registryFixture({ objects: [at("10.96.0.1")] })
  const addresses = () => f.registry.getService(host)?.addresses.Kubernetes
  f.told()
  vi.spyOn(f.registry.state.services, "put").mockImplementationOnce(() => {
    throw new Error("not now")
  })
  await f.put(at("10.96.0.2"))
  expect([addresses(), f.told()]).toEqual([["10.96.0.1"], []])
  await f.put(at("10.96.0.3"))
  expect([addresses(), f.told()]).toEqual([["10.96.0.3"], ["service web.shop updated"]])
  await f.clock.advance("5m")
  expect([addresses(), f.told()]).toEqual([["10.96.0.3"], []])
})
