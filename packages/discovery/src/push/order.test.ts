import { memoryMetrics, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { StaticRegistry } from "../registry/static-registry.ts"
import { RawClient } from "../testing/raw-client.ts"
import { testEndpoint, testService } from "../testing/samples.ts"
import { Hub } from "./hub.ts"

const ports = (port: number) => [{ name: "http", port, protocol: "HTTP" }] as const
const host = (name: string) => `${name}.shop.svc.cluster.local`

test.each(["sotw", "delta"] as const)(
  "%s: a service on a port of its own comes as cluster, endpoints, listener, route: whatever names a thing comes after it",
  async (protocol) => {
    const clock = new VirtualClock()
    const registry = new StaticRegistry()
    const hub = new Hub({ registry, clock, metrics: memoryMetrics() })
    const client = new RawClient(hub, { protocol })
    for (const kind of ["route", "listener", "endpoint", "cluster"] as const)
      client.ask(kind, kind === "route" ? ["9090"] : kind === "endpoint" ? ["outbound|9090||none"] : [])
    for (const kind of ["route", "listener", "endpoint", "cluster"] as const) client.ack(kind)
    client.told()
    registry.put(testService("web", { ports: ports(9_090) }))
    registry.putEndpoints(host("web"), [testEndpoint("10.0.0.1", 80)])
    await clock.advance("1s")
    expect(client.told().map((line) => line.slice(0, 3))).toEqual(["cds", "eds", "lds", "rds"])
  },
)
