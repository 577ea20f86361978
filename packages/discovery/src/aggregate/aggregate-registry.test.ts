import type { KubeObject } from "@pilothouse/api"
import { seededRandom, silentLog, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { KubeRegistry } from "../kube/kube-registry.ts"
import type { KubeRegistryOptions } from "../kube/options.ts"
import { kubePod, kubeService, kubeSlice } from "../test-support/kube-objects.ts"
import { inShort, recorded } from "../test-support/registry-fixture.ts"
import { TestKube } from "../test-support/test-kube.ts"
import { AggregateRegistry } from "./aggregate-registry.ts"

const host = "web.shop.svc.cluster.local"

function web(n: number, spec = {}): readonly KubeObject[] {
  return [
    kubeService("shop/web", { clusterIP: `10.96.0.${n}`, ...spec }),
    kubePod("shop/web-1", { ip: `10.${n}.0.1`, labels: { app: "web" } }),
    kubeSlice("shop/web-1", { endpoints: [{ ip: `10.${n}.0.1`, pod: "web-1" }] }),
  ]
}

function filled(...objects: readonly KubeObject[]): TestKube {
  const kube = new TestKube()
  for (const object of objects) kube.put(object)
  return kube
}

function setUp() {
  const clock = new VirtualClock()
  const all = new AggregateRegistry({ log: silentLog })
  const stopping = new AbortController()
  let running: Promise<void> = Promise.resolve()
  return {
    clock,
    all,
    told: recorded(all),
    of: (cluster: string, kube: TestKube, more: Partial<KubeRegistryOptions> = {}) =>
      new KubeRegistry({ client: kube.client, clock, random: seededRandom(1), log: silentLog, cluster, ...more }),
    async run() {
      running = all.run(stopping.signal)
      await clock.settle()
    },
    endpoints: () => all.endpoints(host).map(inShort),
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await clock.run(running)
    },
  }
}

test("services of two clusters are merged by hostname: the first says what it is, both give addresses, accounts and endpoints", async () => {
  await using f = setUp()
  const accounts = (names: string) => ({ annotations: { "alpha.istio.io/canonical-serviceaccounts": names } })
  const east = filled(
    kubeService("shop/web", { clusterIP: "10.96.0.1", ports: [{ name: "http", port: 80 }] }, accounts("a,b")),
    ...web(1).slice(1),
  )
  const west = filled(
    kubeService("shop/web", { clusterIP: "10.96.0.2", ports: [{ name: "http", port: 81 }] }, accounts("b,c")),
    kubeService("shop/api"),
    ...web(2).slice(1),
  )
  f.all.add(f.of("east", east))
  f.all.add(f.of("west", west))
  await f.run()
  expect(f.all.services().map(({ name }) => name)).toEqual(["api", "web"])
  expect(f.all.service(host)).toMatchObject({
    addresses: { east: ["10.96.0.1"], west: ["10.96.0.2"] },
    ports: [{ port: 80 }],
    accounts: ["a", "b", "c"],
  })
  expect(f.endpoints()).toEqual(["10.1.0.1:8080 healthy", "10.2.0.1:8080 healthy"])
  expect(f.all.instancesByPort(host, 80)).toHaveLength(2)
  expect(f.all.servicesByAddress("10.96.0.2").map(({ name }) => name)).toEqual(["web"])
  expect(f.all.serviceAccounts(host, [80])).toEqual(["a", "b", "c", "spiffe://cluster.local/ns/shop/sa/default"])
})

test("the cluster that was added first counts, whichever is read first", async () => {
  await using f = setUp()
  const east = filled(...web(1))
  east.down = true
  f.all.add(f.of("east", east, { syncTimeout: "1s" }))
  f.all.add(f.of("west", filled(...web(2, { ports: [{ name: "http", port: 81 }] }))))
  await f.run()
  east.down = false
  east.cutWatches()
  await f.clock.advance("10m")
  expect([f.endpoints(), f.all.service(host)?.ports[0]?.port]).toEqual([["10.1.0.1:8080 healthy", "10.2.0.1:8080 healthy"], 80])
})

test("accounts of different trust domains stand side by side", async () => {
  await using f = setUp()
  f.all.add(f.of("east", filled(...web(1)), { trustDomain: "one" }))
  f.all.add(f.of("west", filled(...web(2)), { trustDomain: "two" }))
  await f.run()
  expect(f.all.serviceAccounts(host, [80])).toEqual(["spiffe://one/ns/shop/sa/default", "spiffe://two/ns/shop/sa/default"])
})

