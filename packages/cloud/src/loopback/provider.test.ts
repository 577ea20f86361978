import { createSocket } from "node:dgram"
import { once } from "node:events"
import { createServer } from "node:net"
import { networkInterfaces } from "node:os"
import { Duplex } from "node:stream"
import type { Service, ServicePort } from "@pilothouse/api/core/v1"
import { memoryMetrics } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { describe, expect, test } from "vitest"
import { contractService, providerContract } from "../contract/index.ts"
import type { LoadBalancers } from "../provider/provider.ts"
import { LoopbackCloud, type LoopbackCloudOptions } from "./loopback-cloud.ts"
import { loopbackProvider } from "./provider.ts"
import type { Target } from "./targets/targets.ts"
import { ask, drained, echo, freePort, stay, udpAsk, udpEcho } from "./testing/traffic.ts"

providerContract("loopback", async () => {
  const cloud = new LoopbackCloud({ clock: systemClock })
  return {
    provider: (clusterName) => loopbackProvider({ cloud, clusterName }),
    balancers: async () => cloud.names,
    writes: () => cloud.writes,
    deleteOutOfBand: (name) => cloud.delete(name),
    [Symbol.asyncDispose]: () => cloud[Symbol.asyncDispose](),
  }
})

const signal = new AbortController().signal
const web: ServicePort = { name: "web", port: 18_080, protocol: "TCP" }
const dns: ServicePort = { name: "dns", port: 18_053, protocol: "UDP" }

interface Open extends AsyncDisposable {
  readonly cloud: LoopbackCloud
  readonly balancers: LoadBalancers
  readonly service: Service
  readonly address: string
  /** Endpoints of the port, in place of those it had. */
  endpoints(targets: readonly Target[], port?: ServicePort): void
}

async function open(spec: Partial<NonNullable<Service["spec"]>> = {}, options: Partial<LoopbackCloudOptions> = {}): Promise<Open> {
  const cloud = new LoopbackCloud({ clock: systemClock, ...options })
  const balancers = loopbackProvider({ cloud }).loadBalancers!
  const base = contractService()
  const service = { ...base, spec: { ...base.spec, ports: [web], ...spec } }
  const { status } = await balancers.ensure(service, [], signal)
  return {
    cloud,
    balancers,
    service,
    address: status.ingress?.[0]?.ip ?? "",
    endpoints: (targets, port = web) =>
      cloud.setTargets("kubernetes", "default/web", new Map([[`${port.protocol} ${port.port}`, targets]])),
    [Symbol.asyncDispose]: () => cloud[Symbol.asyncDispose](),
  }
}

