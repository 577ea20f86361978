import { apiVersionOf } from "@pilothouse/api"
import { PilothouseError, seededRandom, silentLog, VirtualClock } from "@pilothouse/seams"
import { expect, test, vi } from "vitest"
import { TestKube } from "../testing/kube.ts"
import { kubePod, kubeService, kubeSlice } from "../testing/kube-objects.ts"
import { recorded, registryFixture } from "../testing/registry-fixture.ts"
import { KubeRegistry } from "./kube-registry.ts"

const host = "web.shop.svc.cluster.local"
const objects = [kubeService("shop/web"), kubePod("shop/web-1"), kubeSlice("shop/web-1", { endpoints: [{ ip: "10.0.0.1", pod: "web-1" }] })]

/** A registry whose requests are written down, and wait for their turn where the test says so. */
function slowRegistry(hold: (kind: string) => Promise<void> | undefined = () => undefined) {
  const clock = new VirtualClock()
  const kube = new TestKube()
  const asked: string[] = []
  const { list, watch } = kube.client
  const client: typeof kube.client = {
    list: async (of, options) => {
      asked.push(`${apiVersionOf(of)} ${of.kind}`)
      await hold(of.kind)
      return list(of, options)
    },
    watch: async (of, options) => {
      if (options?.sendInitialEvents) asked.push(`${apiVersionOf(of)} ${of.kind}`)
      await hold(of.kind)
      return watch(of, options)
    },
  }
  const registry = new KubeRegistry({ client, clock, random: seededRandom(1), log: silentLog })
  const stopping = new AbortController()
  return { clock, kube, asked, registry, told: recorded(registry), stopping }
}

test("endpoints that come before everything else are taken in after it, and so once", async () => {
  const rest = Promise.withResolvers<void>()
  const { clock, kube, asked, registry, stopping } = slowRegistry((kind) => (kind === "EndpointSlice" ? undefined : rest.promise))
  for (const object of objects) kube.put(object)
  const { sources, handled } = registry.state
  const taken = vi.spyOn(handled, "add")
  const running = registry.run(stopping.signal)
  await clock.settle()
  expect([...asked].sort()).toEqual(["discovery.k8s.io/v1 EndpointSlice", "v1 Namespace", "v1 Node", "v1 Pod", "v1 Service"])
  expect([sources.watched.size, taken.mock.calls, registry.synced]).toEqual([1, [], false])
  rest.resolve()
  await clock.settle()
  expect([registry.synced, registry.endpoints(host).length, taken.mock.calls]).toEqual([true, 1, [["shop/web-1"]]])
  stopping.abort()
  await clock.run(running)
})

test("nothing is notified, and nothing answered, before everything was read", async () => {
  const slices = Promise.withResolvers<void>()
  const { clock, kube, registry, told, stopping } = slowRegistry((kind) => (kind === "EndpointSlice" ? slices.promise : undefined))
  for (const object of objects) kube.put(object)
  const running = registry.run(stopping.signal)
  await clock.settle()
  kube.put(kubeService("shop/api"))
  await clock.advance("5s")
  expect([told(), registry.services(), registry.synced]).toEqual([[], [], false])
  slices.resolve()
  await clock.settle()
  expect([told(), registry.services().length]).toEqual([["config: the first state was read"], 2])
  stopping.abort()
  await clock.run(running)
})

test("slices that cannot be listed hold everything back; what happens until they can be is in the first answer", async () => {
  let fails = true
  const refused = () => Promise.reject(new PilothouseError("CONNECTION_LOST", "the server went away"))
  const { clock, kube, registry, told, stopping } = slowRegistry((kind) => (kind === "EndpointSlice" && fails ? refused() : undefined))
  for (const object of objects) kube.put(object)
  const running = registry.run(stopping.signal)
  await clock.advance("1m")
  expect([told(), registry.services(), registry.synced]).toEqual([[], [], false])
  moveEndpoint(kube)
  fails = false
  await clock.advance("10m")
  expect([told(), addresses(registry)]).toEqual([["config: the first state was read"], ["10.0.0.2"]])
  stopping.abort()
  await clock.run(running)
})

test("slices that change after they were listed, while the rest is not read yet, are taken in as they are then", async () => {
  const rest = Promise.withResolvers<void>()
  const { clock, kube, registry, told, stopping } = slowRegistry((kind) => (kind === "EndpointSlice" ? undefined : rest.promise))
  for (const object of objects) kube.put(object)
  const running = registry.run(stopping.signal)
  await clock.settle()
  moveEndpoint(kube)
  await clock.settle()
  rest.resolve()
  await clock.settle()
  expect([told(), addresses(registry)]).toEqual([["config: the first state was read"], ["10.0.0.2"]])
  stopping.abort()
  await clock.run(running)
})

/** One pod takes the place of the other. */
function moveEndpoint(kube: TestKube): void {
  kube.remove(objects[1]!)
  kube.put(kubePod("shop/web-2", { ip: "10.0.0.2" }))
  kube.put(kubeSlice("shop/web-1", { endpoints: [{ ip: "10.0.0.2", pod: "web-2" }] }))
}

function addresses(registry: KubeRegistry): readonly (string | undefined)[] {
  return registry.endpoints(host).map((endpoint) => endpoint.addresses[0])
}

