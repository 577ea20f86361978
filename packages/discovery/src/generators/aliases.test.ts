import { memoryMetrics, VirtualClock } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import type { Service } from "../model/service.ts"
import { Hub } from "../push/hub.ts"
import { StaticRegistry } from "../registry/static-registry.ts"
import { decoded } from "../server/debug.ts"
import { testService } from "../testing/samples.ts"
import { silentPeer } from "../testing/silent-peer.ts"
import type { Kind } from "../xds/kinds.ts"
import { clientOf } from "./client.ts"

const hostOf = (name: string, namespace = "shop") => `${name}.${namespace}.svc.cluster.local`
const cluster = `outbound|8080||${hostOf("web")}`

/** An ExternalName where these are aliases; as most of them it has no ports. */
function alias(name: string, target: string, rest: Partial<Service> = {}): Service {
  return testService(name, { ports: [], resolution: "dns", externalName: target, aliasOf: target, ...rest })
}

/** What a client of a namespace can have while these are there. */
function seenBy(generator: "envoy" | "grpc", services: readonly Service[], namespace = "shop") {
  const registry = new StaticRegistry()
  for (const service of services) registry.put(service)
  const hub = new Hub({ registry, clock: new VirtualClock(), metrics: memoryMetrics() })
  expect(hub.ready).toBe(true)
  const fields = { GENERATOR: { stringValue: generator }, NAMESPACE: { stringValue: namespace } }
  const session = hub.open(clientOf({ id: "n", metadata: { fields } }), "sotw", silentPeer)
  return {
    find: (kind: Kind, name: string) => decoded(hub.offerTo(session, kind).find(name)),
    names: (kind: Kind) => [...hub.offerTo(session, kind).names()],
  }
}

/** Cluster → domains without a port, of the routes of 8080. */
function domains(services: readonly Service[], namespace?: string): Readonly<Record<string, readonly string[]>> {
  const route = seenBy("envoy", services, namespace).find("route", "8080") as
    | { virtualHosts: readonly { domains: readonly string[]; routes: readonly { route: { cluster: string } }[] }[] }
    | undefined
  const hosts = (route?.virtualHosts ?? []).map(({ domains: all, routes }) => [
    routes[0]!.route.cluster,
    all.filter((domain) => !domain.endsWith(":8080")),
  ])
  return Object.fromEntries(hosts.filter(([name]) => name !== "PassthroughCluster"))
}

const ofWeb = [hostOf("web"), "web.shop.svc", "web.shop", "web"]
const spelled = (name: string) => [hostOf(name), `${name}.shop.svc`, `${name}.shop`, name]

describe("routes of Envoy", () => {
  test("the virtual host of a target has the names of its alias, in every spelling, with and without the port", () => {
    const services = [testService("web"), alias("old", hostOf("web"))]
    expect(domains(services)).toEqual({ [cluster]: [...ofWeb, ...spelled("old")] })
    expect(JSON.stringify(seenBy("envoy", services).find("route", "8080"))).toContain(`"old.shop:8080"`)
  })
  test("the shortest name of an alias counts only inside its own namespace", () => {
    const services = [testService("web"), alias("old", hostOf("web"), { namespace: "attic" })]
    expect(domains(services)[cluster]).toEqual([...ofWeb, hostOf("old", "attic"), "old.attic.svc", "old.attic"])
    expect(domains(services, "attic")[cluster]).toContain("old")
  })
  test("several aliases stand in order of namespace and host", () => {
    const to = hostOf("web")
    const all = domains([testService("web"), alias("b", to), alias("c", to, { namespace: "attic" }), alias("a", to)])[cluster]!
    expect(all.filter((domain) => domain.endsWith(".local"))).toEqual([to, hostOf("c", "attic"), hostOf("a"), hostOf("b")])
  })
  test("the ports of an alias mean nothing: the target's count", () => {
    const ports = [{ name: "http", port: 9999, protocol: "HTTP" as const }]
    const services = [testService("web"), alias("old", hostOf("web"), { ports })]
    expect(domains(services)[cluster]).toContain("old")
    expect(seenBy("envoy", services).find("route", "9999")).toBeUndefined()
    expect(seenBy("envoy", services).names("route")).toEqual(["8080"])
  })
  test("an alias of an alias is one of the service at the end", () => {
    const chain = [testService("web"), alias("old", hostOf("web")), alias("older", hostOf("old")), alias("a", hostOf("older"))]
    expect(domains(chain)).toEqual({ [cluster]: [...ofWeb, ...spelled("a"), ...spelled("old"), ...spelled("older")] })
  })
  test.each([
    ["in a circle", [alias("a", hostOf("b")), alias("b", hostOf("a"))]],
    ["to itself", [alias("a", hostOf("a"))]],
    ["into a circle", [alias("a", hostOf("b")), alias("b", hostOf("c")), alias("c", hostOf("b"))]],
    ["to a host that is not there", [alias("a", "api.example.com")]],
    ["to a host that is not there, by another", [alias("a", hostOf("b")), alias("b", "api.example.com")]],
    ["to a name that is not whole", [alias("a", "web.shop")]],
  ])("an alias that leads %s is sent to no client", (_where, aliases) => {
    expect(domains([testService("web"), ...aliases])).toEqual({ [cluster]: ofWeb })
    expect(seenBy("grpc", [testService("web"), ...aliases]).find("listener", "a:8080")).toBeUndefined()
  })
  test.each([
    ["every namespace", ["*"], "other", true],
    ["no namespace", ["~"], "shop", false],
    ["its own namespace, from inside", ["."], "shop", true],
    ["its own namespace, from outside", ["."], "other", false],
    ["a named namespace", ["other"], "other", true],
  ])("an alias exported to %s", (_to, exportTo, namespace, isSeen) => {
    const services = [testService("web"), alias("old", hostOf("web"), { exportTo })]
    expect(domains(services, namespace)[cluster]!.includes(hostOf("old"))).toBe(isSeen)
    expect(seenBy("grpc", services, namespace).find("listener", "old.shop:8080") !== undefined).toBe(isSeen)
  })
  test("an alias does not reveal a hidden target", () => {
    const services = [testService("web", { exportTo: ["."] }), alias("old", hostOf("web"), { namespace: "other" })]
    expect(domains(services, "other")).toEqual({})
    expect(seenBy("grpc", services, "other").find("listener", "old:8080")).toBeUndefined()
  })
})

