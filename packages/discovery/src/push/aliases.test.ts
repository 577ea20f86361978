import { memoryMetrics, VirtualClock } from "@pilothouse/seams"
import fc from "fast-check"
import { describe, expect, test, vi } from "vitest"
import type { Service } from "../model/service.ts"
import { StaticRegistry } from "../registry/static-registry.ts"
import { RawClient } from "../testing/raw-client.ts"
import { testService } from "../testing/samples.ts"
import { Catalogue } from "./catalogue.ts"
import { Hub } from "./hub.ts"

const hostOf = (name: string) => `${name}.shop.svc.cluster.local`
const portsOf = (...ports: readonly number[]) => ports.map((port) => ({ name: `p${port}`, port, protocol: "HTTP" as const }))
const alias = (name: string, to: string, rest: Partial<Service> = {}) =>
  testService(name, { ports: [], resolution: "dns", externalName: hostOf(to), aliasOf: hostOf(to), ...rest })

function setUp(...services: readonly Service[]) {
  const clock = new VirtualClock()
  const registry = new StaticRegistry()
  for (const service of services) registry.put(service)
  const hub = new Hub({ registry, clock, metrics: memoryMetrics(), grace: 5_000 })
  return { clock, registry, hub }
}

const nodeOf = (generator: string, namespace: string) => ({
  id: "n",
  metadata: { fields: { GENERATOR: { stringValue: generator }, NAMESPACE: { stringValue: namespace } } },
})

/** A client by delta that has these routes or listeners. */
function asking(hub: Hub, kind: "route" | "listener", names: readonly string[], namespace = "shop"): RawClient {
  const client = new RawClient(hub, { protocol: "delta", node: nodeOf(kind === "route" ? "envoy" : "grpc", namespace) })
  client.ask(kind, names)
  client.ack(kind)
  client.told()
  return client
}

describe("Envoy's routes", () => {
  const web = testService("web")
  const api = testService("api", { ports: portsOf(9090) })
  const plain = testService("plain", { ports: portsOf(7070) })
  const all = ["7070", "8080", "9090"]

  test.each<[string, readonly Service[], (registry: StaticRegistry) => void, readonly string[]]>([
    ["an alias comes", [], (registry) => registry.put(alias("old", "web")), ["rds 8080"]],
    ["an alias goes", [alias("old", "web")], (registry) => registry.remove(hostOf("old")), ["rds 8080"]],
    ["an alias changes its target", [alias("old", "web")], (registry) => registry.put(alias("old", "api")), ["rds 8080 9090"]],
    ["an alias is hidden", [alias("old", "web")], (registry) => registry.put(alias("old", "web", { exportTo: ["~"] })), ["rds 8080"]],
    [
      "an alias changes a field that is not sent",
      [alias("old", "web")],
      (registry) => registry.put(alias("old", "web", { labels: { a: "b" } })),
      [],
    ],
    [
      "the middle of a chain changes its target",
      [alias("old", "web"), alias("older", "old")],
      (registry) => registry.put(alias("old", "api")),
      ["rds 8080 9090"],
    ],
    ["a circle is closed", [alias("a", "b"), alias("b", "web")], (registry) => registry.put(alias("b", "a")), ["rds 8080"]],
    ["a circle is opened", [alias("a", "b"), alias("b", "a")], (registry) => registry.put(alias("b", "web")), ["rds 8080"]],
    [
      "an alias becomes a service",
      [alias("old", "web")],
      (registry) => registry.put(testService("old", { ports: portsOf(9090) })),
      ["rds 8080 9090"],
    ],
    ["an alias of nothing comes", [], (registry) => registry.put(alias("old", "nothing")), []],
  ])("%s: only those of its target are sent", async (_what, aliases, change, told) => {
    const { clock, registry, hub } = setUp(web, api, plain, ...aliases)
    const client = asking(hub, "route", all)
    change(registry)
    await clock.advance("1s")
    expect(client.told()).toEqual(told)
    await clock.advance("1m")
    expect(client.told()).toEqual([])
  })

  test("a target that comes after its aliases has their names at once", async () => {
    const { clock, registry, hub } = setUp(alias("older", "old"), alias("old", "web"))
    const client = asking(hub, "route", all)
    registry.put(web)
    await clock.advance("1s")
    expect(client.told()).toEqual(["rds 8080"])
    expect(hub.catalogue.aliases.of(web.hostname).map(({ name }) => name)).toEqual(["old", "older"])
  })

  test.each([
    ["of an alias", alias("new", "web")],
    ["of a target", testService("web", { ports: portsOf(9090) })],
    ["of a service without aliases", testService("plain", { ports: portsOf(9090) })],
  ])("a change %s looks at no other service", (_what, changed) => {
    const { clock, registry } = setUp(web, api, plain, alias("old", "web"), alias("older", "old"))
    using catalogue = new Catalogue({ registry, clock, grace: 5_000, onLeft: () => undefined })
    expect(catalogue.ready).toBe(true)
    registry.put(changed)
    const all = vi.spyOn(registry, "services")
    const one = vi.spyOn(registry, "getService")
    catalogue.refresh(changed.hostname)
    expect([all.mock.calls, one.mock.calls]).toEqual([[], [[changed.hostname]]])
  })
})

