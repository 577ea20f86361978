import { expect, test, vi } from "vitest"
import { kubeNode, kubePod, kubeService, kubeSlice } from "../../testing/kube-objects.ts"
import { type RegistryFixture, registryFixture } from "../../testing/registry-fixture.ts"

const host = "web.shop.svc.cluster.local"
const probed = { containers: [{ name: "main", readinessProbe: { httpGet: { port: 8081, path: "/ready" } } }] }
const objects = ["web", "api", "db"].flatMap((name, n) => [
  kubeService(`shop/${name}`, { clusterIP: `10.96.0.${n}` }),
  kubePod(`shop/${name}-1`, { ip: `10.0.0.${n}`, labels: { app: name }, spec: probed }),
  kubeSlice(`shop/${name}-1`, { endpoints: [{ ip: `10.0.0.${n}`, pod: `${name}-1` }] }),
])

/** Everything that reads all there is. */
function wholeReaders({ registry }: RegistryFixture) {
  const { services, endpoints, podCache, sources, watched } = registry.state
  const kinds = Object.values(watched).flatMap((kind) => [vi.spyOn(kind, "keys"), vi.spyOn(kind, "inNamespace")])
  const stores = [...Object.values(watched), sources.watched].flatMap(({ informers }) => [...informers.values()].map(({ store }) => store))
  const all: readonly { readonly mock: { readonly calls: readonly unknown[] } }[] = [
    ...kinds,
    ...stores.flatMap((store) => [vi.spyOn(store, "list"), vi.spyOn(store, "keys")]),
    vi.spyOn(services, "sorted"),
    vi.spyOn(endpoints, "services"),
    vi.spyOn(podCache, "keys"),
    vi.spyOn(sources, "inNamespace"),
    vi.spyOn(sources.watched, "keys"),
  ]
  return () => all.flatMap(({ mock }) => mock.calls)
}

const questions: readonly (readonly [what: string, ask: (f: RegistryFixture) => unknown, expected: unknown])[] = [
  ["getService", ({ registry }) => registry.getService(host)?.name, "web"],
  ["endpoints", ({ registry }) => registry.endpoints(host).length, 1],
  ["instancesByPort", ({ registry }) => registry.instancesByPort(host, 80, [{ app: "web" }]).length, 1],
  ["proxyServiceInstances by address", ({ registry }) => registry.proxyServiceInstances({ addresses: ["10.0.0.0"] }).length, 1],
  ["proxyServiceInstances by id", ({ registry }) => registry.proxyServiceInstances({ addresses: [], id: "web-1.shop" }).length, 1],
  [
    "proxyServiceInstances by labels",
    ({ registry }) => registry.proxyServiceInstances({ addresses: ["10.9.9.9"], namespace: "shop", labels: { app: "web" } }).length,
    1,
  ],
  ["proxyLabels", ({ registry }) => registry.proxyLabels({ addresses: ["10.0.0.0"] }).app, "web"],
  ["servicesByAddress", ({ registry }) => registry.servicesByAddress("10.96.0.0").length, 1],
  ["serviceAccounts", ({ registry }) => registry.serviceAccounts(host, [80]).length, 1],
  ["managementPorts", ({ registry }) => registry.managementPorts("10.0.0.0").length, 1],
  ["healthChecks", ({ registry }) => registry.healthChecks("10.0.0.0").length, 1],
  ["placeOf", ({ registry }) => registry.placeOf("shop/web-1", "")?.node, "node-1"],
  ["judgements", ({ registry }) => registry.judgements(host).length, 1],
]
test.each(questions)("%s is answered from an index, without looking at everything", async (_what, ask, expected) => {
  await using f = await registryFixture({ objects: [...objects, kubeNode("node-1")] })
  const readings = wholeReaders(f)
  const { endpoints } = f.registry.state
  const read = vi.spyOn(endpoints, "get")
  expect([ask(f), readings(), read.mock.calls.filter(([hostname]) => hostname !== host)]).toEqual([expected, [], []])
})
