import type { IncomingMessage, ServerResponse } from "node:http"
import { type HeaderMap, onAbort, PilothouseError, type Transport, type TransportResponse, type Verb } from "@pilothouse/seams"
import { foreignRequest, guardPlainHttp, ownRequestHeader, plainHttpOptions, readQuery } from "@pilothouse/seams/edge"

/** Where endpoints are served. */
export interface ServeEndpointsOptions {
  /** 0 by default: any free port. */
  readonly port?: number
  /** 127.0.0.1 by default: the trace shows what the controllers read. */
  readonly host?: string
  /** By which clients may address it (their Host header), beside IP addresses and localhost; none by default. */
  readonly hostNames?: readonly string[]
  /** Closes the server. */
  readonly signal?: AbortSignal
}

/** Served endpoints, until disposed. */
export interface ServedEndpoints extends AsyncDisposable {
  /** "http://127.0.0.1:41234" */
  readonly address: string
  close(): Promise<void>
}

/**
 * Serves a manager's endpoints on a port. Resolves when it listens. Foreign web pages have no access, neither by DNS rebinding nor by a request
 * whose response they cannot read; requests other than GET and HEAD need the header X-Pilothouse-Request: 1.
 */
export async function serveEndpoints(
  endpoints: Transport,
  { port = 0, host = "127.0.0.1", hostNames, signal }: ServeEndpointsOptions = {},
): Promise<ServedEndpoints> {
  // Loaded here: a manager without a port does not need it. Not by import, which also loads the lazy parts of the module (fetch,
  // WebSocket): measured, 85 ms and 14 MB.
  const { createServer } = process.getBuiltinModule("node:http")
  const server = createServer(plainHttpOptions, (request, response) => {
    const refusal = refusalOf(request, hostNames)
    if (refusal !== undefined) return plain(response, 403, refusal)
    answer(endpoints, request, response).catch(() => response.destroy())
  })
  const connections = guardPlainHttp(server)
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, host, resolve)
  }).catch((cause: NodeJS.ErrnoException) => {
    throw refused(cause, host, port)
  })
  const bound = server.address()
  const close = async () => {
    listening[Symbol.dispose]()
    connections.destroy()
    if (server.listening) await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  const listening = onAbort(signal, () => void close())
  const shownHost = host.includes(":") ? `[${host}]` : host
  return { address: `http://${shownHost}:${typeof bound === "object" ? bound?.port : port}`, close, [Symbol.asyncDispose]: close }
}

function refused(cause: NodeJS.ErrnoException, host: string, port: number): PilothouseError {
  const code = cause.code === "EADDRINUSE" ? "PORT_TAKEN" : "INVALID"
  return new PilothouseError(code, `could not listen on ${host}:${port}; give another host or port`, { cause })
}

/** Returns why a request is refused, or undefined. */
function refusalOf({ method, headers }: IncomingMessage, hostNames?: readonly string[]): string | undefined {
  const foreign = foreignRequest(headers as HeaderMap, hostNames)
  if (foreign !== undefined || method === "GET" || method === "HEAD" || headers[ownRequestHeader] === "1") return foreign
  return `expected the header X-Pilothouse-Request: 1 with ${method}, found none; send it`
}

async function answer(endpoints: Transport, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = URL.parse(request.url ?? "/", "http://host")
  // "//" is refused: it would be a URL with an empty host.
  if (url === null) return plain(response, 400, `expected a path such as /healthz, found ${request.url}`)
  const verb = request.method === "HEAD" ? "GET" : request.method
  try {
    send(
      response,
      await endpoints({ verb: verb as Verb, path: url.pathname, query: readQuery(url.searchParams), headers: {} }),
      request.method === "HEAD",
    )
  } catch (error) {
    plain(response, 500, String(error))
  }
}

function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${text}\n`)
}

function send(response: ServerResponse, { status, headers, body }: TransportResponse, headOnly: boolean): void {
  response.writeHead(status, { ...headers, "cache-control": "no-store", "x-content-type-options": "nosniff" })
  response.end(headOnly || body.type !== "bytes" ? undefined : body.bytes)
}
