import { expect, test } from "vitest"
import { kubeNamespace, kubePod, kubeService, kubeSlice } from "../testing/kube-objects.ts"
import { registryFixture } from "../testing/registry-fixture.ts"

const seen = { matchLabels: { mesh: "on" } }
const all = (namespace: string, ip: string) => [
  kubeService(`${namespace}/web`),
  kubePod(`${namespace}/web-1`, { ip }),
  kubeSlice(`${namespace}/web-1`, { endpoints: [{ ip, pod: "web-1" }] }),
]
const objects = [...all("a", "10.0.0.1"), ...all("b", "10.0.0.2")]

test("without selectors every namespace is looked at, even one that has not been seen", async () => {
  await using f = await registryFixture({ objects })
  expect(f.registry.services()).toHaveLength(2)
})

test("a list of selectors with nothing in it is as none: every namespace", async () => {
  await using f = await registryFixture({ discoverySelectors: [], objects })
  expect([f.registry.services().length, f.endpoints("web.a.svc.cluster.local")]).toEqual([2, ["10.0.0.1:8080 healthy"]])
})

test("only namespaces that a selector matches are looked at, whichever comes first: they or their objects", async () => {
  await using f = await registryFixture({ discoverySelectors: [seen], objects: [...objects, kubeNamespace("a", { mesh: "on" })] })
  expect([f.registry.services().map(({ namespace }) => namespace), f.endpoints("web.a.svc.cluster.local")]).toEqual([
    ["a"],
    ["10.0.0.1:8080 healthy"],
  ])
  f.told()
  await f.put(kubeNamespace("b", { mesh: "on" }))
  expect(f.told()).toEqual(["service web.b added", "workload 10.0.0.2", "endpoints web.b"])
})

test("a namespace that is not matched any more is notified as deleted, once", async () => {
  await using f = await registryFixture({
    discoverySelectors: [seen],
    objects: [...objects, kubeNamespace("a", { mesh: "on" }), kubeNamespace("b", { mesh: "on" })],
  })
  f.told()
  await f.put(kubeNamespace("a", { mesh: "off" }))
  expect(f.told()).toEqual(["service web.a deleted", "workload 10.0.0.1"])
  expect([f.registry.services().length, f.registry.state.podCache.size, f.registry.endpoints("web.a.svc.cluster.local")]).toEqual([
    1,
    1,
    [],
  ])
  await f.put(kubeNamespace("a", { mesh: "on" }))
  expect([f.told(), f.endpoints("web.a.svc.cluster.local")]).toEqual([
    ["service web.a added", "workload 10.0.0.1", "endpoints web.a"],
    ["10.0.0.1:8080 healthy"],
  ])
})

test("of several selectors one is enough", async () => {
  const selectors = [seen, { matchExpressions: [{ key: "team", operator: "In" as const, values: ["x"] }] }]
  await using f = await registryFixture({
    discoverySelectors: selectors,
    objects: [...objects, kubeNamespace("a", { team: "x" }), kubeNamespace("b", { team: "y" })],
  })
  expect(f.registry.services().map(({ namespace }) => namespace)).toEqual(["a"])
})

test("a namespace that is deleted is not looked at any more", async () => {
  const namespace = kubeNamespace("a", { mesh: "on" })
  await using f = await registryFixture({ discoverySelectors: [seen], objects: [...objects, namespace] })
  await f.remove(namespace)
  expect(f.registry.services()).toEqual([])
})

test("changes in a namespace that is not looked at are not told", async () => {
  await using f = await registryFixture({ discoverySelectors: [seen], objects: [kubeNamespace("a", { mesh: "on" })] })
  f.told()
  await f.put(...all("c", "10.0.0.3"))
  expect(f.told()).toEqual([])
})

test("a namespace's traffic distribution is inherited by its services that say nothing, as soon as it changes", async () => {
  const key = "networking.istio.io/traffic-distribution"
  const own = kubeService("a/own", { trafficDistribution: "PreferSameNode" })
  await using f = await registryFixture({ objects: [...objects, own, kubeNamespace("a")] })
  f.told()
  await f.put(kubeNamespace("a", {}, { [key]: "PreferClose" }))
  expect(f.told().filter((line) => line.startsWith("service"))).toEqual(["service web.a updated"])
  const said = ["web.a", "own.a", "web.b"].map((name) => f.registry.getService(`${name}.svc.cluster.local`)?.distribution)
  expect(said).toEqual(["same-zone", "same-node", "any"])
})
