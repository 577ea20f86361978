import type { IncomingMessage, ServerResponse } from "node:http"
import { type BytesBody, type HeaderMap, messageOf, PilothouseError, type TransportResponse, type Verb } from "@pilothouse/seams"
import { foreignRequest, guardPlainHttp, plainHttpOptions, readQuery } from "@pilothouse/seams/edge"
import type { Connect } from "../clients/calls/keystone.ts"
import { unauthorized } from "./rest/problem.ts"

/** What is served: an EmbeddedOpenStack. */
export interface ServableOpenStack {
  readonly connect: Connect
  /** Whether it has issued this token, which is valid. */
  hasToken(token: string | undefined): boolean
}

/** The embedded cloud on a port of the loopback; disposing closes it and its connections. */
export interface ServedOpenStack extends AsyncDisposable {
  /** What auth_url has to be: "http://127.0.0.1:41234/keystone/v3". */
  readonly authUrl: string
}

const host = "127.0.0.1"

/** Bytes of bodies: Neutron takes some hundred ports in one request, which are not as many. */
const bodyLimits: BodyLimits = { each: 4 * 1024 * 1024, all: 64 * 1024 * 1024 }

/** Of those that come without a token: a request for one. */
const anonymousLimits: BodyLimits = { each: 64 * 1024, all: 16 * 1024 * 1024 }

/** What all requests of one port share. */
interface Port {
  readonly cloud: ServableOpenStack
  readonly bodies: BodyBudget
  readonly anonymousBodies: BodyBudget
}

/**
 * Puts an embedded cloud on a port of this host, for tools outside of this process: `openstack`, curl, another Pilothouse.
 * Each service is below its name; the addresses in answers are those of the port. Web pages of others have no access. A body is read after
 * its token is known, and without one only as far as Keystone needs.
 */
export async function serveOpenStack(cloud: ServableOpenStack): Promise<ServedOpenStack> {
  const port: Port = { cloud, bodies: new BodyBudget(bodyLimits), anonymousBodies: new BodyBudget(anonymousLimits) }
  const { createServer } = process.getBuiltinModule("node:http")
  const server = createServer(plainHttpOptions, (request, response) => {
    const foreign = foreignRequest(request.headers as HeaderMap)
    if (foreign !== undefined) return void response.writeHead(403).end(`${foreign}\n`)
    answer(port, request, response, base()).catch(() => response.destroy())
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

async function answer(
  { cloud, bodies, anonymousBodies }: Port,
  request: IncomingMessage,
  response: ServerResponse,
  base: string,
): Promise<void> {
  try {
    const url = URL.parse(request.url ?? "/", base)
    // "//" is none: it would be an address whose host is empty.
    if (url === null)
      return void response.writeHead(400).end(`expected a path below /keystone, /neutron or /octavia, found ${request.url}\n`)
    const [, service = "", rest = ""] = /^\/(keystone|neutron|octavia)(\/.*)?$/.exec(url.pathname) ?? []
    if (service === "") return void response.writeHead(404).end("expected /keystone, /neutron or /octavia\n")
    if (service !== "keystone" && hasBody(request) && !cloud.hasToken(tokenOf(request)))
      return refuse(response, 401, JSON.stringify(unauthorized().body))
    const budget = service === "keystone" ? anonymousBodies : bodies
    using read = await budget.read(request)
    if (read.refused !== undefined) return refuse(response, read.refused, `${read.message}\n`)
    const body: BytesBody | undefined = read.bytes && { type: "bytes", bytes: read.bytes, contentType: "application/json" }
    const found = await cloud.connect(`http://${service}.embedded`)({
      verb: request.method as Verb,
      path: rest || "/",
      query: readQuery(url.searchParams),
      headers: request.headers as Readonly<Record<string, string>>,
      body,
    })
    send(response, found, base)
  } catch (error) {
    response.writeHead(500).end(`${messageOf(error)}\n`)
  }
}

/** Without the rest of the body: the connection ends. */
function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { connection: "close" }).end(text)
}

function tokenOf({ headers }: IncomingMessage): string | undefined {
  const token = headers["x-auth-token"]
  return typeof token === "string" ? token : undefined
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0
}

function send(response: ServerResponse, { status, headers, body }: TransportResponse, base: string): void {
  response.writeHead(status, headers)
  const value = body.type === "value" ? body.value : undefined
  response.end(
    value === undefined ? undefined : JSON.stringify(value).replaceAll(/http:\/\/(keystone|neutron|octavia)\.embedded/g, `${base}/$1`),
  )
}

/** In bytes. */
interface BodyLimits {
  readonly each: number
  /** Of all bodies that are read or answered at the same time. */
  readonly all: number
}

/** A body that was read, or why not; its bytes count until it is disposed. */
type ReadBody = Disposable &
  (
    | { readonly refused?: undefined; readonly bytes: Uint8Array | undefined }
    | { readonly refused: 413 | 503; readonly message: string; readonly bytes?: undefined }
  )

/** Limits what the clients of a port may make it hold. Between calls: `#held` is the size of the bodies that are not disposed, at most `all`. */
export class BodyBudget {
  readonly #limits: BodyLimits
  #held = 0

  constructor(limits: BodyLimits) {
    this.#limits = limits
  }

  async read(chunks: AsyncIterable<Uint8Array>): Promise<ReadBody> {
    const parts: Uint8Array[] = []
    let size = 0
    const dispose = () => {
      this.#held -= size
      size = 0
    }
    try {
      for await (const chunk of chunks) {
        const refusal = this.#refusal(size + chunk.length, chunk.length)
        if (refusal !== undefined) {
          dispose()
          return { ...refusal, [Symbol.dispose]: dispose }
        }
        this.#held += chunk.length
        size += chunk.length
        parts.push(chunk)
      }
    } catch (error) {
      dispose()
      throw error
    }
    return { bytes: parts.length === 0 ? undefined : Buffer.concat(parts), [Symbol.dispose]: dispose }
  }

  #refusal(size: number, more: number): { readonly refused: 413 | 503; readonly message: string } | undefined {
    const { each, all } = this.#limits
    if (size > each) return { refused: 413, message: `expected a body of up to ${each} bytes` }
    if (this.#held + more <= all) return undefined
    return { refused: 503, message: `expected up to ${all} bytes in all bodies at the same time, found more; send it again later` }
  }
}
