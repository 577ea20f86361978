import { createServer, type Server } from "node:https"
import type { AddressInfo } from "node:net"
import { type Duplex, duplexPair } from "node:stream"
import type { Node } from "@pilothouse/api/core/v1"
import { ensureCertificates } from "@pilothouse/apiserver"
import { serverDialer } from "@pilothouse/runtime"
import { silentLog, type TransportRequest, virtualFiles } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { afterAll, beforeAll, expect, test } from "vitest"
import { kubeletDialer } from "./kubelet-dialer.ts"

const real = serverDialer({ clock: systemClock })
/** No node may have a loopback address: the kubelet of this test is there under another one. */
const kubeletAddress = "192.0.2.9"
const dialer = {
  dial: (options: Parameters<typeof real.dial>[0]) =>
    real.dial({ ...options, server: options.server.replace(kubeletAddress, "127.0.0.1") }),
}
let certificates: Awaited<ReturnType<typeof ensureCertificates>>
let kubelet: Server
let node: Node

/** A kubelet as far as it is asked: it knows its clients by their certificates, and echoes in capitals on an upgraded connection. */
beforeAll(async () => {
  const kept = { files: virtualFiles(systemClock), directory: "/pki", clock: systemClock, random: systemRandom(), log: silentLog }
  certificates = await ensureCertificates({ ...kept, hasObjects: false, serviceIp: "10.96.0.1", addresses: ["127.0.0.1"] })
  const { server, ca } = certificates
  kubelet = createServer({ cert: server.certificate, key: server.key, ca: ca.certificate, requestCert: true, rejectUnauthorized: false })
  kubelet.on("request", ({ url, socket }, response) => {
    const { subject } = (socket as never as { getPeerCertificate(): { subject?: { CN?: string } } }).getPeerCertificate()
    response.end(`${subject?.CN ?? "anonymous"} ${url}`)
  })
  kubelet.on("upgrade", ({ url, headers }, socket, head) => {
    if (url?.startsWith("/refused")) return void socket.end("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 4\r\n\r\nnope")
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${headers.upgrade}\r\nX-Extra: it is kept\r\n\r\n`)
    socket.unshift(head)
    socket.on("data", (bytes: Buffer) => socket.write(bytes.toString().toUpperCase()))
    socket.on("end", () => socket.end())
  })
  await new Promise<void>((resolve) => kubelet.listen(0, "127.0.0.1", resolve))
  const { port } = kubelet.address() as AddressInfo
  const addresses = [
    { type: "ExternalIP", address: "192.0.2.1" },
    { type: "InternalIP", address: kubeletAddress },
  ] as const
  const status = { addresses, daemonEndpoints: { kubeletEndpoint: { Port: port } } }
  node = { apiVersion: "v1", kind: "Node", metadata: { name: "real-1" }, status }
})

afterAll(async () => {
  kubelet.close()
  await real[Symbol.asyncDispose]()
})

const log: TransportRequest = { verb: "GET", path: "/containerLogs/default/web/main", query: { tailLines: "3" }, headers: {} }

function upgrading(path: string): { readonly request: TransportRequest; readonly client: Duplex; isTaken(): boolean } {
  const [client, server] = duplexPair()
  let taken = false
  const take = () => {
    taken = true
    return server
  }
  const headers = { connection: "Upgrade", upgrade: "websocket" }
  return { request: { verb: "GET", path, query: { command: ["a", "b"] }, headers, upgrade: { take } }, client, isTaken: () => taken }
}

async function textOf({ body }: Awaited<ReturnType<ReturnType<ReturnType<typeof kubeletDialer>>>>): Promise<string> {
  if (body.type === "bytes") return Buffer.from(body.bytes).toString()
  if (body.type === "value") return JSON.stringify(body.value)
  let text = ""
  for await (const frame of body.frames) if (frame.type === "bytes") text += Buffer.from(frame.bytes).toString()
  return text
}

test("a kubelet is reached at the preferred address, by TLS and with the client certificate", async () => {
  const trusted = kubeletDialer({ dial: dialer.dial, identity: () => certificates.admin as never, authority: certificates.ca.certificate })
  expect(await textOf(await trusted(node)(log))).toMatch(/^\S+ \/containerLogs\/default\/web\/main\?tailLines=3$/)
  const unnamed = kubeletDialer({ dial: dialer.dial })
  expect(await textOf(await unnamed(node)(log))).toBe("anonymous /containerLogs/default/web/main?tailLines=3")
})

test("an upgraded connection is passed on byte by byte, with the kubelet's own answer", async () => {
  const { request, client } = upgrading("/exec/default/web/main")
  const answered = kubeletDialer({ dial: dialer.dial })(node)(request)
  let said = ""
  client.on("data", (bytes: Buffer) => (said += bytes.toString()))
  expect((await answered).status).toBe(101)
  client.write("hello")
  await expect.poll(() => said).toContain("HELLO")
  expect(said.split("\r\n")).toEqual([
    "HTTP/1.1 101 Switching Protocols",
    "Connection: Upgrade",
    "Upgrade: websocket",
    "X-Extra: it is kept",
    "",
    "HELLO",
  ])
  client.destroy()
})

test("what a kubelet refuses is its answer, and the client's connection stays untouched", async () => {
  const { request, isTaken } = upgrading("/refused")
  const response = await kubeletDialer({ dial: dialer.dial })(node)(request)
  expect([response.status, await textOf(response), isTaken()]).toEqual([500, "nope", false])
})

test("a kubelet that is not there, or not who it should be, is an error in upstream's words", async () => {
  const gone = { ...node, status: { ...node.status, daemonEndpoints: { kubeletEndpoint: { Port: 1 } } } }
  const dial = kubeletDialer({ dial: dialer.dial })
  await expect(dial(gone)(log)).rejects.toMatchObject({
    status: {
      code: 500,
      message: 'Get "https://192.0.2.9:1/containerLogs/default/web/main": dial tcp 127.0.0.1:1: connect: connection refused',
    },
  })
  await expect(dial(gone)(upgrading("/exec/default/web/main").request)).rejects.toMatchObject({
    status: { code: 500, message: "error dialing backend: dial tcp 127.0.0.1:1: connect: connection refused" },
  })
  const { addresses: _addresses, ...status } = node.status!
  await expect(dial({ ...node, status })(log)).rejects.toThrow("no preferred addresses found; known addresses: []")
  await expect(kubeletDialer({ dial: dialer.dial, addressTypes: ["InternalDNS"] })(node)(log)).rejects.toThrow(
    "no preferred addresses found; known addresses: [{ExternalIP 192.0.2.1} {InternalIP 192.0.2.9}]",
  )
  const other = kubeletDialer({ dial: dialer.dial, authority: certificates.admin.certificate ?? "" })
  await expect(other(node)(log)).rejects.toThrow("x509: certificate signed by unknown authority")
})

test.each<[string, string, number, string]>([
  [
    "an address that is a URL's user, host and path",
    "127.0.0.1@192.0.2.1/x?",
    10_250,
    'dial tcp: lookup "127.0.0.1@192.0.2.1/x?": no such host',
  ],
  ["an address with a line end", "127.0.0.1\r\nX: y", 10_250, 'dial tcp: lookup "127.0.0.1\\r\\nX: y": no such host'],
  ...[
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0.0.0.0",
    "169.254.169.254",
    "::1",
    "::ffff:127.0.0.1",
    "fe80::1",
    "LOCALHOST",
    "a.localhost.",
  ].map((address): [string, string, number, string] => [`the address ${address}`, address, 10_250, "address not allowed"]),
  ["a port beyond all", "192.0.2.1", 65_536, "dial tcp: address 65536: invalid port"],
])("a node with %s is not reached anywhere", async (_what, address, Port, message) => {
  const dialed: string[] = []
  const dial = ({ server }: { readonly server: string }) => {
    dialed.push(server)
    throw new Error("dialed")
  }
  const status = { addresses: [{ type: "InternalIP", address }], daemonEndpoints: { kubeletEndpoint: { Port } } } as const
  const evil: Node = { apiVersion: "v1", kind: "Node", metadata: { name: "evil" }, status }
  await expect(kubeletDialer({ dial })(evil)(log)).rejects.toThrow(message)
  expect(dialed).toEqual([])
})