test("what did not change is the same object, merged or not", async () => {
  await using f = setUp()
  const east = filled(...web(1))
  f.all.add(f.of("east", east))
  f.all.add(f.of("west", filled(...web(2))))
  await f.run()
  const [service, endpoints, services] = [f.all.service(host), f.all.endpoints(host), f.all.services()]
  east.put(kubeService("shop/api"))
  await f.clock.settle()
  expect([f.all.service(host) === service, f.all.endpoints(host) === endpoints, f.all.services() === services]).toEqual([true, true, false])
})

test("nothing is told before all clusters that were there at the start have been read", async () => {
  await using f = setUp()
  const west = filled(...web(2))
  west.down = true
  f.all.add(f.of("east", filled(...web(1))))
  f.all.add(f.of("west", west, { syncTimeout: "30s" }))
  await f.run()
  await f.clock.advance("29s")
  expect([f.told(), f.all.synced]).toEqual([[], false])
  await f.clock.advance("1s")
  expect([f.told(), f.all.synced, f.endpoints()]).toEqual([
    ["config: the first state of all clusters was read"],
    true,
    ["10.1.0.1:8080 healthy"],
  ])
})

test("nothing runs before the aggregate does; whoever is added later runs at once", async () => {
  await using f = setUp()
  f.all.add(f.of("east", filled(...web(1))))
  await f.clock.settle()
  expect([f.all.synced, f.all.services()]).toEqual([false, []])
  await f.run()
  f.all.add(f.of("west", filled(...web(2))))
  await f.clock.settle()
  expect(f.all.clusters).toEqual(["east", "west"])
})

test("a cluster that is added at run time is told as the difference that it makes", async () => {
  await using f = setUp()
  f.all.add(f.of("east", filled(...web(1))))
  await f.run()
  f.told()
  f.all.add(f.of("west", filled(...web(2), kubeService("shop/api"))))
  await f.clock.settle()
  expect([...f.told()].sort()).toEqual(["endpoints web.shop in west", "service api.shop added", "service web.shop updated"])
})

test("a cluster that is removed takes its own away, and leaves the others'", async () => {
  await using f = setUp()
  f.all.add(f.of("east", filled(...web(1))))
  f.all.add(f.of("west", filled(...web(2), kubeService("shop/api"))))
  await f.run()
  f.told()
  f.all.remove("west")
  expect([...f.told()].sort()).toEqual(["endpoints web.shop fewer in west", "service api.shop deleted", "service web.shop updated"])
  expect([f.endpoints(), f.all.services().length]).toEqual([["10.1.0.1:8080 healthy"], 1])
  f.all.remove("nobody")
  expect(f.told()).toEqual([])
})

test("a cluster that went can come back", async () => {
  await using f = setUp()
  f.all.add(f.of("east", filled(...web(1))))
  await f.run()
  f.all.remove("east")
  expect(f.endpoints()).toEqual([])
  f.all.add(f.of("east", filled(...web(3))))
  await f.clock.settle()
  expect(f.endpoints()).toEqual(["10.3.0.1:8080 healthy"])
})

test("a swap leaves no gap: the old registry answers until the new one was read", async () => {
  await using f = setUp()
  const kube = filled(...web(1))
  f.all.add(f.of("east", kube))
  await f.run()
  f.told()
  const slow = filled(...web(1))
  slow.down = true
  f.all.swap(f.of("east", slow))
  await f.clock.advance("1m")
  expect([f.endpoints(), f.told()]).toEqual([["10.1.0.1:8080 healthy"], []])
  kube.put(kubeSlice("shop/web-1", { endpoints: [] }))
  await f.clock.settle()
  expect([f.endpoints(), f.told()]).toEqual([[], ["endpoints web.shop fewer in east"]])
})

test("a swap that changes nothing tells nothing, and leaves nothing twice", async () => {
  await using f = setUp()
  f.all.add(f.of("east", filled(...web(1))))
  await f.run()
  f.told()
  f.all.swap(f.of("east", filled(...web(1))))
  await f.clock.settle()
  expect([f.told(), f.endpoints(), f.all.clusters]).toEqual([[], ["10.1.0.1:8080 healthy"], ["east"]])
})

