import { createServer as createPlain } from "node:http"
import { createSecureServer, type ServerHttp2Session } from "node:http2"
import { createServer as createSecure } from "node:https"
import type { AddressInfo, Socket } from "node:net"
import { type Body, type Stream, stringifyJson, type Transport, type Verb } from "@pilothouse/seams"
import { ca, serverCertificate, serverKey } from "./certificates.ts"

/** What the requests of HTTP/1.1 and HTTP/2 have in common. */
export interface TestRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string
  readonly url?: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

export interface TestResponse {
  writeHead(status: number, headers?: Record<string, string>): unknown
  /** False: nothing more until "drain". */
  write(chunk: string | Uint8Array): boolean
  end(chunk?: string | Uint8Array): unknown
  on(event: "close" | "drain", listener: () => void): unknown
}

export type TestHandler = (request: TestRequest, response: TestResponse) => void

export interface TestServer extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** Connections that are open. */
  readonly sockets: ReadonlySet<Socket>
  /** Of HTTP/2, those that are open. */
  readonly sessions: ReadonlySet<ServerHttp2Session>
  close(): Promise<void>
}

export type Protocol = "HTTP" | "HTTP/1.1 over TLS" | "HTTP/2"

export interface TestServerOptions {
  readonly protocol?: Protocol
  readonly certificate?: string
  readonly key?: string
  /** Wants a client certificate. */
  readonly clientCertificates?: boolean
}

/** A real server on a port of its own, on loopback. */
export async function testServer(handler: TestHandler, options: TestServerOptions = {}): Promise<TestServer> {
  const { protocol = "HTTP/2", certificate = serverCertificate, key = serverKey, clientCertificates = false } = options
  const tls = { cert: certificate, key, ...(clientCertificates && { ca, requestCert: true, rejectUnauthorized: true }) }
  const server = makeServer(protocol, tls, handler)
  const sockets = new Set<Socket>()
  server.on(protocol === "HTTP" ? "connection" : "secureConnection", (socket: Socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    socket.once("close", () => sockets.delete(socket))
  })
  const sessions = new Set<ServerHttp2Session>()
  server.on("session", (session: ServerHttp2Session) => {
    sessions.add(session)
    session.once("close", () => sessions.delete(session))
  })
  server.on("tlsClientError", () => {})
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  return {
    url: `${protocol === "HTTP" ? "http" : "https"}://127.0.0.1:${port}`,
    port,
    sockets,
    sessions,
    close,
    [Symbol.asyncDispose]: close,
  }
}

function makeServer(protocol: Protocol, tls: object, handler: TestHandler) {
  // Each library has types of its own for what is the same.
  const listener = handler as (request: unknown, response: unknown) => void
  if (protocol === "HTTP") return createPlain(listener)
  return protocol === "HTTP/2" ? createSecureServer(tls, listener) : createSecure(tls, listener)
}

/** Puts a Transport behind a server, as simply as can be. */
export function serve(transport: Transport): TestHandler {
  return (request, response) => void answer(transport, request, response)
}

async function answer(transport: Transport, request: TestRequest, response: TestResponse): Promise<void> {
  const gone = new AbortController()
  // For HTTP/2 the compatibility layer has a socket that must not be touched; "close" of the response comes for both.
  response.on("close", () => gone.abort())
  const url = new URL(request.url ?? "/", "http://test")
  const query = Object.fromEntries([...new Set(url.searchParams.keys())].map((name) => [name, many(url.searchParams.getAll(name))]))
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  const body = await readBody(request)
  const answered = await transport({ verb: request.method as Verb, path: url.pathname, query, headers, body, signal: gone.signal })
  const type = answered.body.type === "stream" ? "application/json;stream=watch" : "application/json"
  response.writeHead(answered.status, { "content-type": type, ...answered.headers })
  await write(answered.body, response, gone.signal)
}

function many(values: readonly string[]): string | readonly string[] {
  return values.length === 1 ? values[0]! : values
}

async function readBody(request: TestRequest): Promise<Body | undefined> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  return bytes.length === 0 ? undefined : { type: "bytes", bytes, contentType: String(request.headers["content-type"]) }
}

async function write(body: Body | Stream, response: TestResponse, gone: AbortSignal): Promise<void> {
  if (body.type !== "stream") {
    response.end(body.type === "bytes" ? body.bytes : body.value === undefined ? undefined : stringifyJson(body.value))
    return
  }
  const frames = body.frames[Symbol.asyncIterator]()
  gone.addEventListener("abort", () => void frames.return?.())
  for (let frame = await frames.next(); !frame.done; frame = await frames.next()) {
    const { value } = frame
    response.write(value.type === "bytes" ? value.bytes : `${stringifyJson(value.value)}\n`)
  }
  response.end()
}
