import { memoryMetrics, VirtualClock } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import type { Service } from "../model/service.ts"
import { StaticRegistry } from "../registry/static-registry.ts"
import { RawClient } from "../testing/raw-client.ts"
import { testEndpoint, testService } from "../testing/samples.ts"
import { Hub } from "./hub.ts"

const web = "web.shop.svc.cluster.local"
const cluster = `outbound|8080||${web}`
const special = ["BlackHoleCluster", "PassthroughCluster"]

function setUp(service: Partial<Service> = {}) {
  const clock = new VirtualClock()
  const registry = new StaticRegistry()
  registry.put(testService("web", service))
  registry.putEndpoints(web, [testEndpoint("10.0.0.1", 80)])
  const hub = new Hub({ registry, clock, metrics: memoryMetrics(), grace: 5_000 })
  return { clock, registry, hub }
}

/** An Envoy of a namespace that has everything. */
function envoyIn(namespace: string, hub: Hub, protocol: "sotw" | "delta"): RawClient {
  const client = new RawClient(hub, { protocol, node: { id: `sidecar~127.0.0.1~c.${namespace}~${namespace}.svc.cluster.local` } })
  client.ask("cluster", [])
  client.ask("endpoint", [cluster])
  client.ask("listener", [])
  client.ask("route", ["8080"])
  for (const kind of ["cluster", "listener"] as const) client.ack(kind)
  client.ack("endpoint", [cluster])
  client.ack("route", ["8080"])
  client.told()
  return client
}

describe.each(["sotw", "delta"] as const)("%s", (protocol) => {
  test.each([
    ["its own namespace", ["."], "other"],
    ["another namespace", ["third"], "other"],
    ["no namespace", ["~"], "shop"],
  ])("a service that was exported to %s is deleted: clients that could not see it are sent nothing", async (_to, exportTo, namespace) => {
    const { clock, registry, hub } = setUp({ exportTo })
    const client = envoyIn(namespace, hub, protocol)
    registry.remove(web)
    await clock.advance("1m")
    expect(client.told()).toEqual([])
  })

  test("a service that is hidden from a namespace loses its endpoints there at once, then its route, and its cluster last, after the grace", async () => {
    const { clock, registry, hub } = setUp()
    const [outside, inside] = [envoyIn("other", hub, protocol), envoyIn("shop", hub, protocol)]
    registry.put(testService("web", { exportTo: ["."] }))
    await clock.advance("1s")
    expect(outside.told()).toEqual(
      protocol === "sotw" ? [`eds ${cluster}`, "lds virtualOutbound"] : [`eds ${cluster}`, "lds -0.0.0.0_8080", "rds -8080"],
    )
    await clock.advance("10s")
    expect(outside.told()).toEqual([protocol === "sotw" ? `cds ${special.join(" ")}` : `cds -${cluster}`])
    expect(inside.told()).toEqual([])
  })

  test("one that is seen again within the grace was never gone as a cluster", async () => {
    const { clock, registry, hub } = setUp()
    const outside = envoyIn("other", hub, protocol)
    registry.put(testService("web", { exportTo: ["."] }))
    await clock.advance("1s")
    registry.put(testService("web"))
    await clock.advance("1m")
    expect(outside.told().filter((line) => line.startsWith("cds"))).toEqual([])
  })

  test("one that is back for fewer keeps, for the others, what is left of its grace", async () => {
    const { clock, registry, hub } = setUp()
    const outside = envoyIn("other", hub, protocol)
    registry.remove(web)
    await clock.advance("1s")
    registry.put(testService("web", { exportTo: ["."] }))
    await clock.advance("3s")
    expect(outside.told().filter((line) => line.startsWith("cds"))).toEqual([])
    await clock.advance("2s")
    expect(outside.told().filter((line) => line.startsWith("cds"))).toHaveLength(1)
  })
})

test("one that is hidden from some, and then goes for all, stays for all of them until the grace after that", async () => {
  const { clock, registry, hub } = setUp()
  const outside = envoyIn("other", hub, "delta")
  registry.put(testService("web", { exportTo: ["."] }))
  await clock.advance("2s")
  registry.remove(web)
  await clock.advance("4s")
  expect(outside.told().filter((line) => line.startsWith("cds"))).toEqual([])
  await clock.advance("2s")
  expect(outside.told()).toEqual([`cds -${cluster}`])
})

describe("gRPC's listeners", () => {
  const node = { id: "n", metadata: { fields: { GENERATOR: { stringValue: "grpc" }, NAMESPACE: { stringValue: "shop" } } } }

  test.each([`${web}:8080`, "web.shop.svc:8080", "web.shop:8080", "web:8080", "web"])(
    "%s is there for the grace, however it is written: one that goes and is back unchanged would stay dead for grpc-js",
    async (name) => {
      const { clock, registry, hub } = setUp()
      const client = new RawClient(hub, { node })
      client.ask("listener", [name])
      client.ack("listener", [name])
      client.told()
      registry.remove(web)
      await clock.advance("4s")
      expect(client.told()).toEqual([])
      await clock.advance("2s")
      expect(client.told()).toEqual(["lds"])
    },
  )

  test("of a service that no other namespace may see are not sent to others while it goes", async () => {
    const { clock, registry, hub } = setUp({ exportTo: ["third"] })
    expect(hub.ready).toBe(true)
    registry.remove(web)
    await clock.advance("1s")
    const client = new RawClient(hub, { node })
    client.ask("listener", [`${web}:8080`, "web"])
    client.ask("cluster", [cluster])
    expect(client.told()).toEqual(["lds", "cds"])
  })

  test("that are asked for with a star stay for the grace as well", async () => {
    const { clock, registry, hub } = setUp()
    const client = new RawClient(hub, { node })
    client.ask("listener", ["*"])
    client.ack("listener", ["*"])
    client.told()
    registry.remove(web)
    await clock.advance("4s")
    for (const line of client.told()) expect(line).toBe(`lds ${web}:8080`)
    await clock.advance("2s")
    expect(client.told()).toEqual(["lds"])
  })
})