describe("gRPC's listeners", () => {
  const names = ["old", "old:8080", "old:9090", "old.shop:8080", "web:8080"]

  test("one that waits for its alias gets it, and nothing else is sent", async () => {
    const { clock, registry, hub } = setUp(testService("web"))
    const client = asking(hub, "listener", names)
    registry.put(alias("old", "web"))
    await clock.advance("1s")
    expect(client.told()).toEqual(["lds old old.shop:8080 old:8080"])
  })

  test("one follows its alias to another target; a port that this one does not have goes after the grace", async () => {
    const { clock, registry, hub } = setUp(testService("web"), testService("api", { ports: portsOf(9090) }), alias("old", "web"))
    const client = asking(hub, "listener", names)
    registry.put(alias("old", "api"))
    await clock.advance("1s")
    expect(client.told()).toEqual(["lds old old:9090"])
    await clock.advance("10s")
    expect(client.told()).toEqual(["lds -old.shop:8080 -old:8080"])
  })

  test.each([
    ["its alias", "old"],
    ["the target of its alias", "web"],
    ["the middle of its chain", "middle"],
  ])("one stays for the grace after %s: a listener that is back unchanged would be dead for grpc-js", async (_what, name) => {
    const services = [testService("web"), alias("middle", "web"), alias("old", "middle")]
    const { clock, registry, hub } = setUp(...services)
    const client = asking(hub, "listener", ["old:8080", "old"])
    registry.remove(hostOf(name))
    await clock.advance("4s")
    registry.put(services.find((service) => service.name === name)!)
    await clock.advance("1m")
    expect(client.told()).toEqual([])
    registry.remove(hostOf(name))
    await clock.advance("4s")
    expect(client.told()).toEqual([])
    await clock.advance("2s")
    expect(client.told()).toEqual(["lds -old -old:8080"])
  })

  test("one of a port that its target loses stays for the grace too", async () => {
    const { clock, registry, hub } = setUp(testService("web", { ports: portsOf(8080, 9090) }), alias("old", "web"))
    const client = asking(hub, "listener", ["old:8080", "old:9090"])
    registry.put(testService("web", { ports: portsOf(9090) }))
    await clock.advance("4s")
    expect(client.told()).toEqual([])
    await clock.advance("2s")
    expect(client.told()).toEqual(["lds -old:8080"])
  })

  test("an alias that comes late has no port that its target is about to lose", async () => {
    const { clock, registry, hub } = setUp(testService("web", { ports: portsOf(8080, 9090) }))
    expect(hub.ready).toBe(true)
    registry.put(testService("web", { ports: portsOf(9090) }))
    registry.put(alias("old", "web"))
    await clock.advance("1s")
    const client = new RawClient(hub, { node: nodeOf("grpc", "shop") })
    client.ask("listener", ["old:8080", "old:9090"])
    expect(client.told()).toEqual(["lds old:9090"])
  })

  test("an alias that is given one target after another: the port of the first goes with the second change, that of the second after the grace", async () => {
    const api = testService("api", { ports: portsOf(9090) })
    const { clock, registry, hub } = setUp(testService("web"), api, testService("new", { ports: portsOf(7070) }), alias("old", "web"))
    const client = asking(hub, "listener", ["old:7070", "old:8080", "old:9090"])
    for (const to of ["api", "new"]) {
      registry.put(alias("old", to))
      await clock.advance("1s")
    }
    await clock.advance("1m")
    expect(client.told()).toEqual(["lds old:9090", "lds -old:8080", "lds old:7070", "lds -old:9090"])
  })

  test("a hub that is closed waits for no grace", async () => {
    const { clock, registry, hub } = setUp(testService("web"), alias("old", "web"))
    expect(hub.ready).toBe(true)
    registry.remove(hostOf("old"))
    await clock.advance("1s")
    expect(clock.waiting()).toEqual([`grace of the alias ${hostOf("old")} in 4000 ms`])
    hub[Symbol.dispose]()
    expect(clock.waiting()).toEqual([])
  })

  test("who asks for all keeps those of an alias for the grace", async () => {
    const { clock, registry, hub } = setUp(testService("web"), alias("old", "web"))
    const client = new RawClient(hub, { node: nodeOf("grpc", "shop") })
    client.ask("listener", ["*"])
    client.ack("listener", ["*"])
    expect(client.told()).toEqual([`lds ${hostOf("old")}:8080 ${hostOf("web")}:8080`])
    registry.remove(hostOf("old"))
    await clock.advance("4s")
    for (const line of client.told()) expect(line).toBe(`lds ${hostOf("old")}:8080 ${hostOf("web")}:8080`)
    await clock.advance("2s")
    expect(client.told()).toEqual([`lds ${hostOf("web")}:8080`])
  })

  test("a service that becomes an alias leads to its target at once, not to what is left of itself", async () => {
    const { clock, registry, hub } = setUp(testService("web"), testService("old"))
    const client = asking(hub, "listener", ["old:8080"])
    registry.put(alias("old", "web"))
    await clock.advance("1s")
    expect(client.told()).toEqual(["lds old:8080"])
    await clock.advance("1m")
    expect(client.told()).toEqual([])
  })

  test("one of an alias that is hidden from a namespace goes there after the grace", async () => {
    const { clock, registry, hub } = setUp(testService("web"), alias("old", "web"))
    const [outside, inside] = [asking(hub, "listener", ["old.shop:8080"], "other"), asking(hub, "listener", ["old.shop:8080"])]
    registry.put(alias("old", "web", { exportTo: ["."] }))
    await clock.advance("4s")
    expect([outside.told(), inside.told()]).toEqual([[], []])
    await clock.advance("2s")
    expect([outside.told(), inside.told()]).toEqual([["lds -old.shop:8080"], []])
  })

  test("one of an alias that is hidden from a namespace, and then goes, stays there for the grace after that", async () => {
    const { clock, registry, hub } = setUp(testService("web"), alias("old", "web"))
    const outside = asking(hub, "listener", ["old.shop:8080"], "other")
    registry.put(alias("old", "web", { exportTo: ["."] }))
    await clock.advance("2s")
    registry.remove(hostOf("old"))
    await clock.advance("4s")
    expect(outside.told()).toEqual([])
    await clock.advance("2s")
    expect(outside.told()).toEqual(["lds -old.shop:8080"])
  })

  test("one of an alias that gets a target which a namespace may not see goes there after the grace, though the ports are the same", async () => {
    const { clock, registry, hub } = setUp(testService("web"), testService("api", { exportTo: ["."] }), alias("old", "web"))
    const [outside, inside] = [asking(hub, "listener", ["old.shop:8080"], "other"), asking(hub, "listener", ["old.shop:8080"])]
    registry.put(alias("old", "api"))
    await clock.advance("4s")
    expect([outside.told(), inside.told()]).toEqual([[], ["lds old.shop:8080"]])
    await clock.advance("2s")
    expect([outside.told(), inside.told()]).toEqual([["lds -old.shop:8080"], []])
  })

  test("one of a target that is hidden from a namespace goes there after the grace", async () => {
    const { clock, registry, hub } = setUp(testService("web"), alias("old", "web"))
    const [outside, inside] = [asking(hub, "listener", ["old.shop:8080"], "other"), asking(hub, "listener", ["old.shop:8080"])]
    registry.put(testService("web", { exportTo: ["."] }))
    await clock.advance("1m")
    expect([outside.told(), inside.told()]).toEqual([["lds -old.shop:8080"], []])
  })
})

