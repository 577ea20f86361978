import { once } from "node:events"
import { connect as connectHttp2, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http2"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import * as grpc from "@grpc/grpc-js"
import { memoryMetrics, VirtualClock } from "@pilothouse/seams"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { Hub } from "../push/hub.ts"
import { StaticRegistry } from "../registry/static-registry.ts"
import { certificates } from "../testing/certificates.ts"
import { testEndpoint, testService } from "../testing/samples.ts"
import { messages } from "../wire/messages.ts"
import { typeUrls } from "../xds/kinds.ts"
import { type Credentials, type ServeXdsOptions, serveXds } from "./grpc-edge.ts"

const host = "web.shop.svc.cluster.local"
const cluster = `outbound|8080||${host}`
const asIs = (bytes: Buffer) => bytes

function setUp() {
  const registry = new StaticRegistry()
  registry.put(testService("web"))
  registry.putEndpoints(host, [testEndpoint("10.0.0.1", 80)])
  return { registry, hub: new Hub({ registry, clock: new VirtualClock(), metrics: memoryMetrics() }) }
}

/** One stream over a socket. `next` is the next response, or how the stream ended. */
function stream(address: string, credentials = grpc.credentials.createInsecure(), metadata = new grpc.Metadata()) {
  const client = new grpc.Client(address, credentials)
  const call = client.makeBidiStreamRequest(
    "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources",
    asIs,
    asIs,
    metadata,
  )
  const got: string[] = []
  let wake: () => void = () => undefined
  const add = (text: string) => {
    got.push(text)
    wake()
  }
  call.on("data", (bytes: Buffer) => {
    const { resources, nonce } = messages.discoveryResponse.decode(bytes) as { resources: readonly object[]; nonce: string }
    add(`${resources.length} resources, nonce ${nonce}`)
  })
  call.on("error", (error: grpc.ServiceError) => add(`${grpc.status[error.code]}: ${error.details}`))
  return {
    say: (value: object) => void call.write(Buffer.from(messages.discoveryRequest.encode(value))),
    sayBytes: (bytes: Buffer) => void call.write(bytes),
    next: async () => {
      while (got.length === 0) await new Promise<void>((resolve) => (wake = resolve))
      return got.shift()!
    },
    [Symbol.dispose]: () => {
      call.cancel()
      client.close()
    },
  }
}

const request = { node: { id: "n1" }, typeUrl: typeUrls.endpoint, resourceNames: [cluster] }

describe("over a socket", () => {
  test("what is asked for comes, and a change without being asked", async () => {
    const { hub, registry } = setUp()
    await using served = await serveXds({ hub })
    using one = stream(served.address)
    using two = stream(served.address)
    for (const client of [one, two]) client.say(request)
    expect(await one.next()).toBe("1 resources, nonce 1")
    expect(await two.next()).toBe("1 resources, nonce 1")
    registry.putEndpoints(host, [])
    expect(await one.next()).toBe("1 resources, nonce 2")
    expect(await two.next()).toBe("1 resources, nonce 2")
  })

  test("a node without an id gets an error that says so", async () => {
    await using served = await serveXds({ hub: setUp().hub })
    using client = stream(served.address)
    client.say({ ...request, node: {} })
    expect(await client.next()).toMatch(/^INVALID_ARGUMENT: expected a node with an id/)
  })

  test("garbage ends only the stream that sent it", async () => {
    const { hub } = setUp()
    await using served = await serveXds({ hub })
    using good = stream(served.address)
    good.say(request)
    await good.next()
    using bad = stream(served.address)
    bad.sayBytes(Buffer.from([0xff, 0xff, 0xff]))
    expect(await bad.next()).toMatch(/^INVALID_ARGUMENT: /)
    good.say({ ...request, resourceNames: [cluster, "another"], responseNonce: "1" })
    expect(await good.next()).toBe("1 resources, nonce 2")
  })

  test("not ready is UNAVAILABLE, one too many RESOURCE_EXHAUSTED", async () => {
    const { hub, registry } = setUp()
    registry.synced = false
    await using served = await serveXds({ hub, maximumStreams: 1 })
    using early = stream(served.address)
    early.say(request)
    expect(await early.next()).toMatch(/^UNAVAILABLE: /)
    registry.synced = true
    using first = stream(served.address)
    first.say(request)
    await first.next()
    using second = stream(served.address)
    second.say(request)
    expect(await second.next()).toMatch(/^RESOURCE_EXHAUSTED: /)
  })

  test("a session ends with its client", async () => {
    const { hub } = setUp()
    await using served = await serveXds({ hub })
    const client = stream(served.address)
    client.say(request)
    await client.next()
    expect(hub.sessions.size).toBe(1)
    client[Symbol.dispose]()
    using other = stream(served.address)
    other.say(request)
    await other.next()
    expect(hub.sessions.size).toBe(1)
  })
})

describe("what is no call of ADS", () => {
  async function asked(address: string, headers: OutgoingHttpHeaders) {
    const session = connectHttp2(`http://${address}`)
    try {
      const request = session.request({ ":method": "POST", ...headers })
      const [answer] = (await once(request, "response")) as [IncomingHttpHeaders]
      request.resume().end()
      await once(request, "close")
      return { status: answer[":status"], grpc: answer["grpc-status"], message: answer["grpc-message"] }
    } finally {
      session.close()
    }
  }

  test("another method is UNIMPLEMENTED, another content 415", async () => {
    await using served = await serveXds({ hub: setUp().hub })
    const grpcType = { "content-type": "application/grpc" }
    expect(await asked(served.address, { ":path": "/grpc.health.v1.Health/Check", ...grpcType })).toEqual({
      status: 200,
      grpc: "12",
      message: "expected a method of ADS, found /grpc.health.v1.Health/Check",
    })
    expect(await asked(served.address, { ":path": "/", "content-type": "text/html" })).toMatchObject({ status: 415 })
  })
})

test("a name that means this machine is listened on where clients try it", async () => {
  await using served = await serveXds({ hub: setUp().hub, host: "localhost" })
  expect(served.address).toMatch(/^localhost:\d+$/)
  using client = stream(served.address.replace("localhost", "127.0.0.1"))
  client.say(request)
  expect(await client.next()).toBe("1 resources, nonce 1")
})

describe("limits", () => {
  test("a request of more than 4 MiB ends its stream with a clear status, and no other client notices", async () => {
    const { hub } = setUp()
    await using served = await serveXds({ hub })
    using good = stream(served.address)
    good.say(request)
    await good.next()
    using big = stream(served.address)
    big.say({ ...request, resourceNames: Array.from({ length: 5 }, (_, n) => `${n}${"x".repeat(1024 * 1024)}`) })
    expect(await big.next()).toMatch(/^RESOURCE_EXHAUSTED: /)
    good.say({ ...request, resourceNames: [cluster, "another"], responseNonce: "1" })
    expect(await good.next()).toBe("1 resources, nonce 2")
    expect(hub.sessions.size).toBe(1)
  })

  test("a connection that falls silent without a word is given up, and its session ends", async () => {
    const { hub } = setUp()
    // A busy machine may take longer to answer than a test would wait: no client is pinged, nor given up, before there is silence.
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setTimeout", "clearTimeout"] })
    onTestFinished(() => void vi.useRealTimers())
    await using served = await serveXds({ hub, keepalive: { time: 20, timeout: 20 } })
    await using network = await silencedNetwork(Number(served.address.split(":")[1]))
    using client = stream(network.address)
    client.say(request)
    await client.next()
    const closed = new Promise<void>((resolve) => {
      const close = hub.close.bind(hub)
      hub.close = (session) => {
        close(session)
        resolve()
      }
    })
    network.silence()
    vi.advanceTimersByTime(20)
    expect(hub.sessions.size).toBe(1)
    vi.advanceTimersByTime(20)
    await closed
    expect(hub.sessions.size).toBe(0)
  })
})

/** Between client and server; it can stop carrying anything while both sides believe that it is there. */
async function silencedNetwork(port: number) {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    const onward = connect(port, "127.0.0.1")
    sockets.push(socket, onward)
    for (const one of [socket, onward]) one.on("error", () => undefined)
    socket.pipe(onward)
    onward.pipe(socket)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    silence: () => {
      for (const socket of sockets) socket.unpipe().pause()
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

describe("ports", () => {
  test("one that is taken is refused with a reason, and nothing is written to the screen", async () => {
    const screen = vi.spyOn(console, "error")
    await using served = await serveXds({ hub: setUp().hub })
    const port = Number(served.address.split(":")[1])
    await expect(serveXds({ hub: setUp().hub, port })).rejects.toMatchObject({
      code: "PORT_TAKEN",
      message: `expected 127.0.0.1:${port} to be free, found it taken; give another port`,
    })
    expect(screen.mock.calls).toEqual([])
    screen.mockRestore()
  })

  test("one that cannot be listened on for another reason says which", async () => {
    await expect(serveXds({ hub: setUp().hub, port: 70_000 })).rejects.toMatchObject({
      code: "INVALID",
      message: expect.stringContaining("70000") as string,
    })
  })

  test("one that is free is listened on", async () => {
    await using first = await serveXds({ hub: setUp().hub })
    const port = Number(first.address.split(":")[1])
    await first.close()
    await using again = await serveXds({ hub: setUp().hub, port })
    expect(again.address).toBe(`127.0.0.1:${port}`)
  })
})

describe("TLS", () => {
  const authority = Buffer.from(certificates.authority)
  const serve = (authenticate: (credentials: Credentials) => string | undefined, clientAuthority?: string) => {
    const tls: ServeXdsOptions["tls"] = {
      certificate: certificates.serverCertificate,
      key: certificates.serverKey,
      ...(clientAuthority !== undefined && { clientAuthority }),
      authenticate: async (credentials) => authenticate(credentials),
    }
    return serveXds({ hub: setUp().hub, tls })
  }

  test("anything but loopback needs it", async () => {
    for (const host of ["0.0.0.0", "127.example.org"])
      await expect(serveXds({ hub: setUp().hub, host })).rejects.toThrow(`expected TLS for ${host}, found none`)
  })

  test("a client certificate says who it is", async () => {
    const known = "spiffe://cluster.local/ns/shop/sa/client"
    await using served = await serve(({ uris }) => (uris.includes(known) ? undefined : `unknown: ${uris}`), certificates.authority)
    const own = grpc.credentials.createSsl(authority, Buffer.from(certificates.clientKey), Buffer.from(certificates.clientCertificate))
    using client = stream(served.address, own)
    client.say(request)
    expect(await client.next()).toBe("1 resources, nonce 1")
    using stranger = stream(served.address, grpc.credentials.createSsl(authority))
    stranger.say(request)
    expect(await stranger.next()).toMatch(/^UNAVAILABLE: /)
  })

  test("a token says it as well, and a wrong one is refused", async () => {
    await using served = await serve(({ token }) => (token === "good" ? undefined : "expected a good token"))
    const bearer = (token: string) => {
      const metadata = new grpc.Metadata()
      metadata.set("authorization", `Bearer ${token}`)
      return metadata
    }
    using client = stream(served.address, grpc.credentials.createSsl(authority), bearer("good"))
    client.say(request)
    expect(await client.next()).toBe("1 resources, nonce 1")
    using stranger = stream(served.address, grpc.credentials.createSsl(authority), bearer("bad"))
    stranger.say(request)
    expect(await stranger.next()).toBe("UNAUTHENTICATED: expected a good token")
  })

  const next = { certificate: certificates.nextServerCertificate, key: certificates.nextServerKey }
  /** The library shares a connection among clients that trust alike. */
  const freshSession = { rejectUnauthorized: true }
  const nextAuthority = Buffer.from(certificates.nextAuthority)

  test("another certificate meets new connections, and those that are there go on", async () => {
    const { hub, registry } = setUp()
    const tls = { certificate: certificates.serverCertificate, key: certificates.serverKey, authenticate: async () => undefined }
    await using served = await serveXds({ hub, tls })
    using before = stream(served.address, grpc.credentials.createSsl(authority))
    before.say(request)
    expect(await before.next()).toBe("1 resources, nonce 1")
    served.renew(next)
    using after = stream(served.address, grpc.credentials.createSsl(nextAuthority))
    after.say(request)
    expect(await after.next()).toBe("1 resources, nonce 1")
    using late = stream(served.address, grpc.credentials.createSsl(authority, null, null, freshSession))
    late.say(request)
    expect(await late.next()).toMatch(/^UNAVAILABLE: /)
    registry.putEndpoints(host, [])
    expect([await before.next(), await after.next()]).toEqual(["1 resources, nonce 2", "1 resources, nonce 2"])
  })

  test.each([
    ["a key of another certificate", { ...next, certificate: certificates.serverCertificate }],
    ["no PEM at all", { certificate: "nothing", key: "nothing" }],
  ])("%s is refused, at the start and later, and the last good pair stays", async (_title, bad) => {
    const refusal = { code: "INVALID", message: expect.stringMatching(/^expected a certificate and its own key, found/) as string }
    await expect(serveXds({ hub: setUp().hub, tls: { ...bad, authenticate: async () => undefined } })).rejects.toMatchObject(refusal)
    await using served = await serve(() => undefined)
    expect(() => served.renew(bad)).toThrow(expect.objectContaining(refusal) as Error)
    using client = stream(served.address, grpc.credentials.createSsl(authority))
    client.say(request)
    expect(await client.next()).toBe("1 resources, nonce 1")
  })

  test("whose client certificates are good stays as it was where nothing is said of it", async () => {
    await using served = await serve(() => undefined, certificates.authority)
    const [key, chain] = [Buffer.from(certificates.clientKey), Buffer.from(certificates.clientCertificate)]
    for (let turn = 0; turn < 2; turn++) {
      served.renew({ certificate: certificates.serverCertificate, key: certificates.serverKey })
      using own = stream(served.address, grpc.credentials.createSsl(authority, key, chain))
      own.say(request)
      expect(await own.next()).toBe("1 resources, nonce 1")
      using stranger = stream(served.address, grpc.credentials.createSsl(authority))
      stranger.say(request)
      expect(await stranger.next()).toMatch(/^UNAVAILABLE: /)
    }
  })

  test("another authority of clients counts from then on", async () => {
    await using served = await serve(() => undefined, certificates.nextAuthority)
    const own = () =>
      grpc.credentials.createSsl(authority, Buffer.from(certificates.clientKey), Buffer.from(certificates.clientCertificate))
    using before = stream(served.address, own())
    before.say(request)
    expect(await before.next()).toMatch(/^UNAVAILABLE: /)
    served.renew({
      certificate: certificates.serverCertificate,
      key: certificates.serverKey,
      clientAuthority: certificates.authority,
    })
    using after = stream(served.address, own())
    after.say(request)
    expect(await after.next()).toBe("1 resources, nonce 1")
  })
})
