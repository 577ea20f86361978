import { connect as connectTo, createServer, type Server, type Socket } from "node:net"
import { createServer as createSecure } from "node:tls"
import type { Transport, TransportRequest } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { afterEach, describe, expect, test } from "vitest"
import { anonymous, type Connection } from "./connection.ts"
import { httpTransport } from "./http-transport.ts"
import { ca, otherCa, serverCertificate, serverKey } from "./testing/certificates.ts"
import { type Protocol, testServer } from "./testing/server.ts"

const get: TransportRequest = { verb: "GET", path: "/api/v1/pods", query: {}, headers: {} }

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

function through(connection: Pick<Connection, "server" | "proxy"> & Partial<Connection>): Transport {
  const made = httpTransport({ authorities: () => ca, credentials: anonymous, ...connection }, { clock: systemClock })
  open.push(made)
  return made.transport
}

async function started(protocol?: Protocol): Promise<{ readonly url: string; readonly port: number }> {
  const server = await testServer((request, response) => response.end(JSON.stringify(request.url)), { protocol })
  open.push(server)
  return server
}

async function listening(
  server: Server,
  accept: (client: Socket, dial: (port: number) => Socket) => void,
  event = "connection",
): Promise<number> {
  const sockets = new Set<Socket>()
  const kept = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.on("error", () => {})
  }
  server.on(event, (client: Socket) => accept(kept(client), (port) => kept(connectTo(port, "127.0.0.1"))))
  server.on("tlsClientError", () => {})
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  open.push({
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  })
  return (server.address() as { port: number }).port
}

function join(one: Socket, other: Socket): void {
  one.pipe(other)
  other.pipe(one)
}

/** A proxy that speaks TLS itself, and tunnels to whatever it is asked for. */
async function secureProxy(heads: string[]): Promise<number> {
  const accept = (client: Socket, dial: (port: number) => Socket) => {
    client.once("data", (data) => {
      heads.push(data.toString())
      client.write("HTTP/1.1 200 OK\r\n\r\n")
      join(client, dial(Number(/CONNECT 127\.0\.0\.1:(\d+)/.exec(data.toString())?.[1])))
    })
  }
  return listening(createSecure({ cert: serverCertificate, key: serverKey }), accept, "secureConnection")
}

/** RFC 1928 in a few lines: a greeting, perhaps a user and password (RFC 1929), a request to connect, and then the tunnel. */
async function socksProxy(asked: string[], user?: string): Promise<number> {
  return listening(createServer(), (client, dial) => {
    const connecting = (data: Buffer) => {
      const [address, port] = [[...data.subarray(4, 8)].join("."), data.readUInt16BE(8)]
      asked.push(`${address}:${port}`)
      client.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]))
      join(client, dial(port))
    }
    const authenticating = (data: Buffer) => {
      const [name, password] = [data.subarray(2, 2 + data[1]!), data.subarray(3 + data[1]!)]
      const welcome = `${name}:${password}` === user
      client.write(Buffer.from([1, welcome ? 0 : 1]))
      if (welcome) client.once("data", connecting)
    }
    client.once("data", () => {
      client.write(Buffer.from([5, user === undefined ? 0 : 2]))
      client.once("data", user === undefined ? connecting : authenticating)
    })
  })
}

async function textOf(transport: Transport): Promise<string> {
  const { body } = await transport(get)
  return body.type === "bytes" ? Buffer.from(body.bytes).toString() : body.type
}

describe("a proxy that speaks TLS", () => {
  test("is verified by the cluster's authority, as kubectl does, and tunnels", async () => {
    const heads: string[] = []
    const [server, port] = [await started(), await secureProxy(heads)]
    const transport = through({ server: server.url, proxy: `https://jane:secret@127.0.0.1:${port}` })
    expect(await textOf(transport)).toBe('"/api/v1/pods"')
    expect(heads[0]).toContain(`CONNECT 127.0.0.1:${server.port} HTTP/1.1`)
    expect(heads[0]).toContain(`proxy-authorization: Basic ${Buffer.from("jane:secret").toString("base64")}`)
  })

  test("of another authority is refused, and named", async () => {
    const [server, port] = [await started(), await secureProxy([])]
    const transport = through({ server: server.url, proxy: `https://127.0.0.1:${port}`, authorities: () => otherCa })
    await expect(transport(get)).rejects.toMatchObject({
      code: "CONNECTION_LOST",
      message: expect.stringContaining(`the proxy 127.0.0.1:${port} could not be used; check its address`),
    })
  })
})

describe("a SOCKS proxy", () => {
  test.each(["HTTP/2", "HTTP/1.1 over TLS", "HTTP"] as const)("connects to a server of %s", async (protocol) => {
    const asked: string[] = []
    const [server, port] = [await started(protocol), await socksProxy(asked)]
    expect(await textOf(through({ server: server.url, proxy: `socks5://127.0.0.1:${port}` }))).toBe('"/api/v1/pods"')
    expect(asked).toEqual([`127.0.0.1:${server.port}`])
  })

  test("receives user and password", async () => {
    const [server, port] = [await started("HTTP/1.1 over TLS"), await socksProxy([], "jane:secret")]
    expect(await textOf(through({ server: server.url, proxy: `socks5://jane:secret@127.0.0.1:${port}` }))).toBe('"/api/v1/pods"')
    await expect(through({ server: server.url, proxy: `socks5://jane:wrong@127.0.0.1:${port}` })(get)).rejects.toMatchObject({
      code: "CONNECTION_LOST",
    })
  })

  test("that is not there is named", async () => {
    const server = await started()
    const gone = await testServer(() => {})
    await gone.close()
    await expect(through({ server: server.url, proxy: `socks5://127.0.0.1:${gone.port}` })(get)).rejects.toMatchObject({
      code: "CONNECTION_LOST",
      message: expect.stringContaining(`the proxy 127.0.0.1:${gone.port} could not be used; check its address: connect ECONNREFUSED`),
    })
  })
})

test("what is not encrypted goes through a proxy by its whole address, without a tunnel", async () => {
  const lines: string[] = []
  const server = await started("HTTP")
  const port = await listening(createServer(), (client, dial) => {
    client.once("data", (data) => {
      lines.push(data.toString().split("\r\n")[0] ?? "")
      const upstream = dial(server.port)
      upstream.write(data)
      join(client, upstream)
    })
  })
  await textOf(through({ server: server.url, proxy: `http://127.0.0.1:${port}` }))
  expect(lines).toEqual([`GET ${server.url}/api/v1/pods HTTP/1.1`])
})
