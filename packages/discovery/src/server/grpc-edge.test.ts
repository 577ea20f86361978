import * as grpc from "@grpc/grpc-js"
import { memoryMetrics, VirtualClock } from "@pilothouse/seams"
import { describe, expect, test, vi } from "vitest"
import { Hub } from "../push/hub.ts"
import { StaticRegistry } from "../static-registry.ts"
import { certificates } from "../test-support/certificates.ts"
import { testEndpoint, testService } from "../test-support/samples.ts"
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

  test("a node without an id is told what is wrong", async () => {
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
})
