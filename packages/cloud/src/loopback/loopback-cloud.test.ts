import { once } from "node:events"
import type { Service } from "@pilothouse/api/core/v1"
import { memoryMetrics } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { describe, expect, test } from "vitest"
import { contractService } from "../contract/index.ts"
import { clientAffinity, specFingerprint } from "./listener-spec.ts"
import { addressesFor, mustMove, onlyAddress } from "./loopback-address.ts"
import { LoopbackCloud } from "./loopback-cloud.ts"
import { loopbackProvider } from "./provider.ts"
import { ask, echo, stay } from "./testing/traffic.ts"

const signal = new AbortController().signal

/** Asks for 127.177.9.1, on a port that no other test asks for. */
function service(uid: string, port: number): Service {
  const { spec, ...rest } = contractService([], uid)
  return { ...rest, spec: { ...spec, loadBalancerIP: "127.177.9.1", ports: [{ port, protocol: "TCP" }] } }
}

function start() {
  const cloud = new LoopbackCloud({ clock: systemClock })
  const balancers = loopbackProvider({ cloud }).loadBalancers!
  const address = async (one: Service) => (await balancers.get(one, signal))?.ingress?.[0]?.ip
  return { cloud, balancers, address }
}

test("two Services that were made at once had the one address that both asked for", async () => {
  const { cloud, balancers, address } = start()
  await using _ = cloud
  const [one, two] = [service("1", 18_091), service("2", 18_092)]
  await Promise.all([balancers.ensure(one, [], signal), balancers.ensure(two, [], signal)])
  const [first, second] = [await address(one), await address(two)]
  expect([first, first === second]).toEqual(["127.177.9.1", false])
})

test("keeps a balancer whose requested address is taken, and moves it once the address is free", async () => {
  const { cloud, balancers, address } = start()
  await using _ = cloud
  const [one, two] = [service("1", 18_093), service("2", 18_094)]
  await balancers.ensure(one, [], signal)
  await balancers.ensure(two, [], signal)
  const before = cloud.writes
  expect(await balancers.ensure(two, [], signal)).toMatchObject({ changed: false })
  expect(cloud.writes).toBe(before)
  await balancers.ensureDeleted(one, signal)
  expect(await balancers.ensure(two, [], signal)).toMatchObject({ changed: true })
  expect(await address(two)).toBe("127.177.9.1")
})

test("an address whose balancer could not be made is free again", async () => {
  const { cloud, balancers, address } = start()
  await using _ = cloud
  const good = service("1", 18_095)
  const bad: Service = { ...good, spec: { ...good.spec, ports: [{ port: 18_095, protocol: "SCTP" }] } }
  await expect(balancers.ensure(bad, [], signal)).rejects.toThrow("expected TCP or UDP, found SCTP")
  await balancers.ensure(good, [], signal)
  expect(await address(good)).toBe("127.177.9.1")
})

test("a balancer has the endpoints that were set before it was created, and no others'", async () => {
  await using mine = await echo("mine")
  await using theirs = await echo("theirs")
  const { cloud, balancers } = start()
  await using _ = cloud
  const own = service("1", 18_096)
  const other: Service = { ...service("2", 18_097), metadata: { name: "other", namespace: "default", uid: "2" } }
  cloud.setTargets("kubernetes", "default/web", new Map([["TCP 18096", [mine.target]]]))
  await balancers.ensure(own, [], signal)
  await balancers.ensure(other, [], signal)
  cloud.setTargets("kubernetes", "default/other", new Map([["TCP 18096", [theirs.target]]]))
  expect(await ask("127.177.9.1", 18_096, "a")).toBe("mine:a")
})

