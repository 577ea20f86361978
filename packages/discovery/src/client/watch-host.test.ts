import { memoryMetrics, silentLog, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { Hub } from "../push/hub.ts"
import { StaticRegistry } from "../registry/static-registry.ts"
import { serveXds } from "../server/grpc-edge.ts"
import { certificates } from "../testing/certificates.ts"
import { testEndpoint, testService } from "../testing/samples.ts"
import { type WatchHostOptions, watchHost } from "./watch-host.ts"

const web = "web.shop.svc.cluster.local"

function setUp() {
  const registry = new StaticRegistry()
  registry.put(testService("web"))
  registry.putEndpoints(web, [testEndpoint("10.0.0.1", 80)])
  return { registry, hub: new Hub({ registry, clock: new VirtualClock(), metrics: memoryMetrics() }) }
}

/** A watch in the background; `next` is the next thing that it tells. */
function watching(server: string, rest: Partial<WatchHostOptions> = {}) {
  const told: string[] = []
  let wake: () => void = () => undefined
  const tell = (text: string) => {
    told.push(text)
    wake()
  }
  const stop = new AbortController()
  const log = { ...silentLog, warn: (_message: string, fields?: object) => tell(JSON.stringify(fields)) }
  const ended = watchHost(
    {
      server,
      node: { id: "sidecar~127.0.0.1~c1.shop~shop.svc.cluster.local" },
      hostname: web,
      clock: new VirtualClock(),
      log,
      onChange: ({ what, endpoint }) => tell(`${what} ${endpoint.address}`),
      onClusters: (names) => tell(names.join()),
      ...rest,
    },
    stop.signal,
  )
  return {
    next: async () => {
      while (told.length === 0) await new Promise<void>((resolve) => (wake = resolve))
      return told.shift()!
    },
    stop: async () => {
      stop.abort()
      await ended
    },
  }
}

test("follows a server over a socket until it is aborted", async () => {
  const { hub, registry } = setUp()
  await using served = await serveXds({ hub })
  const watch = watching(served.address)
  expect(await watch.next()).toBe(`outbound|8080||${web}`)
  expect(await watch.next()).toBe("came 10.0.0.1:80")
  registry.putEndpoints(web, [])
  expect(await watch.next()).toBe("went 10.0.0.1:80")
  await watch.stop()
})

test("says why a stream ended, and opens the next after a second", async () => {
  const { hub, registry } = setUp()
  const first = await serveXds({ hub })
  const clock = new VirtualClock()
  const watch = watching(first.address, { clock })
  await watch.next()
  await watch.next()
  await first.close()
  expect(await watch.next()).toContain('"seconds":1')
  registry.putEndpoints(web, [testEndpoint("10.0.0.1", 80), testEndpoint("10.0.0.2", 80)])
  await using _again = await serveXds({ hub, port: Number(first.address.split(":")[1]) })
  await clock.advance(1_000)
  expect(await watch.next()).toBe(`outbound|8080||${web}`)
  expect(await watch.next()).toBe("came 10.0.0.2:80")
  await watch.stop()
})

test("shows its token over TLS, and says what the server has against it", async () => {
  const { hub } = setUp()
  const tls = {
    certificate: certificates.serverCertificate,
    key: certificates.serverKey,
    authenticate: async ({ token }: { token?: string }) => (token === "good" ? undefined : `not ${token}`),
  }
  await using served = await serveXds({ hub, tls })
  const good = watching(served.address, { authority: certificates.authority, token: "good" })
  expect(await good.next()).toBe(`outbound|8080||${web}`)
  await good.stop()
  const bad = watching(served.address, { authority: certificates.authority, token: "bad" })
  expect(await bad.next()).toContain("not bad")
  await bad.stop()
})

test("shows its certificate to a server that wants one", async () => {
  const { hub } = setUp()
  const { authority, serverCertificate, serverKey, clientCertificate, clientKey } = certificates
  const tls = { certificate: serverCertificate, key: serverKey, clientAuthority: authority, authenticate: async () => undefined }
  await using served = await serveXds({ hub, tls })
  const good = watching(served.address, { authority, certificate: { chain: clientCertificate, key: clientKey } })
  expect(await good.next()).toBe(`outbound|8080||${web}`)
  await good.stop()
})