test("a registry that was swapped out ends, and is heard no more", async () => {
  await using f = setUp()
  const old = f.of("east", filled(...web(1)))
  const ended = Promise.withResolvers<void>()
  const run = old.run.bind(old)
  old.run = async (signal) => {
    await run(signal)
    ended.resolve()
  }
  f.all.add(old)
  await f.run()
  f.all.swap(f.of("east", filled(...web(1))))
  await f.clock.settle()
  await f.clock.run(ended.promise)
  f.told()
  old.state.subscribers.configUpdate("from the dead")
  expect(f.told()).toEqual([])
})

test("a swap takes away what vanished meanwhile, and tells what is new", async () => {
  await using f = setUp()
  const old = filled(...web(1), kubeService("shop/old"))
  f.all.add(f.of("east", old))
  await f.run()
  f.told()
  f.all.swap(f.of("east", filled(...web(2), kubeService("shop/new"))))
  await f.clock.settle()
  expect([...f.told()].sort()).toEqual([
    "endpoints web.shop fewer in east",
    "service new.shop added",
    "service old.shop deleted",
    "service web.shop updated",
  ])
  old.put(kubeService("shop/late"))
  await f.clock.settle()
  expect([f.told(), f.all.service("late.shop.svc.cluster.local")]).toEqual([[], undefined])
})

test("a swap that is swapped again before it was read: only the last one counts", async () => {
  await using f = setUp()
  f.all.add(f.of("east", filled(...web(1))))
  await f.run()
  const never = filled(...web(2))
  never.down = true
  f.all.swap(f.of("east", never))
  f.all.swap(f.of("east", filled(...web(3))))
  await f.clock.settle()
  never.down = false
  await f.clock.advance("5m")
  expect(f.endpoints()).toEqual(["10.3.0.1:8080 healthy"])
})

test("a cluster that is there already is refused", () => {
  const f = setUp()
  f.all.add(f.of("east", new TestKube()))
  expect(() => f.all.add(f.of("east", new TestKube()))).toThrow("found east twice")
})

test("a service that one of two clusters deletes is changed, not gone", async () => {
  await using f = setUp()
  const west = filled(...web(2))
  f.all.add(f.of("east", filled(...web(1))))
  f.all.add(f.of("west", west))
  await f.run()
  f.told()
  west.remove(kubeService("shop/web"))
  await f.clock.settle()
  expect([f.told(), f.endpoints()]).toEqual([["service web.shop updated"], ["10.1.0.1:8080 healthy"]])
})

test("a proxy that names its cluster is looked for only there", async () => {
  await using f = setUp()
  f.all.add(f.of("east", filled(...web(1))))
  f.all.add(f.of("west", filled(...web(1))))
  await f.run()
  const found = (cluster?: string) =>
    f.all.proxyServiceInstances({ addresses: ["10.1.0.1"], cluster }).map(({ endpoint }) => endpoint.cluster)
  expect([found("west"), found("nobody"), found()]).toEqual([["west"], [], ["east", "west"]])
})

test("a cluster that comes or goes with a gateway between networks tells of it, for every service", async () => {
  await using f = setUp()
  const gateway = {
    ...kubeService(
      "net/gate",
      { type: "LoadBalancer", ports: [{ name: "tls", port: 15_443 }] },
      { labels: { "topology.istio.io/network": "west" } },
    ),
    status: { loadBalancer: { ingress: [{ ip: "5.5.5.5" }] } },
  }
  f.all.add(f.of("east", filled(...web(1))))
  await f.run()
  f.told()
  f.all.add(f.of("west", filled(gateway)))
  await f.clock.settle()
  expect(f.told()).toContain("config: the gateways between networks changed")
  expect(f.all.networkGateways()).toEqual([{ network: "west", cluster: "west", address: "5.5.5.5", port: 15_443 }])
  f.all.remove("west")
  expect([f.told().at(-1), f.all.networkGateways()]).toEqual(["config: the gateways between networks changed", []])
})

test("gateways that the mesh's settings name are the same for all clusters, and stand once", async () => {
  await using f = setUp()
  const files = virtualFiles(f.clock)
  files.write("/mesh", JSON.stringify({ networks: { far: { gateways: [{ address: "5.5.5.5", port: 443 }] } } }))
  const meshNetworks = { file: { files, path: "/mesh" } }
  for (const cluster of ["east", "west"]) f.all.add(f.of(cluster, filled(), { meshNetworks }))
  await f.run()
  expect(f.all.networkGateways()).toEqual([{ network: "far", cluster: "", address: "5.5.5.5", port: 443 }])
})
