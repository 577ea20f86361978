import { memoryMetrics, seededRandom, silentLog, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { AggregateRegistry } from "../aggregate/aggregate-registry.ts"
import { Hub } from "../push/hub.ts"
import type { Session } from "../push/session.ts"
import { edsz } from "../server/debug-pages.ts"
import { kubeNode, kubePod, kubeService, kubeSlice } from "../test-support/kube-objects.ts"
import { RawClient } from "../test-support/raw-client.ts"
import { TestKube } from "../test-support/test-kube.ts"
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
    (edsz(hub, undefined) as readonly Assignment[])[0]!.endpoints.map(({ locality, priority = 0 }) => `${locality.zone} ${priority}`)
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

test("the end of a service that nobody may see: no client hears of it, and the hub keeps nothing of it", async () => {
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

interface Assignment {
  readonly endpoints: readonly { readonly locality: { readonly zone: string }; readonly priority?: number }[]
}
