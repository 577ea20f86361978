import type { Http2SecureServer, Http2ServerRequest, Http2ServerResponse } from "node:http2"
import type { Clock, HeaderMap, Log, Random, Transport, TransportRequest, TransportResponse } from "@pilothouse/seams"
import { messageOf } from "@pilothouse/seams"
import { EncodedObjects } from "./encoded-objects.ts"
import { breakOff, type Exchange } from "./exchange.ts"
import { listen } from "./listen.ts"
import { OpenConnections } from "./open-connections.ts"
import type { Peer } from "./peer.ts"
import { PeerCertificates } from "./peer-certificate.ts"
import { answerPlainHttp } from "./plain-http.ts"
import { discardBody } from "./read-body.ts"
import { hasBody, type RequestHead, readHead, readHeaders, readRest } from "./read-request.ts"
import { answerInTime, Deadlines } from "./request-deadline.ts"
import { type ServingCertificates, secureContext, secureServer, type TlsLimits } from "./secure-server.ts"
import { failureResponse } from "./status.ts"
import { TimeLimit } from "./time-limit.ts"
import { writeResponse } from "./write-response.ts"

export interface ServeOptions {
  /** Who asks decides which transport answers. Whoever may not ask is refused by throwing a StatusError: its body is not kept. */
  readonly transportFor: (peer: Peer, head: RequestHead) => Transport
  readonly host: string
  /** 0 for any free one. */
  readonly port: number
  readonly certificates: ServingCertificates
  readonly tls?: TlsLimits
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export interface HttpsServer {
  readonly port: number
  /** Shows others to whoever connects from now on. Throws where TLS refuses them, and then nothing has changed. */
  renew(certificates: ServingCertificates): void
  /** Takes no more requests, ends the streams, waits for the rest as long as the grace period says, and cuts off what is left. */
  close(graceMilliseconds?: number): Promise<void>
}

/** Milliseconds that a client has for its body. */
const bodyTime = 60_000

/** HTTP/2 and HTTP/1.1 over TLS on one port, in front of a Transport. Rejects with PORT_TAKEN. */
export async function serveHttps(options: ServeOptions): Promise<HttpsServer> {
  const server = secureServer(options.certificates, options.tls)
  const connections = new OpenConnections(options.clock)
  const edge = edgeOf(options)
  server.on("secureConnection", (socket) => connections.addSocket(socket))
  server.on("request", (request, response) => {
    const exchange = begin(request, response, connections.stopping, options.random)
    connections.addExchange(exchange)
    answer(exchange, edge).catch((error: unknown) => giveUp(exchange, error, options.log))
  })
  ignoreBrokenConnections(server, options.log)
  answerPlainHttp(server)
  const port = await listen(server, options.host, options.port)
  return {
    port,
    renew: (certificates) => server.setSecureContext(secureContext(certificates, options.tls)),
    async close(graceMilliseconds = 500) {
      await connections.close(server, graceMilliseconds)
      edge.deadlines[Symbol.dispose]()
      edge.bodies[Symbol.dispose]()
    },
  }
}

/** What all requests of one server share. */
interface Edge {
  readonly options: ServeOptions
  readonly encoded: EncodedObjects
  readonly certificates: PeerCertificates
  readonly deadlines: Deadlines
  /** The time for a body. */
  readonly bodies: TimeLimit
}

function edgeOf(options: ServeOptions): Edge {
  const { clock } = options
  const [deadlines, bodies] = [new Deadlines(clock), new TimeLimit(clock, "the body of a request", bodyTime)]
  return { options, encoded: new EncodedObjects(clock), certificates: new PeerCertificates(clock), deadlines, bodies }
}

function begin(request: Http2ServerRequest, response: Http2ServerResponse, stopping: AbortSignal, random: Random): Exchange {
  const controller = new AbortController()
  const given = request.headers["audit-id"]
  const auditId = typeof given === "string" && given !== "" ? given : random.uuid()
  return { request, response, controller, stopping, auditId }
}

async function answer(exchange: Exchange, edge: Edge): Promise<void> {
  const { options, encoded, deadlines, bodies } = edge
  const { request, controller } = exchange
  const headers = readHeaders(request)
  try {
    const [head, transport] = admit(exchange, headers, edge)
    const asked = await readInTime(exchange, head, bodies)
    await writeResponse(exchange, asked, await answerInTime(transport, asked, deadlines, controller), encoded)
  } catch (error) {
    // The client has gone, unless what ended it is the answer: its time was over.
    if (controller.signal.aborted && controller.signal.reason !== error) return
    await writeResponse(exchange, { headers }, refusal(error, options.log, request.url), encoded)
  }
}

/** Before the body is read: whoever is refused would else fill the memory with it. */
function admit(exchange: Exchange, headers: HeaderMap, { options, certificates, bodies }: Edge): [RequestHead, Transport] {
  const { request } = exchange
  try {
    const head = readHead(exchange, headers)
    return [head, options.transportFor({ headers, certificate: certificates.of(request) }, head)]
  } catch (error) {
    if (hasBody(exchange)) {
      discardBody(request)
      const limit = bodies.start(() => breakOff(exchange))
      request.on("close", () => limit[Symbol.dispose]())
    }
    throw error
  }
}

/** Whoever sends its body drop by drop is cut off: it would hold a connection for ever. */
async function readInTime(exchange: Exchange, head: RequestHead, bodies: TimeLimit): Promise<TransportRequest> {
  if (!hasBody(exchange)) return head
  using _ = bodies.start(() => breakOff(exchange))
  return await readRest(exchange, head)
}

/** Even the refusal could not be written: the client must not wait for one. */
function giveUp(exchange: Exchange, error: unknown, log: Log): void {
  log.error("an answer could not be written", { url: exchange.request.url, error: messageOf(error) })
  breakOff(exchange)
}

function refusal(error: unknown, log: Log, url: string): TransportResponse {
  const response = failureResponse(error)
  if (response.status >= 500) log.error("a request failed in a way it should not", { url, error: messageOf(error) })
  return response
}

/** A client that breaks off in a handshake or speaks nonsense is no event of ours; without a listener node would end the process. */
function ignoreBrokenConnections(server: Http2SecureServer, log: Log): void {
  server.on("tlsClientError", (error) => log.debug("a TLS handshake failed", { error: messageOf(error) }))
  server.on("sessionError", (error) => log.debug("an HTTP/2 connection broke", { error: messageOf(error) }))
}