describe("TCP", () => {
  test("each Service has an address of its own, and connections go round", async () => {
    await using one = await echo("one")
    await using two = await echo("two")
    await using balancer = await open()
    balancer.endpoints([one.target, two.target])
    expect(balancer.address).toMatch(/^127\./)
    const answers: string[] = []
    for (let time = 0; time < 4; time++) answers.push(await ask(balancer.address, web.port, "hello"))
    expect(answers).toEqual(["one:hello", "two:hello", "one:hello", "two:hello"])
    expect(balancer.cloud.serves("127.0.0.1")).toBe(true)
    balancer.endpoints([])
    expect(balancer.cloud.serves("127.0.0.1")).toBe(false)
  })

  test("a megabyte comes back whole, though the client has ended its side", async () => {
    await using one = await echo("one")
    await using balancer = await open()
    balancer.endpoints([one.target])
    const much = "x".repeat(1_000_000)
    expect(await ask(balancer.address, web.port, much)).toBe(`one:${much}`)
  })

  test("an endpoint that refuses before any byte is passed over, and no request is lost", async () => {
    const metrics = memoryMetrics()
    await using gone = await echo("gone")
    await using one = await echo("one")
    await gone[Symbol.asyncDispose]()
    await using balancer = await open({}, { metrics })
    balancer.endpoints([gone.target, one.target])
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(balancer.address, web.port, "hello")))
    expect(new Set(answers)).toEqual(new Set(["one:hello"]))
    const text = metrics.text()
    expect(text).toContain('pilothouse_loopback_connections_total{service="default/web"} 20')
    expect(text).toMatch(/pilothouse_loopback_connect_failures_total\{service="default\/web"\} \d+/)
    expect(text).toContain('pilothouse_loopback_connections{service="default/web"} 0')
  })

  test("without a ready endpoint a connection is reset", async () => {
    await using balancer = await open()
    await expect(ask(balancer.address, web.port, "hello")).rejects.toMatchObject({ code: "ECONNRESET" })
  })

  test("a terminating endpoint takes no new connection, and the one it has goes on", async () => {
    await using old = await echo("old")
    await using young = await echo("young")
    await using balancer = await open()
    balancer.endpoints([old.target])
    const { socket, first } = await stay(balancer.address, web.port)
    expect(first).toBe("old:")
    balancer.endpoints([young.target])
    expect(await ask(balancer.address, web.port, "hello")).toBe("young:hello")
    socket.write("still there")
    expect(String(await once(socket, "data"))).toBe("still there")
    socket.destroy()
  })

  test("endpoints are replaced one by one under load, and no request of 1,000 fails", async () => {
    await using balancer = await open()
    const ready = [await echo("0"), await echo("1"), await echo("2")]
    balancer.endpoints(ready.map(({ target }) => target))
    // Shared: each number is one request of one of the clients.
    const requests = Array.from({ length: 1000 }).keys()
    const client = async () => {
      for (const _request of requests) expect(await ask(balancer.address, web.port, "hello")).toMatch(/^\d+:hello$/)
    }
    const roll = async () => {
      for (let name = 3; name < 40; name++) {
        const old = ready.shift()
        ready.push(await echo(String(name)))
        balancer.endpoints(ready.map(({ target }) => target))
        // What was on its way is answered before it goes: it drains, as a server should.
        await ask(balancer.address, web.port, "hello")
        await drained(old!)
      }
    }
    await Promise.all([roll(), ...Array.from({ length: 10 }, client)])
    await Promise.all(ready.map((endpoint) => endpoint[Symbol.asyncDispose]()))
  })

  test("ClientIP affinity keeps a client with its endpoint while that is ready", async () => {
    await using one = await echo("one")
    await using two = await echo("two")
    await using balancer = await open({ sessionAffinity: "ClientIP" })
    balancer.endpoints([one.target, two.target])
    const answers: string[] = []
    for (let time = 0; time < 3; time++) answers.push(await ask(balancer.address, web.port, "a", "127.0.0.2"))
    expect(new Set(answers).size).toBe(1)
    expect(await ask(balancer.address, web.port, "a", "127.0.0.3")).not.toBe(answers[0])
    balancer.endpoints([answers[0] === "one:a" ? two.target : one.target])
    expect(await ask(balancer.address, web.port, "a", "127.0.0.2")).not.toBe(answers[0])
  })

  test("who comes from outside the source ranges is refused", async () => {
    await using one = await echo("one")
    await using balancer = await open({ loadBalancerSourceRanges: ["127.0.0.2/32", "10.0.0.0/8"] })
    balancer.endpoints([one.target])
    expect(await ask(balancer.address, web.port, "a", "127.0.0.2")).toBe("one:a")
    await expect(ask(balancer.address, web.port, "a", "127.0.0.3")).rejects.toMatchObject({ code: "ECONNRESET" })
  })

  test("connection draining: a deleted balancer takes no new connection, and what is open may end", async () => {
    await using one = await echo("one")
    await using balancer = await open()
    balancer.endpoints([one.target])
    const { socket } = await stay(balancer.address, web.port)
    await balancer.balancers.ensureDeleted(balancer.service, signal)
    await expect(ask(balancer.address, web.port, "hello")).rejects.toMatchObject({ code: "ECONNREFUSED" })
    socket.end("last words")
    expect(String(await once(socket, "data"))).toBe("last words")
    await once(socket, "close")
  })

  test("and is cut when the time is over", async () => {
    await using one = await echo("one")
    await using balancer = await open({}, { drain: 1 })
    balancer.endpoints([one.target])
    const { socket } = await stay(balancer.address, web.port)
    await balancer.balancers.ensureDeleted(balancer.service, signal)
    socket.resume()
    await once(socket, "end")
    expect(socket.readableEnded).toBe(true)
    socket.destroy()
  })

  test("a port that cannot be bound is mapped, and shown in the status and in a notice", async () => {
    const address = await (async () => {
      await using first = await open()
      return first.address
    })()
    const other = createServer().listen(web.port, address)
    await once(other, "listening")
    await using balancer = await open()
    const { status, notices } = await balancer.balancers.ensure(balancer.service, [], signal)
    expect(status.ingress).toEqual([
      { ip: address, ipMode: "VIP", ports: [{ port: web.port, protocol: "TCP", error: "pilothouse.dev/PortMappedTo26080" }] },
    ])
    expect(notices).toEqual([
      {
        type: "Normal",
        reason: "PortMapped",
        message: `Port ${web.port}/TCP cannot be bound on ${address} here, use ${address}:26080 instead`,
      },
    ])
    await using one = await echo("one")
    balancer.endpoints([one.target])
    expect(await ask(address, 26_080, "hello")).toBe("one:hello")
    other.close()
  })

  test("where the system has only 127.0.0.1 all share it, and each keeps its port over a restart", async () => {
    // An address that the host lacks: the system reports for it what others report for 127.1.2.3.
    const addresses = () => ["192.0.2.1"]
    const make = async () => {
      const cloud = new LoopbackCloud({ clock: systemClock, addresses })
      return { cloud, balancers: loopbackProvider({ cloud }).loadBalancers! }
    }
    const ports = [{ ...web, port: await freePort() }]
    const withUid = (uid: string): Service => ({ ...contractService([], uid), spec: { type: "LoadBalancer", ports } })
    const [one, two] = [withUid("1"), withUid("2")]
    const first = await make()
    const [ofOne, ofTwo] = [await first.balancers.ensure(one, [], signal), await first.balancers.ensure(two, [], signal)]
    expect(ofOne.status.ingress).toEqual([{ ip: "127.0.0.1", ipMode: "VIP" }])
    expect(ofTwo.status.ingress?.[0]).toMatchObject({
      ip: "127.0.0.1",
      ports: [{ error: expect.stringMatching(/^pilothouse\.dev\/PortMappedTo\d+$/) }],
    })
    await first.cloud[Symbol.asyncDispose]()
    const second = await make()
    const again = { ...two, status: { loadBalancer: ofTwo.status } }
    expect(await second.balancers.ensure(again, [], signal)).toMatchObject({ status: ofTwo.status, changed: false })
    expect(await second.balancers.ensure(one, [], signal)).toMatchObject({ status: ofOne.status })
    await second.cloud[Symbol.asyncDispose]()
  })

  test("a Service that asks for an address gets it, and moves when it asks for another", async () => {
    await using balancer = await open({ loadBalancerIP: "127.177.0.1" })
    expect(balancer.address).toBe("127.177.0.1")
    const moved = { ...balancer.service, spec: { ...balancer.service.spec, loadBalancerIP: "127.177.0.2" } }
    expect((await balancer.balancers.ensure(moved, [], signal)).status.ingress).toEqual([{ ip: "127.177.0.2", ipMode: "VIP" }])
  })

  test.each([
    ["is not of this machine", "8.8.8.8"],
    ["is of another range", "10.1.2.3"],
    ["is none", "127.999.0.1"],
    ["is the host's own", "127.0.0.1"],
    ["is that of a process pod", "127.116.1.1"],
    ["is a network", "127.177.0.0"],
    // Bound, it would be missing, which sent the balancer to 127.0.0.1.
    ["is a broadcast address", "127.255.255.255"],
    ["another Service has", "127.177.0.3"],
  ])("an event says that an address that %s is ignored", async (_what, requested) => {
    await using balancer = await open({ loadBalancerIP: "127.177.0.3" })
    const met = await balancer.balancers.ensure(balancer.service, [], signal)
    expect(met.notices).toEqual([])
    const base = contractService([], "another")
    const other = { ...base, spec: { ...base.spec, ports: [web], loadBalancerIP: requested } }
    const { status, notices } = await balancer.balancers.ensure(other, [], signal)
    const address = status.ingress?.[0]?.ip
    expect(address).toMatch(/^127\.(12[89]|1[3-9]\d|2\d\d)\./)
    const message = `expected an address of 127.128.0.0/9 in spec.loadBalancerIP that this system has and no other Service uses, found ${requested}; ${address} is used`
    expect(notices).toEqual([{ type: "Warning", reason: "LoadBalancerIPIgnored", message }])
  })

  test("a pod that answers in this process is never dialled over the network", async () => {
    const dialled: string[] = []
    const dialer = {
      async dial(ip: string, port: number) {
        dialled.push(`${ip}:${port}`)
        const pod: Duplex = new Duplex({
          read() {},
          write: (chunk, _encoding, done) => (pod.push(`pod:${chunk}`), done()),
          final: () => void pod.push(null),
        })
        return pod
      },
      open: () => ({ send() {}, close() {} }),
    }
    await using balancer = await open({}, { dialer })
    balancer.endpoints([{ address: "10.244.0.7", port: 80 }])
    expect(await ask(balancer.address, web.port, "hello")).toBe("pod:hello")
    expect(dialled).toEqual(["10.244.0.7:80"])
  })
})

