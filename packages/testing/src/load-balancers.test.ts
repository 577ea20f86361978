import { type Service, services } from "@pilothouse/api/core/v1"
import { CloudError, MemoryCloud, memoryProvider } from "@pilothouse/cloud"
import type { Clock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { cluster } from "./cluster.ts"
import type { Cluster, ClusterOptions } from "./cluster-options.ts"

function web(name = "web"): Service {
  const spec = { type: "LoadBalancer" as const, ports: [{ port: 80 }], selector: { app: name } }
  return { apiVersion: "v1", kind: "Service", metadata: { name, namespace: "default" }, spec }
}

async function addressOf({ client }: Cluster, name = "web"): Promise<string | undefined> {
  return (await client.get(services, `default/${name}`)).status?.loadBalancer?.ingress?.[0]?.ip
}

test("a Service of type LoadBalancer gets an address, and another one another", async () => {
  await using c = await cluster()
  await c.apply(web())
  await c.apply(web("api"))
  await c.settled()
  expect([await addressOf(c), await addressOf(c, "api")].sort()).toEqual(["192.0.2.1", "192.0.2.2"])
})

test.each<[what: string, options: ClusterOptions, runs: boolean]>([
  ["all controllers", {}, true],
  ["that controller alone", { controllers: ["service"] }, true],
  ["all others", { controllers: ["*", "-service-lb-controller"] }, false],
  ["other controllers", { controllers: ["deployment"] }, false],
  ["no provider", { loadBalancers: false }, false],
])("with %s", async (_what, options, runs) => {
  await using c = await cluster(options)
  await c.apply(web())
  await c.settled()
  expect({ runs: c.controllerNames.has("service-lb-controller"), address: await addressOf(c) }).toEqual({
    runs,
    address: runs ? "192.0.2.1" : undefined,
  })
})

test("a cloud of one's own can fail, and outlives a crash of the controllers", async () => {
  const made: MemoryCloud[] = []
  const loadBalancers = (clock: Clock) => {
    const cloud = new MemoryCloud({
      clock,
      fault: ({ verb }) => (verb === "ensure" ? { fail: new CloudError("no quota left") } : undefined),
    })
    made.push(cloud)
    return memoryProvider({ cloud })
  }
  await using c = await cluster({ controllers: ["service"], loadBalancers })
  const [cloud] = made
  await c.apply(web())
  await c.advance("1s")
  expect(await addressOf(c)).toBeUndefined()
  cloud!.fault = () => undefined
  await c.advance("5s")
  expect(await addressOf(c)).toBe("192.0.2.1")
  await c.restartControllers()
  await c.apply(web("api"))
  await c.settled()
  expect({ clouds: made.length, balancers: cloud!.balancers.size, address: await addressOf(c, "api") }).toEqual({
    clouds: 1,
    balancers: 2,
    address: "192.0.2.2",
  })
})
