import { memoryMetrics, VirtualClock } from "@pilothouse/seams"
import { expect, test, vi } from "vitest"
import type { Service } from "../../model/service.ts"
import { Hub } from "../../push/hub.ts"
import { StaticRegistry } from "../../registry/static-registry.ts"
import { decoded } from "../../server/debug.ts"
import { RawClient } from "../../testing/raw-client.ts"
import { testEndpoint, testService } from "../../testing/samples.ts"
import type { Source } from "../generator.ts"
import { EnvoyListeners, ListenerClaims } from "./envoy-listeners.ts"

const host = (name: string) => `${name}.shop.svc.cluster.local`
const ports = [{ name: "db", port: 5432, protocol: "TCP" }] as const
const at = (address: string) => testEndpoint(address, 5432, { portName: "db" })

function setUp() {
  const clock = new VirtualClock()
  const registry = new StaticRegistry()
  const hub = new Hub({ registry, clock, metrics: memoryMetrics() })
  const headless = (name: string, addresses: readonly string[], rest: Partial<Service> = {}) => {
    registry.put(testService(name, { resolution: "passthrough", ports, ...rest }))
    registry.putEndpoints(host(name), addresses.map(at))
  }
  /** Listener → cluster that an Envoy of a namespace is sent; it stays connected. */
  const envoy = (namespace = "shop") => {
    const client = new RawClient(hub, { node: { id: `sidecar~127.0.0.1~c.${namespace}~x` } })
    client.ask("listener", [])
    const [session] = [...hub.sessions].slice(-1)
    return () => {
      const { sentVersions } = session!.watches.listener
      const offer = hub.offerTo(session!, "listener")
      const clusterOf = (name: string) => /"cluster":"(?:outbound\|\d+\|\|)([a-z]+)/.exec(JSON.stringify(decoded(offer.find(name))))?.[1]
      return Object.fromEntries(
        [...sentVersions.keys()].filter((name) => name !== "virtualOutbound").map((name) => [name, clusterOf(name)]),
      )
    }
  }
  return { clock, registry, hub, headless, envoy }
}

test("an address that two services have belongs to the first by name, on every replica", () => {
  for (const order of [
    ["a", "b"],
    ["b", "a"],
  ]) {
    const { headless, envoy } = setUp()
    for (const name of order) headless(name, ["10.0.0.5"])
    expect(envoy()()).toEqual({ "10.0.0.5_5432": "a" })
  }
})

test("where that one goes, the other has it at once", async () => {
  const { clock, registry, headless, envoy } = setUp()
  headless("a", ["10.0.0.5"])
  headless("b", ["10.0.0.5"])
  const told = envoy()
  registry.remove(host("a"))
  await clock.advance("1s")
  expect(told()).toEqual({ "10.0.0.5_5432": "b" })
})

test("an address that goes from one to another in the same moment is the other's", async () => {
  const { clock, registry, headless, envoy } = setUp()
  headless("a", ["10.0.0.5"])
  headless("b", ["10.0.0.6"])
  const told = envoy()
  await clock.advance("1s")
  registry.putEndpoints(host("a"), [at("10.0.0.7")])
  registry.putEndpoints(host("b"), [at("10.0.0.5")])
  await clock.settle()
  expect(told()).toEqual({ "10.0.0.5_5432": "b", "10.0.0.7_5432": "a" })
})

test("one that a client may not know of takes no address from one that it may", () => {
  const { headless, envoy } = setUp()
  headless("a", ["10.0.0.5"], { exportTo: ["."] })
  headless("b", ["10.0.0.5"])
  expect([envoy("shop")(), envoy("other")()]).toEqual([{ "10.0.0.5_5432": "a" }, { "10.0.0.5_5432": "b" }])
})

test("nothing is kept of the addresses of a service that went", async () => {
  const { clock, registry, headless } = setUp()
  const put = vi.spyOn(ListenerClaims.prototype, "put")
  headless("a", ["10.0.0.5"])
  await clock.advance("1s")
  expect([...put.mock.lastCall![1].keys()]).toEqual(["10.0.0.5_5432"])
  registry.remove(host("a"))
  await clock.advance("1m")
  expect(put.mock.lastCall).toEqual([host("a"), new Map()])
  put.mockRestore()
})

test("a name that first appears by a change is sent, and removed with its service", async () => {
  const { clock, registry, headless, envoy } = setUp()
  const told = envoy()
  headless("a", ["10.0.0.5"])
  await clock.advance("1s")
  expect(told()).toEqual({ "10.0.0.5_5432": "a" })
  registry.remove(host("a"))
  await clock.advance("1s")
  expect(told()).toEqual({})
})

test("a headless service of many ports reads its endpoints once, not once for each port", () => {
  let reads = 0
  const many = Array.from({ length: 400 }, (_, index) => ({ name: `p${index}`, port: index + 1, protocol: "TCP" }) as const)
  const service = testService("a", { resolution: "passthrough", ports: many })
  const endpoints = many.map(({ name, port }) => ({
    ...testEndpoint("10.0.0.5", port),
    get portName() {
      reads++
      return name
    },
  }))
  const source = { getService: () => service, endpoints: () => endpoints } as Partial<Source> as Source
  expect(new EnvoyListeners(source).affectedBy(service)).toEqual(many.map(({ port }) => `10.0.0.5_${port}`))
  expect(reads).toBeLessThanOrEqual(2 * endpoints.length)
})