describe("UDP", () => {
  test("a flow stays with its endpoint, and moves when that terminates", async () => {
    await using one = await udpEcho("one")
    await using two = await udpEcho("two")
    await using balancer = await open({ ports: [dns] })
    balancer.endpoints([one.target, two.target], dns)
    const client = createSocket("udp4")
    const first = await udpAsk(client, balancer.address, dns.port, "a")
    expect(await udpAsk(client, balancer.address, dns.port, "a")).toBe(first)
    balancer.endpoints([first === "one:a" ? two.target : one.target], dns)
    expect(await udpAsk(client, balancer.address, dns.port, "a")).toBe(first === "one:a" ? "two:a" : "one:a")
    client.close()
  })

  test("other clients go to other endpoints", async () => {
    await using one = await udpEcho("one")
    await using two = await udpEcho("two")
    await using balancer = await open({ ports: [dns] })
    balancer.endpoints([one.target, two.target], dns)
    const answers = new Set<string>()
    for (let time = 0; time < 2; time++) {
      const client = createSocket("udp4")
      answers.add(await udpAsk(client, balancer.address, dns.port, "a"))
      client.close()
    }
    expect(answers).toEqual(new Set(["one:a", "two:a"]))
  })
})

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"))

describe.runIf(hasIpv6)("IPv6", () => {
  test("a Service of both families has both addresses, which lead to the same endpoints", async () => {
    await using one = await echo("one")
    await using udp = await udpEcho("udp")
    await using balancer = await open({
      ipFamilies: ["IPv4", "IPv6"],
      ports: [
        { ...web, port: await freePort() },
        { ...dns, port: await freePort() },
      ],
    })
    const [tcpPort, udpPort] = balancer.service.spec!.ports!.map(({ port }) => port)
    balancer.cloud.setTargets(
      "kubernetes",
      "default/web",
      new Map([
        [`TCP ${tcpPort}`, [one.target]],
        [`UDP ${udpPort}`, [udp.target]],
      ]),
    )
    const { status } = await balancer.balancers.ensure(balancer.service, [], signal)
    expect(status.ingress?.map(({ ip }) => ip)).toEqual([balancer.address, "::1"])
    expect([await ask(balancer.address, tcpPort!, "a"), await ask("::1", tcpPort!, "a")]).toEqual(["one:a", "one:a"])
    const client = createSocket("udp6")
    expect(await udpAsk(client, "::1", udpPort!, "a")).toBe("udp:a")
    client.close()
  })

  test("of IPv6 alone it has that alone; two Services share it, each with ports of its own", async () => {
    const ports = [{ ...web, port: await freePort() }]
    const cloud = new LoopbackCloud({ clock: systemClock })
    const { loadBalancers } = loopbackProvider({ cloud })
    const service = (uid: string): Service => ({ ...contractService([], uid), spec: { type: "LoadBalancer", ipFamilies: ["IPv6"], ports } })
    const first = await loadBalancers!.ensure(service("1"), [], signal)
    expect(first.status.ingress).toEqual([{ ip: "::1", ipMode: "VIP" }])
    const second = await loadBalancers!.ensure(service("2"), [], signal)
    expect(second.notices?.[0]?.message).toMatch(/^Port \d+\/TCP cannot be bound on ::1 here, use \[::1\]:\d+ instead$/)
    await cloud[Symbol.asyncDispose]()
  })

  test("a Service that asks for another family moves", async () => {
    await using balancer = await open({ ports: [{ ...web, port: await freePort() }] })
    const moved = { ...balancer.service, spec: { ...balancer.service.spec, ipFamilies: ["IPv6"] as const } } as Service
    expect((await balancer.balancers.ensure(moved, [], signal)).status.ingress?.map(({ ip }) => ip)).toEqual(["::1"])
    expect((await balancer.balancers.ensure(balancer.service, [], signal)).status.ingress?.[0]?.ip).toBe(balancer.address)
  })
})
