import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import type { TransportRequest, TransportResponse, Upgrade } from "@pilothouse/seams"
import { noBody } from "@pilothouse/seams"
import type { Connection, Presented } from "./connection.ts"
import { dialer } from "./dial.ts"
import { headersOf, pathWithQuery } from "./message-parts.ts"

/** Milliseconds to connect. */
const dialTime = 30_000

/** Bytes of an answer that refuses to upgrade; the rest is left out. */
const maxRefusal = 64 * 1024

/** A request whose client wants another protocol on its connection. */
export interface UpgradeRequest extends TransportRequest {
  readonly upgrade: Upgrade
}

/**
 * Sends a request for another protocol on a connection of its own. Where the server agrees, its answer goes to the client as it is, and from then on every
 * byte in both directions; where it does not, its answer is returned and the client's connection stays untouched.
 */
export async function tunnelUpgrade(connection: Connection, presented: Presented, request: UpgradeRequest): Promise<TransportResponse> {
  const [net, tls] = await Promise.all([import("node:net"), import("node:tls")])
  const http = process.getBuiltinModule("node:http")
  const { verb: method, signal = new AbortController().signal, upgrade } = request
  const socket = await dialer({ net, tls, http }, connection, presented, dialTime)(["http/1.1"], signal)
  const { host = new URL(connection.server).host, ...others } = request.headers
  const headers = { ...others, host, ...(presented.authorization !== undefined && { authorization: presented.authorization }) }
  return new Promise((resolve, reject) => {
    const asked = http.request({ method, path: pathWithQuery("", request), headers, createConnection: () => socket, signal })
    asked.once("error", reject)
    asked.once("response", (response) => {
      refusalOf(response).then(resolve, reject)
    })
    asked.once("upgrade", (response: IncomingMessage, server: Duplex, head: Buffer) => {
      const client = upgrade.take() as Duplex
      client.write(headOf(response))
      if (head.length > 0) server.unshift(head)
      splice(client, server)
      resolve({ status: 101, headers: {}, body: noBody })
    })
    asked.end()
  })
}

/** What the server has said, to the byte but for its reason phrase's encoding. */
function headOf({ statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : []))
  return [`HTTP/1.1 101 ${statusMessage || "Switching Protocols"}`, ...lines, "", ""].join("\r\n")
}

/** Passes every byte on, as fast as the other end takes it. When one end is gone, so is the other. */
function splice(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to)
    from.on("error", () => to.destroy())
    from.once("close", () => to.destroy())
  }
}

async function refusalOf(response: IncomingMessage): Promise<TransportResponse> {
  const parts: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    parts.push(chunk as Buffer)
    size += (chunk as Buffer).length
    if (size > maxRefusal) break
  }
  const { "content-length": _length, connection: _connection, ...headers } = headersOf(response as never)
  const contentType = headers["content-type"] ?? "text/plain"
  return {
    status: response.statusCode ?? 500,
    headers,
    body: { type: "bytes", bytes: Buffer.concat(parts).subarray(0, maxRefusal), contentType },
  }
}