test("a cluster that does not answer delays no client for longer than its timeout", async () => {
  const clock = new VirtualClock()
  const kube = new TestKube()
  kube.down = true
  const registry = new KubeRegistry({ client: kube.client, clock, random: seededRandom(1), log: silentLog, syncTimeout: "30s" })
  const told = recorded(registry)
  const stopping = new AbortController()
  const running = registry.run(stopping.signal)
  await clock.advance("29s")
  expect(registry.synced).toBe(false)
  await clock.advance("1s")
  expect([registry.synced, registry.hasRead, registry.services()]).toEqual([true, false, []])
  expect(told()).toEqual(["config: gave up waiting for the first state"])
  for (const object of objects) kube.put(object)
  kube.restart()
  await clock.advance("10m")
  expect([registry.hasRead, registry.endpoints(host).length]).toEqual([true, 1])
  expect(told().at(-1)).toBe("config: the first state was read")
  stopping.abort()
  await clock.run(running)
})

test("a registry that syncs in time notifies once: nothing is logged when the timeout is over", async () => {
  await using f = await registryFixture({ objects, syncTimeout: "30s" })
  expect(f.told()).toEqual(["config: the first state was read"])
  await f.clock.advance("5m")
  expect(f.told()).toEqual([])
})

test("a disposed subscriber is not notified any more", async () => {
  await using f = await registryFixture()
  const told: string[] = []
  const note = (what: string) => void told.push(what)
  const subscription = f.registry.subscribe({ serviceUpdate: note, endpointsUpdate: note, workloadUpdate: note, configUpdate: note })
  await f.put(kubeService("shop/web"))
  subscription[Symbol.dispose]()
  await f.put(kubeService("shop/api"))
  expect(told).toEqual([host])
})

test("a subscriber that throws does not keep the others from being notified, nor the registry from going on", async () => {
  await using f = await registryFixture()
  const fail = () => {
    throw new Error("bad subscriber")
  }
  f.registry.subscribe({ serviceUpdate: fail, endpointsUpdate: fail, workloadUpdate: fail, configUpdate: fail })
  const told = recorded(f.registry)
  await f.put(kubeService("shop/web"))
  expect([told(), f.registry.stuck, f.lines.filter(({ level }) => level === "error").length]).toEqual([["service web.shop added"], [], 1])
})

test("what is notified is in the answers already", async () => {
  await using f = await registryFixture({ objects: [kubePod("shop/web-1")] })
  const found: unknown[] = []
  f.registry.subscribe({
    serviceUpdate: (hostname) => void found.push(f.registry.getService(hostname)?.name),
    endpointsUpdate: (_, hostname) => void found.push(f.registry.endpoints(hostname).length),
    workloadUpdate: (address) => void found.push(f.registry.state.podCache.at(address)),
    configUpdate: () => {},
  })
  await f.put(kubePod("shop/web-2", { ip: "10.0.0.2" }), objects[0]!, objects[2]!)
  expect([...found].map(String).sort()).toEqual(["1", "shop/web-2", "web"])
})

test("the run ends at once when it is asked to, at any time", async () => {
  const { clock, kube, registry, stopping } = slowRegistry()
  kube.down = true
  const running = registry.run(stopping.signal)
  await clock.settle()
  stopping.abort()
  const before = clock.elapsed()
  await clock.run(running)
  expect(clock.elapsed()).toBe(before)
})

test("a resync looks at everything again and tells nothing where nothing changed", async () => {
  await using f = await registryFixture({ resync: "1m", objects })
  f.told()
  await f.clock.advance("5m")
  expect([f.told(), f.metrics.value("pilot_k8s_reg_events", { cluster: "Kubernetes", type: "Services", event: "updatesame" }) > 3]).toEqual(
    [[], true],
  )
})

test("ten thousand endpoints in one service are read in reasonable time", async () => {
  const many = Array.from({ length: 100 }, (_, at) => {
    const endpoints = Array.from({ length: 100 }, (_, n) => ({ ip: `10.${at}.0.${n}`, pod: `web-${at}-${n}` }))
    const pods = endpoints.map(({ ip, pod }) => kubePod(`shop/${pod}`, { ip }))
    return [...pods, kubeSlice(`shop/web-${at}`, { endpoints })]
  }).flat()
  await using f = await registryFixture({ objects: [kubeService("shop/web"), ...many] })
  expect(f.registry.endpoints(host)).toHaveLength(10_000)
})

test("the server goes away, things happen meanwhile, and it comes back: the answers stay, then only the difference is notified", async () => {
  await using f = await registryFixture({ objects })
  f.told()
  f.kube.down = true
  f.kube.cutWatches()
  f.kube.put(kubeSlice("shop/web-1", { endpoints: [{ ip: "10.0.0.1", pod: "web-1" }, { ip: "10.0.0.2" }] }))
  f.kube.put(kubeService("shop/api"))
  await f.clock.advance("30s")
  expect([f.told(), f.endpoints(host), f.registry.synced]).toEqual([[], ["10.0.0.1:8080 healthy"], true])
  f.kube.down = false
  await f.clock.advance("5m")
  expect([...f.told()].sort()).toEqual(["endpoints web.shop", "service api.shop added"])
})