describe("whatever happens in whatever order, in the end a client has what a new one would get", () => {
  const name = fc.constantFrom("a", "b", "c", "d")
  const exportTo = fc.constantFrom(["*"], ["."], ["~"])
  const step = fc.record({
    name,
    to: fc.oneof(
      fc.constant("gone" as const),
      fc.record({ alias: name }),
      fc.record({ ports: fc.constantFrom([8080], [9090], [8080, 9090]) }),
    ),
    exportTo,
    wait: fc.constantFrom(0, 0, 100, 3_000, 10_000),
  })
  const ports = ["", ":8080", ":9090"]
  const listeners = ["a", "b", "c", "d"].flatMap((one) => [one, `${one}.shop`].flatMap((host) => ports.map((port) => `${host}${port}`)))

  test.each(["shop", "other"])("in the namespace %s", async (namespace) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const { clock, registry, hub } = setUp()
        const kinds = [
          ["route", ["8080", "9090"]],
          ["listener", listeners],
        ] as const
        const clients = kinds.map(([kind, names]) => {
          const client = new RawClient(hub, { protocol: "delta", node: nodeOf(kind === "route" ? "envoy" : "grpc", namespace) })
          client.ask(kind, names)
          return client
        })
        for (const one of steps) {
          if (one.to === "gone") registry.remove(hostOf(one.name))
          else if ("alias" in one.to) registry.put(alias(one.name, one.to.alias, { exportTo: one.exportTo }))
          else registry.put(testService(one.name, { ports: portsOf(...one.to.ports), exportTo: one.exportTo }))
          await clock.advance(one.wait)
        }
        await clock.advance("1m")
        const fresh = new Hub({ registry, clock, metrics: memoryMetrics() })
        kinds.forEach(([kind, names], at) => {
          const other = new RawClient(fresh, { protocol: "delta", node: nodeOf(kind === "route" ? "envoy" : "grpc", namespace) })
          other.ask(kind, names)
          expect(held(clients[at]!)).toEqual(held(other))
        })
      }),
      { numRuns: 100, seed: 10 },
    )
  })

  /** Name → version: a digest of the content. */
  function held({ received }: RawClient): Readonly<Record<string, string>> {
    const has = new Map<string, string>()
    for (const { resources, removed } of received) {
      for (const resource of resources) has.set(resource.name, resource.version)
      for (const gone of removed) has.delete(gone)
    }
    return Object.fromEntries([...has].sort())
  }
})