test.each(["envoy", "grpc"] as const)("%s: an alias has no cluster and no endpoints, whatever ports it has", (generator) => {
  const { ports } = testService("x")
  const client = seenBy(generator, [testService("web"), alias("old", hostOf("web"), { ports })])
  const own = `outbound|8080||${hostOf("old")}`
  expect(client.find("cluster", own)).toBeUndefined()
  expect(client.names("cluster").filter((name) => name.includes("old"))).toEqual([])
  expect(client.names("endpoint").filter((name) => name.includes("old"))).toEqual([])
  expect(client.find("cluster", cluster)).toMatchObject({ type: "EDS" })
})

test("Envoy: an alias alone opens no listener", () => {
  const { ports } = testService("x")
  const client = seenBy("envoy", [alias("old", "api.example.com", { ports })])
  expect(client.names("listener")).toEqual(["virtualOutbound"])
})

describe("listeners of gRPC", () => {
  const services = [testService("web"), alias("old", hostOf("web")), alias("older", hostOf("old"))]
  test.each([[`${hostOf("old")}:8080`], ["old.shop.svc:8080"], ["old.shop:8080"], ["old:8080"], ["old"], ["older:8080"]])(
    "%s leads to the route of the target",
    (name) => {
      const listener = JSON.stringify(seenBy("grpc", services).find("listener", name))
      expect(listener).toContain(`"name":"${name}"`)
      expect(listener).toContain(`"routeConfigName":"${cluster}"`)
    },
  )
  test("a port that the target does not have leads nowhere", () => {
    expect(seenBy("grpc", services).find("listener", "old:9090")).toBeUndefined()
  })
  test("without a port it is the target's only one, or none", () => {
    const ports = [...testService("web").ports, { name: "grpc", port: 9090, protocol: "GRPC" as const }]
    const two = seenBy("grpc", [testService("web", { ports }), alias("old", hostOf("web"))])
    expect(two.find("listener", "old")).toBeUndefined()
    expect(two.find("listener", "old:9090")).toBeDefined()
  })
  test("who asks for all gets those of aliases too, but no routes of theirs", () => {
    const client = seenBy("grpc", services)
    expect(client.names("listener")).toEqual([`${hostOf("old")}:8080`, `${hostOf("older")}:8080`, `${hostOf("web")}:8080`])
    expect(client.names("route")).toEqual([cluster])
  })
})

test("where ExternalNames are instances nothing is an alias: each has a cluster by DNS and a virtual host of its own", () => {
  const external = testService("old", { resolution: "dns", externalName: hostOf("web") })
  const own = `outbound|8080||${hostOf("old")}`
  expect(domains([testService("web"), external])).toEqual({ [cluster]: ofWeb, [own]: spelled("old") })
  expect(seenBy("envoy", [testService("web"), external]).find("cluster", own)).toMatchObject({ type: "STRICT_DNS" })
  expect(seenBy("grpc", [testService("web"), external]).find("cluster", own)).toMatchObject({ type: "LOGICAL_DNS" })
})
