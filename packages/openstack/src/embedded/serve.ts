import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import {
  type BytesBody,
  type HeaderMap,
  messageOf,
  PilothouseError,
  type Query,
  type TransportResponse,
  type Verb,
} from "@pilothouse/seams"
import { foreignRequest, guardPlainHttp, plainHttpOptions } from "@pilothouse/seams/edge"
import type { Connect } from "../clients/keystone/keystone.ts"

export interface ServedOpenStack extends AsyncDisposable {
  /** What auth_url has to be: "http://127.0.0.1:41234/keystone/v3". */
  readonly authUrl: string
}

const host = "127.0.0.1"

/** Bytes of a body: Neutron takes some hundred ports in one request, which are not as many. */
const bodyLimit = 4 * 1024 * 1024

/**
 * Puts an embedded cloud on a port of this host, for tools outside of this process: `openstack`, curl, another Pilothouse.
 * Each service is below its name; the addresses in answers are those of the port. Web pages of others have no access.
 */
export async function serveOpenStack(connect: Connect): Promise<ServedOpenStack> {
  const server = createServer(plainHttpOptions, (request, response) => {
    const foreign = foreignRequest(request.headers as HeaderMap)
    if (foreign !== undefined) return void response.writeHead(403).end(`${foreign}\n`)
    answer(connect, request, response, base()).catch(() => response.destroy())
  })
  const connections = guardPlainHttp(server)
  const base = () => {
    const bound = server.address()
    return `http://${host}:${typeof bound === "object" ? bound?.port : 0}`
  }
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(new PilothouseError("INVALID", `could not listen on ${host}`, { cause })))
    server.listen(0, host, resolve)
  })
  const close = async () => {
    connections.destroy()
    await new Promise<void>((resolve) => {
      server.close(() => resolve())
    })
  }
  return { authUrl: `${base()}/keystone/v3`, [Symbol.asyncDispose]: close }
}

async function answer(connect: Connect, request: IncomingMessage, response: ServerResponse, base: string): Promise<void> {
  try {
    const url = URL.parse(request.url ?? "/", base)
    // "//" is none: it would be an address whose host is empty.
    if (url === null)
      return void response.writeHead(400).end(`expected a path below /keystone, /neutron or /octavia, found ${request.url}\n`)
    const [, service = "", rest = ""] = /^\/(keystone|neutron|octavia)(\/.*)?$/.exec(url.pathname) ?? []
    if (service === "") return void response.writeHead(404).end("expected /keystone, /neutron or /octavia\n")
    const body = await bodyOf(request)
    if (body === "too-large")
      return void response.writeHead(413, { connection: "close" }).end(`expected a body of up to ${bodyLimit} bytes\n`)
    const found = await connect(`http://${service}.embedded`)({
      verb: request.method as Verb,
      path: rest || "/",
      query: queryOf(url.searchParams),
      headers: request.headers as Readonly<Record<string, string>>,
      body,
    })
    send(response, found, base)
  } catch (error) {
    response.writeHead(500).end(`${messageOf(error)}\n`)
  }
}

async function bodyOf(request: IncomingMessage): Promise<BytesBody | "too-large" | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > bodyLimit) return "too-large"
    chunks.push(chunk)
  }
  return chunks.length === 0 ? undefined : { type: "bytes", bytes: Buffer.concat(chunks), contentType: "application/json" }
}

function queryOf(parameters: URLSearchParams): Query {
  return Object.fromEntries([...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name)]))
}

function send(response: ServerResponse, { status, headers, body }: TransportResponse, base: string): void {
  response.writeHead(status, headers)
  const value = body.type === "value" ? body.value : undefined
  response.end(
    value === undefined ? undefined : JSON.stringify(value).replaceAll(/http:\/\/(keystone|neutron|octavia)\.embedded/g, `${base}/$1`),
  )
}