test("a port that the Service has no more is closed, and the others stay open", async () => {
  await using one = await echo("one")
  const { cloud, balancers } = start()
  await using _ = cloud
  const both = service("1", 18_098)
  await balancers.ensure({ ...both, spec: { ...both.spec, ports: [...both.spec!.ports!, { port: 18_099, protocol: "TCP" }] } }, [], signal)
  cloud.setTargets("kubernetes", "default/web", new Map(["TCP 18098", "TCP 18099"].map((name) => [name, [one.target]])))
  expect(await ask("127.177.9.1", 18_099, "a")).toBe("one:a")
  await balancers.ensure(both, [], signal)
  expect(await ask("127.177.9.1", 18_098, "a")).toBe("one:a")
  await expect(ask("127.177.9.1", 18_099, "a")).rejects.toMatchObject({ code: "ECONNREFUSED" })
})

test("a balancer comes back to where it was, also where that is not the likeliest address", async () => {
  const { cloud, balancers, address } = start()
  await using _ = cloud
  const known: Service = { ...contractService([], "9"), status: { loadBalancer: { ingress: [{ ip: "127.177.9.2" }] } } }
  await balancers.ensure(known, [], signal)
  expect(await address(known)).toBe("127.177.9.2")
})

test("a status that names 127.0.0.1 moved the balancer to the host's own address", async () => {
  const { cloud, balancers, address } = start()
  await using _ = cloud
  const { loadBalancerIP: _none, ...spec } = service("8", 18_090).spec!
  const claimed: Service = { ...service("8", 18_090), spec, status: { loadBalancer: { ingress: [{ ip: "127.0.0.1" }] } } }
  await balancers.ensure(claimed, [], signal)
  expect(await address(claimed)).toMatch(/^127\.(12[89]|1[3-9]\d|2\d\d)\./)
})

test("what was counted for a Service stayed for ever: it goes when its balancer is deleted and its last connection has ended", async () => {
  await using endpoint = await echo("one")
  const metrics = memoryMetrics()
  const cloud = new LoopbackCloud({ clock: systemClock, metrics })
  await using _ = cloud
  const balancers = loopbackProvider({ cloud }).loadBalancers!
  const own = service("7", 18_089)
  await balancers.ensure(own, [], signal)
  cloud.setTargets("kubernetes", "default/web", new Map([["TCP 18089", [endpoint.target]]]))
  const { socket } = await stay("127.177.9.1", 18_089)
  await balancers.ensureDeleted(own, signal)
  const series = () => metrics.text().match(/^pilothouse_loopback_\w+\{/gm) ?? []
  expect(series().length).toBeGreaterThan(0)
  socket.end()
  await once(socket.resume(), "close")
  while (series().length > 0) await new Promise((resolve) => setImmediate(resolve))
})

describe("addresses", () => {
  test("are never those of a network or of all in it, and never those of pods", () => {
    const all = Array.from({ length: 300 }, (_, at) => [...addressesFor(`balancer-${at}`)]).flat()
    const numbers = all.map((text) => text.split(".").map(Number))
    expect(numbers.filter(([, second = 0, , last = 0]) => second < 128 || second > 254 || last === 0 || last === 255)).toEqual([])
    expect([...addressesFor("a")]).toEqual([...addressesFor("a")])
  })

  test("a system that has only one keeps a balancer there, whatever is asked for", () => {
    expect([mustMove(onlyAddress, service("1", 80), () => false), mustMove("127.1.2.3", service("1", 80), () => false)]).toEqual([
      false,
      true,
    ])
  })
})

test("affinity lasts three hours by default, and another time is another balancer", () => {
  const sticky = (timeoutSeconds?: number) => ({
    sessionAffinity: "ClientIP" as const,
    ...(timeoutSeconds && { sessionAffinityConfig: { clientIP: { timeoutSeconds } } }),
  })
  expect([clientAffinity({}), clientAffinity(sticky()), clientAffinity(sticky(60))]).toEqual([
    undefined,
    { timeout: 10_800_000 },
    { timeout: 60_000 },
  ])
  const facts = [sticky(60), sticky(61)].map((spec) => specFingerprint({ ...contractService(), spec }))
  expect(new Set(facts).size).toBe(2)
})
