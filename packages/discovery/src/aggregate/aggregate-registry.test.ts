import { virtualFiles } from "@pilothouse/seams"
import { expect, test } from "vitest"
import type { EndpointsUpdate } from "../registry/registry.ts"
import { aggregateFixture, filled, webHost as host, web } from "../testing/aggregate-fixture.ts"
import { TestKube } from "../testing/kube.ts"
import { kubeService, kubeSlice } from "../testing/kube-objects.ts"
import { inShort } from "../testing/registry-fixture.ts"

test("services of two clusters are merged by hostname: the first says what it is, both give addresses, accounts and endpoints", async () => {
  await using f = aggregateFixture()
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
  expect(f.all.getService(host)).toMatchObject({
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
  await using f = aggregateFixture()
  const east = filled(...web(1))
  east.down = true
  f.all.add(f.of("east", east, { syncTimeout: "1s" }))
  f.all.add(f.of("west", filled(...web(2, { ports: [{ name: "http", port: 81 }] }))))
  await f.run()
  east.down = false
  east.cutWatches()
  await f.clock.advance("10m")
  expect([f.endpoints(), f.all.getService(host)?.ports[0]?.port]).toEqual([["10.1.0.1:8080 healthy", "10.2.0.1:8080 healthy"], 80])
})

test("accounts of different trust domains stand side by side", async () => {
  await using f = aggregateFixture()
  f.all.add(f.of("east", filled(...web(1)), { trustDomain: "one" }))
  f.all.add(f.of("west", filled(...web(2)), { trustDomain: "two" }))
  await f.run()
  expect(f.all.serviceAccounts(host, [80])).toEqual(["spiffe://one/ns/shop/sa/default", "spiffe://two/ns/shop/sa/default"])
})

test("what did not change is the same object, merged or not", async () => {
  await using f = aggregateFixture()
  const east = filled(...web(1))
  f.all.add(f.of("east", east))
  f.all.add(f.of("west", filled(...web(2))))
  await f.run()
  const [service, endpoints, services] = [f.all.getService(host), f.all.endpoints(host), f.all.services()]
  east.put(kubeService("shop/api"))
  await f.clock.settle()
  expect([f.all.getService(host) === service, f.all.endpoints(host) === endpoints, f.all.services() === services]).toEqual([
    true,
    true,
    false,
  ])
})

test("no notification comes before all initial clusters have synced", async () => {
  await using f = aggregateFixture()
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

test("nothing runs before the aggregate does; a cluster that is added later runs at once", async () => {
  await using f = aggregateFixture()
  f.all.add(f.of("east", filled(...web(1))))
  await f.clock.settle()
  expect([f.all.synced, f.all.services()]).toEqual([false, []])
  await f.run()
  f.all.add(f.of("west", filled(...web(2))))
  await f.clock.settle()
  expect(f.all.clusters).toEqual(["east", "west"])
})

test("adding a cluster at run time notifies of the difference that it makes", async () => {
  await using f = aggregateFixture()
  f.all.add(f.of("east", filled(...web(1))))
  await f.run()
  f.told()
  f.all.add(f.of("west", filled(...web(2), kubeService("shop/api"))))
  await f.clock.settle()
  expect([...f.told()].sort()).toEqual(["endpoints web.shop in west", "service api.shop added", "service web.shop updated"])
})

test("a cluster that is removed takes its own away, and leaves the others'", async () => {
  await using f = aggregateFixture()
  f.all.add(f.of("east", filled(...web(1))))
  f.all.add(f.of("west", filled(...web(2), kubeService("shop/api"))))
  await f.run()
  f.told()
  f.all.remove("west")
  expect([...f.told()].sort()).toEqual(["endpoints web.shop fewer in west", "service api.shop deleted", "service web.shop updated"])
  expect([f.endpoints(), f.all.services().length]).toEqual([["10.1.0.1:8080 healthy"], 1])
  f.all.remove("unknown")
  expect(f.told()).toEqual([])
})

test("a cluster that went can come back", async () => {
  await using f = aggregateFixture()
  f.all.add(f.of("east", filled(...web(1))))
  await f.run()
  f.all.remove("east")
  expect(f.endpoints()).toEqual([])
  f.all.add(f.of("east", filled(...web(3))))
  await f.clock.settle()
  expect(f.endpoints()).toEqual(["10.3.0.1:8080 healthy"])
})

test("a cluster that is there already is refused", () => {
  const f = aggregateFixture()
  f.all.add(f.of("east", new TestKube()))
  expect(() => f.all.add(f.of("east", new TestKube()))).toThrow("found east twice")
})

test("a service that one of two clusters deletes is changed, not gone", async () => {
  await using f = aggregateFixture()
  const west = filled(...web(2))
  f.all.add(f.of("east", filled(...web(1))))
  f.all.add(f.of("west", west))
  await f.run()
  f.told()
  west.remove(kubeService("shop/web"))
  await f.clock.settle()
  expect([f.told(), f.endpoints()]).toEqual([["service web.shop updated"], ["10.1.0.1:8080 healthy"]])
})

test("a cluster that exports a service to no namespace does not contribute where another exports it", async () => {
  await using f = aggregateFixture()
  const hidden = { annotations: { "networking.istio.io/exportTo": "~" } }
  const [shown, ...others] = web(2)
  const west = filled({ ...kubeService("shop/web", { clusterIP: "10.96.0.2" }, hidden) }, ...others)
  f.all.add(f.of("east", filled(...web(1))))
  f.all.add(f.of("west", west))
  await f.run()
  f.told()
  const addresses = () => Object.keys(f.all.getService(host)?.addresses ?? {})
  expect([f.endpoints(), addresses()]).toEqual([["10.1.0.1:8080 healthy"], ["east"]])
  west.put(shown!)
  await f.clock.settle()
  expect([f.told(), f.endpoints(), addresses()]).toEqual([
    ["service web.shop updated"],
    ["10.1.0.1:8080 healthy", "10.2.0.1:8080 healthy"],
    ["east", "west"],
  ])
})

test("a proxy that names its cluster is looked for only there", async () => {
  await using f = aggregateFixture()
  f.all.add(f.of("east", filled(...web(1))))
  f.all.add(f.of("west", filled(...web(1))))
  await f.run()
  const found = (cluster?: string) =>
    f.all.proxyServiceInstances({ addresses: ["10.1.0.1"], cluster }).map(({ endpoint }) => endpoint.cluster)
  expect([found("west"), found("unknown"), found()]).toEqual([["west"], [], ["east", "west"]])
})

test("a proxy's own namespace comes first, whichever cluster it was found in", async () => {
  await using f = aggregateFixture()
  const at = (namespace: string) => [
    kubeService(`${namespace}/web`, { selector: undefined }),
    kubeSlice(`${namespace}/web-1`, { endpoints: [{ ip: "10.0.0.7" }] }),
  ]
  f.all.add(f.of("east", filled(...at("other"))))
  f.all.add(f.of("west", filled(...at("shop"))))
  await f.run()
  const found = f.all.proxyServiceInstances({ addresses: ["10.0.0.7"], namespace: "shop" })
  expect(found.map(({ service }) => service.namespace)).toEqual(["shop", "other"])
})

test("a cluster that comes or goes with a gateway between networks notifies of it, for every service", async () => {
  await using f = aggregateFixture()
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
  await using f = aggregateFixture()
  const files = virtualFiles(f.clock)
  files.write("/mesh", JSON.stringify({ networks: { far: { gateways: [{ address: "5.5.5.5", port: 443 }] } } }))
  const meshNetworks = { file: { files, path: "/mesh" } }
  for (const cluster of ["east", "west"]) f.all.add(f.of(cluster, filled(), { meshNetworks }))
  await f.run()
  expect(f.all.networkGateways()).toEqual([{ network: "far", cluster: "", address: "5.5.5.5", port: 443 }])
})

test("a cluster that is taken away before it was read holds the others up no longer", async () => {
  await using f = aggregateFixture()
  const never = filled()
  never.down = true
  f.all.add(f.of("east", filled(...web(1))))
  f.all.add(f.of("west", never))
  await f.run()
  expect(f.all.synced).toBe(false)
  f.all.remove("west")
  expect([f.all.synced, f.endpoints()]).toEqual([true, ["10.1.0.1:8080 healthy"]])
})

test("a registry that ends in a failure: what it knew stays, and the others go on", async () => {
  await using f = aggregateFixture()
  const west = f.of("west", filled(...web(2)))
  const run = west.run.bind(west)
  const broken = Promise.withResolvers<void>()
  west.run = (signal) => Promise.race([run(signal), broken.promise])
  const east = filled(...web(1))
  f.all.add(f.of("east", east))
  f.all.add(west)
  await f.run()
  broken.reject(new Error("no more"))
  await f.clock.settle()
  east.put(kubeSlice("shop/web-1", { endpoints: [] }))
  await f.clock.settle()
  expect([f.endpoints(), f.all.clusters]).toEqual([["10.2.0.1:8080 healthy"], ["east", "west"]])
})

test("nothing of a cluster that left is kept, nor of a service that is in one cluster only any more", async () => {
  await using f = aggregateFixture()
  const west = filled(...web(2), kubeService("shop/api"))
  f.all.add(f.of("east", filled(...web(1), kubeService("shop/api"))))
  f.all.add(f.of("west", west))
  f.all.add(f.of("north", filled()))
  await f.run()
  const ask = () => [f.all.services().length, f.all.getService(host)?.name, f.endpoints().length, f.all.remembered]
  // Both services, the endpoints of one, and the list of all.
  expect(ask()).toEqual([2, "web", 2, 4])
  west.remove(kubeService("shop/api"))
  await f.clock.settle()
  expect(ask()).toEqual([2, "web", 2, 3])
  f.all.remove("west")
  expect([f.all.remembered, ask()]).toEqual([0, [2, "web", 1, 1]])
  f.all.remove("north")
  expect(ask()).toEqual([2, "web", 1, 0])
})

test("a subscriber is handed the endpoints of the cluster in which they changed, and of no other", async () => {
  await using f = aggregateFixture()
  const west = filled(...web(2))
  f.all.add(f.of("east", filled(...web(1))))
  f.all.add(f.of("west", west))
  await f.run()
  const handed: unknown[] = []
  const note = (shard: string, { endpoints }: EndpointsUpdate) => void handed.push([shard, ...endpoints().map(inShort)])
  const ignore = () => {}
  f.all.subscribe({
    serviceUpdate: ignore,
    endpointsUpdate: (shard, _hostname, update) => note(shard, update),
    workloadUpdate: ignore,
    configUpdate: ignore,
  })
  west.put(kubeSlice("shop/web-1", { endpoints: [{ ip: "10.2.0.7" }] }))
  await f.clock.settle()
  f.all.remove("west")
  expect(handed).toEqual([["west", "10.2.0.7:8080 healthy"], ["west"]])
})
