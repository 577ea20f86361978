import type { ConfigMap, Service } from "@pilothouse/api/core/v1"
import { VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { kubeService } from "../../testing/kube-objects.ts"
import { type RegistryFixture, registryFixture } from "../../testing/registry-fixture.ts"
import type { NameAnswer, ResolveName } from "./followed-name.ts"

const news = "config: the gateways between networks changed"

/** A cloud's balancer that has a name and no address. */
function gate(hostname: string, name = "east"): Service {
  const labels = { "topology.istio.io/network": "east" }
  const service = kubeService(`net/${name}`, { type: "LoadBalancer", ports: [{ name: "tls", port: 15_443 }] }, { labels })
  return { ...service, status: { loadBalancer: { ingress: [{ hostname }] } } }
}

/** A name server that is written by hand; a name that it does not have is not answered. */
class Names {
  readonly asked: string[] = []
  readonly answers = new Map<string, NameAnswer>()
  readonly resolve: ResolveName = async (name) => {
    this.asked.push(name)
    const answer = this.answers.get(name)
    if (answer === undefined) throw new Error("SERVFAIL")
    return answer
  }

  put(name: string, addresses: readonly string[], seconds = 0): void {
    this.answers.set(name, { addresses, ttl: seconds * 1000 })
  }

  count(): number {
    return this.asked.splice(0).length
  }
}

const gateways = ({ registry }: RegistryFixture) => registry.networkGateways().map(({ address, port }) => `${address}:${port}`)
const warnings = ({ lines }: RegistryFixture) =>
  lines.flatMap(({ level, message }) => (level === "warn" && message.includes("gateway") ? [message] : []))

test("a gateway that is known by a name is sent at each address that the name has, and everything waits for the first answer", async () => {
  const answer = Promise.withResolvers<NameAnswer>()
  await using f = await registryFixture({ resolve: () => answer.promise, objects: [gate("lb.example")] })
  expect([f.registry.synced, gateways(f)]).toEqual([false, []])
  answer.resolve({ addresses: ["9.9.9.9", "1.1.1.1", "fd00::1"], ttl: 0 })
  await f.clock.settle()
  expect([f.registry.synced, gateways(f)]).toEqual([true, ["1.1.1.1:15443", "9.9.9.9:15443", "fd00::1:15443"]])
})

test.each([
  ["half a minute, however short the answer's life is", 1, 30],
  ["that", 120, 120],
  ["an hour, however long its life is", 86_400, 3_600],
])("a name is asked for again after %s", async (_title, life, seconds) => {
  const names = new Names()
  names.put("lb.example", ["1.1.1.1"], life)
  await using f = await registryFixture({ resolve: names.resolve, objects: [gate("lb.example")] })
  expect(names.count()).toBe(1)
  await f.clock.advance(seconds * 1000 - 1)
  expect(names.count()).toBe(0)
  await f.clock.advance(1)
  expect(names.count()).toBe(1)
})

test("other addresses are a change, the same ones in another order are not", async () => {
  const names = new Names()
  names.put("lb.example", ["1.1.1.1", "2.2.2.2"])
  await using f = await registryFixture({ resolve: names.resolve, objects: [gate("lb.example")] })
  f.told()
  names.put("lb.example", ["2.2.2.2", "1.1.1.1", "2.2.2.2"])
  await f.clock.advance("30s")
  expect(f.told()).toEqual([])
  names.put("lb.example", ["2.2.2.2"])
  await f.clock.advance("30s")
  expect([f.told(), gateways(f)]).toEqual([[news], ["2.2.2.2:15443"]])
})

test("where no server answers the last answer is kept, said once, and asked for every half minute", async () => {
  const names = new Names()
  names.put("lb.example", ["1.1.1.1"], 3_600)
  await using f = await registryFixture({ resolve: names.resolve, objects: [gate("lb.example")] })
  await f.clock.advance("59m")
  names.answers.clear()
  names.count()
  f.told()
  await f.clock.advance("2m")
  expect([names.count(), gateways(f), f.told()]).toEqual([3, ["1.1.1.1:15443"], []])
  expect(warnings(f)).toEqual(["the name of the gateway lb.example was not answered, and is asked for every 30 s; keeping 1.1.1.1"])
  names.put("lb.example", ["3.3.3.3"])
  await f.clock.advance("30s")
  expect([gateways(f), f.told()]).toEqual([["3.3.3.3:15443"], [news]])
  expect(f.lines.map(({ message }) => message)).toContain("the name of the gateway lb.example is answered again")
})

test("a name server that is away at the start delays no client", async () => {
  const names = new Names()
  await using f = await registryFixture({ resolve: names.resolve, objects: [gate("lb.example")] })
  expect([f.registry.synced, gateways(f)]).toEqual([true, []])
  names.put("lb.example", ["1.1.1.1"])
  await f.clock.advance("30s")
  expect([gateways(f), f.told().includes(news)]).toEqual([["1.1.1.1:15443"], true])
})

test("an answer that the name does not exist any more removes the gateway, and is said once until it has an address", async () => {
  const names = new Names()
  names.put("lb.example", ["1.1.1.1"])
  await using f = await registryFixture({ resolve: names.resolve, objects: [gate("lb.example")] })
  const said = "the name of the gateway lb.example has no address; it is left out"
  names.put("lb.example", [])
  await f.clock.advance("30s")
  expect([gateways(f), warnings(f)]).toEqual([[], [said]])
  await f.clock.advance("10m")
  expect(warnings(f)).toEqual([said])
  for (const addresses of [["1.1.1.1"], []]) {
    names.put("lb.example", addresses)
    await f.clock.advance("1m")
  }
  expect(warnings(f)).toEqual([said, said])
})

test("names that no gateway has any more are not asked for, and a new one is at once", async () => {
  const names = new Names()
  for (const name of ["lb.example", "new.example"]) names.put(name, [name === "lb.example" ? "1.1.1.1" : "2.2.2.2"])
  await using f = await registryFixture({ resolve: names.resolve, objects: [gate("lb.example")] })
  names.count()
  await f.put(gate("new.example"))
  expect([names.asked, gateways(f)]).toEqual([["new.example"], ["2.2.2.2:15443"]])
  await f.remove(gate("new.example"))
  names.count()
  await f.clock.advance("2h")
  expect([names.count(), gateways(f)]).toEqual([0, []])
})

test("the mesh's own gateways may have a name too; two at one address are one", async () => {
  const names = new Names()
  names.put("far.example", ["5.5.5.5"])
  names.put("also.example", ["5.5.5.5"])
  const gateway = (address: string) => ({ address, port: 80 })
  const text = JSON.stringify({ networks: { far: { gateways: [gateway("far.example"), gateway("also.example")] } } })
  const mesh: ConfigMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace: "istio-system", name: "istio" },
    data: { meshNetworks: text },
  }
  const meshNetworks = { configMap: { name: "istio-system/istio" } }
  await using f = await registryFixture({ resolve: names.resolve, meshNetworks, objects: [mesh] })
  expect(f.registry.networkGateways()).toEqual([{ network: "far", cluster: "", address: "5.5.5.5", port: 80 }])
})

test("without a resolver, names are left out and logged", async () => {
  await using f = await registryFixture({ objects: [gate("lb.example")] })
  expect([gateways(f), f.registry.synced]).toEqual([[], true])
  expect(warnings(f)).toEqual(["the gateway lb.example is known by a name, and no resolver is configured; it is left out"])
})

test("the end of the registry ends a question that is under way", async () => {
  const clock = new VirtualClock()
  let given: AbortSignal | undefined
  const resolve: ResolveName = (_name, signal) => {
    given = signal
    return new Promise(() => undefined)
  }
  const f = await registryFixture({ clock, resolve, objects: [gate("lb.example")] })
  await f.stop()
  expect(given?.aborted).toBe(true)
})
