import type { Http2SecureServer, Http2ServerRequest, Http2ServerResponse } from "node:http2"
import {
  type Clock,
  type HeaderMap,
  type Log,
  type Metrics,
  messageOf,
  type Random,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "@pilothouse/seams"
import { type ConnectionLimits, Connections, connectionLimits, readOneByOne } from "@pilothouse/seams/edge"
import type { EdgeTransport, HeadDecision, RequestHead } from "../server/edge-transport.ts"
import { breakOff, type Exchange, isHttp2 } from "./exchange/exchange.ts"
import { failureResponse } from "./exchange/status.ts"
import { TimeLimit } from "./exchange/time-limit.ts"
import { answerPlainHttp, listen } from "./listen.ts"
import { OpenConnections } from "./open-connections.ts"
import { InFlight, type InFlightLimits, type Slot, TooManyInFlight, tooManyRequests } from "./request/in-flight.ts"
import type { Peer } from "./request/peer.ts"
import { PeerCertificates } from "./request/peer-certificate.ts"
import { discardBody } from "./request/read-body.ts"
import { hasBody, readHead, readHeaders, readRest } from "./request/read-request.ts"
import { answerInTime, Deadlines } from "./request/request-deadline.ts"
import { maxPipelined, RequestTurns } from "./request/request-turns.ts"
import { ConnectionUpgrade, onUpgrade } from "./request/upgrade.ts"
import { EncodedObjects } from "./response/encoded-objects.ts"
import { writeResponse } from "./response/write-response.ts"
import { defaultMaxStreams, type ServingCertificates, secureContext, secureServer, type TlsLimits } from "./secure-server.ts"

/** Options of an HTTPS server. */
export interface ServeOptions {
  /** The transport for the client of a request. Throws a StatusError to refuse the client: its body is not kept. */
  readonly transportFor: (peer: Peer, head: RequestHead) => EdgeTransport | Promise<EdgeTransport>
  readonly host: string
  /** 0 for any free one. */
  readonly port: number
  readonly certificates: ServingCertificates
  readonly tls?: TlsLimits
  /** Of what clients may hold without a request; by default 40 % of the descriptors of this process, and at most 10,000 connections. */
  readonly connections?: Partial<ConnectionLimits>
  /** Requests on one HTTP/2 connection at a time; 250 by default. */
  readonly http2MaxStreams?: number
  /** Requests that are answered at a time; kube-apiserver's by default. */
  readonly inFlight?: InFlightLimits
  /** False where nothing that is served here has a use for the body of a request: no client is asked for one. True by default. */
  readonly readsBodies?: boolean
  readonly metrics?: Metrics
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** A listening HTTPS server. */
export interface HttpsServer {
  readonly port: number
  /** Uses other certificates for new connections. Throws where TLS refuses them, and then nothing has changed. */
  renew(certificates: ServingCertificates): void
  /** Takes no more requests, ends the streams, waits for the rest as long as the grace period says, and cuts off what is left. */
  close(graceMilliseconds?: number): Promise<void>
}

/** HTTP/2's NO_ERROR: with a reset the request to send no more of a body, after an answer that is whole (RFC 9113, 8.1). */
const noError = 0

/** Milliseconds that a client has for its body. */
const bodyTime = 60_000

/** Milliseconds that a client of HTTP/2 whose request was answered early has to end its body. */
const discardTime = 1000

/** Characters of a client's Audit-ID that are sent back, as many as upstream logs; upstream sends back all. */
const auditIdLimit = 64

/** Of the descriptors of this process: the rest is for storage, xDS, load balancers and others that listen. */
const descriptorShare = 0.4

/** HTTP/2 and HTTP/1.1 over TLS on one port, in front of a Transport. Rejects with PORT_TAKEN. */
export async function serveHttps(options: ServeOptions): Promise<HttpsServer> {
  const { clock, log } = options
  const server = secureServer(options.certificates, options.tls, options.http2MaxStreams)
  const limits = { ...connectionLimits(descriptorShare), ...options.connections }
  const onRefused = (reason: string) => log.debug("a connection was refused", { reason })
  const tracked = new Connections({ clock, limits, onRefused })
  tracked.guard(server, { tls: true })
  const connections = new OpenConnections(clock, tracked)
  const edge = edgeOf(options)
  server.on("secureConnection", (socket) => connections.addSocket(socket))
  server.on("session", (session) => connections.addSession(session))
  const turns = new RequestTurns(options.http2MaxStreams ?? defaultMaxStreams, log)
  const serve = (request: Http2ServerRequest, response: Http2ServerResponse, expectsContinue: boolean) => {
    const start = () => begin(request, response, expectsContinue)
    // Over HTTP/1.1 a client may send requests without waiting for answers: node reads hundreds of them at once.
    if (request.httpVersionMajor !== 2) return turns.add(request.socket, start, maxPipelined)
    const { session } = request.stream
    if (session === undefined) start()
    else turns.add(session, start)
  }
  const begin = (request: Http2ServerRequest, response: Http2ServerResponse, expectsContinue: boolean, upgrade?: ConnectionUpgrade) => {
    if (hasLeft(request)) return
    const exchange = {
      ...exchangeOf(request, response, connections.stopping, options.random, expectsContinue),
      ...(upgrade && { upgrade }),
    }
    connections.addExchange(exchange)
    answer(exchange, edge).catch((error: unknown) => giveUp(exchange, error, log))
  }
  server.on("request", (request, response) => serve(request, response, false))
  // Node would send 100 Continue at once. It is sent when the client is known, and its body is going to be read.
  server.on("checkContinue", (request, response) => serve(request, response, true))
  onUpgrade(server, (request, response, socket, head) => {
    const upgrade = new ConnectionUpgrade({
      response,
      socket,
      head,
      stopping: connections.stopping,
      upgraded: () => connections.upgraded(socket),
    })
    turns.add(socket, () => begin(request, response, false, upgrade), maxPipelined)
  })
  readOneByOne(server, "secureConnection")
  ignoreBrokenConnections(server, log)
  answerPlainHttp(server, tracked)
  const port = await listen(server, options.host, options.port)
  return {
    port,
    renew: (certificates) => server.setSecureContext(secureContext(certificates, options.tls)),
    async close(graceMilliseconds = 500) {
      await connections.close(server, graceMilliseconds)
      edge.deadlines[Symbol.dispose]()
      edge.bodies[Symbol.dispose]()
      edge.discards[Symbol.dispose]()
      edge.inFlight[Symbol.dispose]()
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
  /** The time for a body that is not read, once the request is answered. */
  readonly discards: TimeLimit
  readonly inFlight: InFlight
}

function edgeOf(options: ServeOptions): Edge {
  const { clock } = options
  const [deadlines, bodies] = [new Deadlines(clock), new TimeLimit(clock, "the body of a request", bodyTime)]
  const discards = new TimeLimit(clock, "a body that is not read", discardTime)
  const inFlight = new InFlight(clock, options.inFlight, options.metrics)
  return { options, encoded: new EncodedObjects(clock), certificates: new PeerCertificates(clock), deadlines, bodies, discards, inFlight }
}

function exchangeOf(
  request: Http2ServerRequest,
  response: Http2ServerResponse,
  stopping: AbortSignal,
  random: Random,
  expectsContinue: boolean,
): Exchange {
  const controller = new AbortController()
  const given = request.headers["audit-id"]
  const auditId = typeof given === "string" && given !== "" ? given.slice(0, auditIdLimit) : random.uuid()
  return { request, response, controller, stopping, auditId, expectsContinue }
}

/** The client has reset its stream, or closed its connection, while the request waited for its turn. */
function hasLeft({ httpVersionMajor, stream, socket }: Http2ServerRequest): boolean {
  return httpVersionMajor === 2 ? stream.destroyed || stream.closed : socket.destroyed
}

async function answer(exchange: Exchange, edge: Edge): Promise<void> {
  const { options, encoded, deadlines, inFlight } = edge
  const { request, controller } = exchange
  if (hasTwoHosts(exchange)) return refuseTwoHosts(exchange)
  const headers = readHeaders(request)
  let slot: Slot
  let work: Promise<unknown> | undefined
  try {
    const admitted = admit(exchange, headers, edge)
    const [head, transport, entered] = admitted instanceof Promise ? await heldBack(exchange, admitted) : admitted
    slot = entered
    if (controller.signal.aborted) return
    const asked = await readInTime(exchange, head, edge)
    // Only now: anonymous clients may read health, and a slow body would hold the room of others.
    if (head.verb === "GET") slot = inFlight.enter(head, transport.isPrivileged === true)
    const tracked: Transport = (given) => {
      const answering = transport(given)
      work = answering
      return answering
    }
    const response = await answerInTime(tracked, asked, deadlines, controller)
    if (exchange.upgrade?.isTaken !== true) await writeResponse(exchange, asked, response, encoded)
  } catch (error) {
    if (exchange.upgrade?.isTaken === true) return giveUp(exchange, error, options.log)
    // The client has gone, unless what ended it is the answer: its time was over.
    if (controller.signal.aborted && controller.signal.reason !== error) return
    await writeResponse(exchange, { headers }, refusal(error, options.log, request.url), encoded)
  } finally {
    // Neither a client that has gone nor a deadline ends what is under way: its room is taken until it has ended by itself.
    if (slot !== undefined) await work?.catch(() => undefined)
    inFlight.leave(slot)
  }
}

type Admitted = [RequestHead, EdgeTransport, Slot]

/**
 * Before the body is read: a client that is refused would otherwise fill the memory with it, and the room of others while it sends it. Without a promise
 * where its user and what that may do are known at once.
 */
function admit(exchange: Exchange, headers: HeaderMap, edge: Edge): Admitted | Promise<Admitted> {
  const { request } = exchange
  const { options, certificates } = edge
  const refuse = (error: unknown): never => {
    if (hasBody(exchange)) discardInTime(exchange, edge)
    throw error
  }
  try {
    const head = readHead(exchange, headers)
    const transport = options.transportFor({ headers, certificate: certificates.of(request) }, head)
    const admitted =
      transport instanceof Promise ? transport.then((found) => enter(exchange, head, found, edge)) : enter(exchange, head, transport, edge)
    return admitted instanceof Promise ? admitted.catch(refuse) : admitted
  } catch (error) {
    return refuse(error)
  }
}

/** Takes the room of a write, and asks whether its client may send it. */
function enter(exchange: Exchange, head: RequestHead, transport: EdgeTransport, { inFlight }: Edge): Admitted | Promise<Admitted> {
  if (head.verb === "GET") return [head, transport, undefined]
  const withBody = hasBody(exchange)
  const slot = inFlight.enter(head, transport.isPrivileged === true, withBody)
  const leave = (error: unknown): never => {
    inFlight.leave(slot)
    throw error
  }
  const allowed = (decision: HeadDecision): Admitted => {
    if ("refusal" in decision) throw new Refused(decision.refusal)
    return [head, decision.transport, slot]
  }
  try {
    const decision = withBody ? transport.authorize?.(head) : undefined
    if (decision === undefined) return [head, transport, slot]
    return decision instanceof Promise ? decision.then(allowed).catch(leave) : allowed(decision)
  } catch (error) {
    return leave(error)
  }
}

/** Thrown for a client that may not send what it began to: the answer is made already. */
class Refused extends Error {
  readonly answer: TransportResponse

  constructor(answer: TransportResponse) {
    super("the client may not send this request")
    this.answer = answer
  }
}

/** Keeps the body unread until the user is known: what is read before would reach no reader. */
async function heldBack({ request }: Exchange, admitted: Promise<Admitted>): Promise<Admitted> {
  request.pause()
  try {
    return await admitted
  } finally {
    // From the next tick on, when its reader is there.
    request.resume()
  }
}

function discardInTime(exchange: Exchange, { bodies, discards }: Edge): void {
  const { request } = exchange
  // A client that waits for 100 Continue sends no body now: what comes next on this connection could be taken for it.
  if (exchange.expectsContinue && !isHttp2(exchange)) exchange.response.setHeader("connection", "close")
  // Over HTTP/2 a stream is over soon after its answer: else each would be held, with all its headers, for as long as its client does not end it.
  // Not at once: a reset overtakes what of the answer is not sent yet, and clients then report the reset.
  if (isHttp2(exchange)) {
    request.stream.once("finish", () => {
      const reset = discards.start(() => request.stream.close(noError))
      request.stream.once("close", () => reset[Symbol.dispose]())
    })
  }
  discardBody(request)
  const limit = bodies.start(() => breakOff(exchange))
  request.on("close", () => limit[Symbol.dispose]())
}

/** A client that sends its body drop by drop is cut off: it would hold a connection without end. */
async function readInTime(exchange: Exchange, head: RequestHead, edge: Edge): Promise<TransportRequest> {
  if (edge.options.readsBodies === false) {
    if (hasBody(exchange)) discardInTime(exchange, edge)
    return head
  }
  if (exchange.expectsContinue) exchange.response.writeContinue()
  if (!hasBody(exchange)) return head
  if (head.verb === "GET") {
    discardInTime(exchange, edge)
    return head
  }
  using _ = edge.bodies.start(() => breakOff(exchange))
  return await readRest(exchange, head)
}

/** A proxy may have used the other one. Node keeps the first and forgets the rest. */
function hasTwoHosts(exchange: Exchange): boolean {
  if (isHttp2(exchange)) return false
  let hosts = 0
  const { rawHeaders } = exchange.request
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (name.length === 4 && name.toLowerCase() === "host") hosts++
  }
  return hosts > 1
}

/** There is no request to speak of: Go's answer. */
function refuseTwoHosts({ response }: Exchange): void {
  const text = "400 Bad Request: too many Host headers"
  response.writeHead(400, { "content-type": "text/plain; charset=utf-8", "content-length": text.length, connection: "close" })
  response.end(text)
}

/** Even the refusal could not be written: the client must not wait for one. */
function giveUp(exchange: Exchange, error: unknown, log: Log): void {
  log.error("an answer could not be written", { url: exchange.request.url, error: messageOf(error) })
  breakOff(exchange)
}

function refusal(error: unknown, log: Log, url: string): TransportResponse {
  if (error instanceof Refused) return error.answer
  if (error instanceof TooManyInFlight) return tooManyRequests()
  const response = failureResponse(error)
  if (response.status >= 500) log.error("a request failed in a way it should not", { url, error: messageOf(error) })
  return response
}

/** A client that breaks off in a handshake or speaks nonsense is no event of ours; without a listener node would end the process. */
function ignoreBrokenConnections(server: Http2SecureServer, log: Log): void {
  server.on("tlsClientError", (error) => log.debug("a TLS handshake failed", { error: messageOf(error) }))
  server.on("sessionError", (error) => log.debug("an HTTP/2 connection broke", { error: messageOf(error) }))
}
