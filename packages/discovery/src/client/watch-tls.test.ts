import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { createServer } from "node:tls"
import { memoryMetrics, silentLog, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { Hub } from "../push/hub.ts"
import { StaticRegistry } from "../registry/static-registry.ts"
import { serveXds } from "../server/grpc-edge.ts"
import { badCertificates as bad } from "../testing/bad-certificates.ts"
import { certificates } from "../testing/certificates.ts"
import { nameOfAddress } from "./server-credentials.ts"
import { type WatchHostOptions, watchHost } from "./watch-host.ts"

const { authority } = bad
type Asking = Pick<WatchHostOptions, "authority" | "certificate">

/** The first report of a watch: why its stream ended, or that it received something. */
async function firstWord(server: string, asking: Asking): Promise<string> {
  const stop = new AbortController()
  const told = Promise.withResolvers<string>()
  const log = { ...silentLog, warn: (_message: string, fields?: object) => told.resolve((fields as { reason: string }).reason) }
  const received = () => told.resolve("received")
  const node = { id: "n1" }
  const options = { server, node, hostname: "web", clock: new VirtualClock(), log, onChange: received, onClusters: received, ...asking }
  const ended = watchHost(options, stop.signal)
  const word = await Promise.race([told.promise, ended.then(() => "ended")])
  stop.abort()
  await ended
  return word
}

const anyClient = async () => undefined
const good = { certificate: bad.goodCertificate, key: bad.goodKey, authenticate: anyClient }
const old = { chain: bad.expiredCertificate, key: bad.expiredKey }

test.each<[name: string, tls: object | undefined, asking: Asking, word: RegExp]>([
  ["nothing wrong", good, { authority }, /^received$/],
  ["a plain server", undefined, { authority }, /found a server that speaks plain/],
  ["no TLS for a server with it", good, {}, /one with TLS needs --certificate-authority/],
  ["another authority", good, { authority: certificates.authority }, /not signed by the authority/],
  [
    "another name",
    { ...good, certificate: bad.elsewhereCertificate, key: bad.elsewhereKey },
    { authority },
    /^expected a certificate of the server for 127\.0\.0\.1, found one for xds\.example, 192\.0\.2\.1; use a name that it has/,
  ],
  ["an old one", { ...good, certificate: bad.expiredCertificate, key: bad.expiredKey }, { authority }, /certificate has expired/],
  ["one of the future", { ...good, certificate: bad.futureCertificate, key: bad.futureKey }, { authority }, /not valid yet/],
  ["none of its own where one is wanted", { ...good, clientAuthority: authority }, { authority }, /requires? a client certificate/],
  ["an old one of its own", { ...good, clientAuthority: authority }, { authority, certificate: old }, /not take the client's certificate/],
])("a mistake with certificates has a message: %s", async (_name, tls, asking, word) => {
  const hub = new Hub({ registry: new StaticRegistry(), clock: new VirtualClock(), metrics: memoryMetrics() })
  await using served = await serveXds({ hub, tls: tls as typeof good | undefined })
  expect(await firstWord(served.address, asking)).toMatch(word)
})

test("a server at an address is asked for by a name, as TLS wants it: Node warns of an address there", async () => {
  const warned: string[] = []
  const note = (warning: Error) => void warned.push(String((warning as { code?: string }).code))
  process.on("warning", note)
  const asked = Promise.withResolvers<string>()
  const server = createServer({ cert: bad.goodCertificate, key: bad.goodKey, ALPNProtocols: ["h2"] }, (socket) => {
    asked.resolve(String(socket.servername))
    socket.destroy()
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  await firstWord(`127.0.0.1:${(server.address() as AddressInfo).port}`, { authority })
  expect(await asked.promise).toBe("1.0.0.127.in-addr.arpa")
  server.close()
  process.off("warning", note)
  expect(warned).not.toContain("DEP0123")
})

test.each([
  ["192.0.2.7", "7.2.0.192.in-addr.arpa"],
  ["::1", `1.${"0.".repeat(31)}ip6.arpa`],
  ["xds.example", undefined],
])("the name of %s is %s", (host, name) => {
  expect(nameOfAddress(host)).toBe(name)
})

test("a certificate with the key of another is refused before a connection is made", async () => {
  const certificate = { chain: bad.goodCertificate, key: bad.expiredKey }
  await expect(firstWord("127.0.0.1:1", { authority, certificate })).rejects.toMatchObject({
    code: "INVALID",
    message: "expected an authority, and a certificate with its own key (PEM), found what TLS refuses",
  })
})
