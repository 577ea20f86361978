import { memoryMetrics, seededRandom, silentLog, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { AggregateRegistry } from "../aggregate/aggregate-registry.ts"
import { Hub } from "../push/hub.ts"
import { configDump, edsz } from "../server/debug.ts"
import type { Session } from "../session/session.ts"
import { TestKube } from "../testing/kube.ts"
import { kubeNode, kubePod, kubeService, kubeSlice } from "../testing/kube-objects.ts"
import { RawClient } from "../testing/raw-client.ts"
import { registryFixture } from "../testing/registry-fixture.ts"
import { KubeRegistry } from "./kube-registry.ts"

const cluster = "outbound|80||web.shop.svc.cluster.local"
const slice = (...numbers: readonly number[]) =>
  kubeSlice("shop/web-1", { endpoints: numbers.map((n) => ({ ip: `10.0.0.${n}`, pod: `web-${n}` })) })

function setUp() {
  const clock = new VirtualClock()
  const kube = new TestKube()
  for (const object of [kubeService("shop/web"), kubePod("shop/web-1"), kubePod("shop/web-2", { ip: "10.0.0.2" }), slice(1)])
    kube.put(object)
  const of = (name: string) => new KubeRegistry({ client: kube.client, clock, random: seededRandom(1), log: silentLog, cluster: name })
  const all = new AggregateRegistry({ log: silentLog })
  all.add(of("east"))
  const metrics = memoryMetrics()
  const hub = new Hub({ registry: all, clock, metrics })
  const stopping = new AbortController()
  return { clock, kube, all, of, hub, stopping, metrics }
}

for (const protocol of ["sotw", "delta"] as const)
  test(`${protocol}: what happens to slices reaches the streams at once, as endpoints only`, async () => {
    const { clock, kube, all, of, hub, stopping } = setUp()
    expect(hub.ready).toBe(false)
    const running = all.run(stopping.signal)
    await clock.settle()
    expect(hub.ready).toBe(true)
    await clock.advance("1s")
    const client = new RawClient(hub, { protocol })
    client.ask("cluster", [])
    client.ask("endpoint", [cluster])
    client.ack("cluster")
    client.ack("endpoint", [cluster])
    client.told()
    kube.put(slice(1, 2))
    await clock.settle()
    expect(client.told()).toEqual([`eds ${cluster}`])
    client.ack("endpoint", [cluster])
    kube.put(slice(2))
    await clock.settle()
    expect(client.told()).toEqual([`eds ${cluster}`])
    client.ack("endpoint", [cluster])
    all.swap(of("east"))
    await clock.advance("10s")
    expect(client.told()).toEqual([])
    stopping.abort()
    await clock.run(running)
    hub[Symbol.dispose]()
  })

test("a node that gets another zone takes along what is near for the clients on it", async () => {
  const { clock, kube, all, hub, stopping } = setUp()
  const zone = (name: string) => kubeNode("node-1", { "topology.kubernetes.io/region": "r1", "topology.kubernetes.io/zone": name })
  const near = kubeService("shop/web", { trafficDistribution: "PreferSameZone" })
  for (const object of [near, zone("z1"), kubePod("shop/c1", { ip: "10.0.0.9" }), slice(1, 2)]) kube.put(object)
  kube.put(kubePod("shop/web-2", { ip: "10.0.0.2", node: "node-2" }))
  const running = all.run(stopping.signal)
  await clock.advance("1s")
  const client = new RawClient(hub)
  client.ask("endpoint", [cluster])
  client.ack("endpoint", [cluster])
  client.told()
  const nearest = () =>
    [...(edsz(hub, undefined) as Iterable<Assignment>)][0]!.endpoints.map(({ locality, priority = 0 }) => `${locality.zone} ${priority}`)
  expect(nearest()).toEqual(["z1 0", " 1"])
  kube.put(zone("z2"))
  await clock.settle()
  expect(client.told()).not.toEqual([])
  expect(nearest()).toEqual(["z2 0", " 1"])
  const [{ client: followed }] = [...hub.sessions] as [Session]
  expect([followed.node, followed.locality.zone]).toEqual(["node-1", "z2"])
  stopping.abort()
  await clock.run(running)
  hub[Symbol.dispose]()
})

test("the deletion of a hidden service: no client is notified, and the hub keeps nothing of it", async () => {
  const { clock, kube, all, hub, stopping, metrics } = setUp()
  const dark = kubeService("shop/dark", {}, { annotations: { "networking.istio.io/exportTo": "~" } })
  kube.put(dark)
  const running = all.run(stopping.signal)
  await clock.advance("1s")
  const client = new RawClient(hub)
  client.ask("cluster", [])
  client.ack("cluster")
  client.told()
  const empty = () => metrics.value("pilot_eds_no_instances")
  expect(empty()).toBe(1)
  kube.remove(dark)
  await clock.advance("1m")
  expect([client.told(), empty()]).toEqual([[], 0])
  stopping.abort()
  await clock.run(running)
  hub[Symbol.dispose]()
})

test.each([
  ["alias", ["BlackHoleCluster", "PassthroughCluster", cluster], { [cluster]: ["old.shop", "web.shop"] }],
  [
    "instances",
    ["BlackHoleCluster", "PassthroughCluster", "outbound|80||old.shop.svc.cluster.local", cluster],
    { [cluster]: ["web.shop"], "outbound|80||old.shop.svc.cluster.local": ["old.shop"] },
  ],
] as const)("ExternalNames as %s: what the option makes of clusters and routes", async (externalNames, clusters, hosts) => {
  const old = kubeService("shop/old", { type: "ExternalName", externalName: "web.shop.svc.cluster.local.", clusterIP: "" })
  await using f = await registryFixture({ externalNames, objects: [old] })
  using hub = new Hub({ registry: f.registry, clock: f.clock, metrics: memoryMetrics() })
  const client = new RawClient(hub)
  expect(hub.ready).toBe(true)
  client.ask("cluster", [])
  client.ask("route", ["80"])
  // The target comes last.
  await f.put(kubeService("shop/web"))
  await f.clock.advance("1s")
  const dump = configDump(hub, [...hub.sessions][0]!.client.id) as Dump
  expect([...dump.cds].map(({ name }) => name).sort()).toEqual(clusters)
  const told = [...dump.rds][0]!.resource.virtualHosts.map(({ domains, routes }) => [
    routes[0]!.route.cluster,
    domains.filter((domain) => domain.split(".").length === 2 && domain.endsWith(".shop")).sort(),
  ])
  expect(Object.fromEntries(told.filter(([name]) => name !== "PassthroughCluster"))).toEqual(hosts)
})

test("an alias that no namespace may see comes, leads elsewhere and goes: those that lead through it follow", async () => {
  const alias = (name: string, to: string, exportTo = "*") =>
    kubeService(
      `shop/${name}`,
      { type: "ExternalName", externalName: `${to}.shop.svc.cluster.local`, clusterIP: "" },
      { annotations: { "networking.istio.io/exportTo": exportTo } },
    )
  const objects = [kubeService("shop/web"), kubeService("shop/api"), alias("old", "hidden")]
  await using f = await registryFixture({ externalNames: "alias", objects })
  using hub = new Hub({ registry: f.registry, clock: f.clock, metrics: memoryMetrics() })
  expect(hub.ready).toBe(true)
  const behind = () => hub.catalogue.aliases.at("old.shop.svc.cluster.local")?.aliasOf
  const seen: (string | undefined)[] = []
  for (const to of ["web", "api"]) {
    await f.put(alias("hidden", to, "~"))
    seen.push(behind())
  }
  await f.remove(alias("hidden", "api", "~"))
  expect([...seen, behind()]).toEqual(["web.shop.svc.cluster.local", "api.shop.svc.cluster.local", undefined])
})

interface Dump {
  readonly cds: readonly { readonly name: string }[]
  readonly rds: readonly {
    readonly resource: {
      readonly virtualHosts: readonly {
        readonly domains: readonly string[]
        readonly routes: readonly { readonly route: { readonly cluster: string } }[]
      }[]
    }
  }[]
}

interface Assignment {
  readonly endpoints: readonly { readonly locality: { readonly zone: string }; readonly priority?: number }[]
}
