import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2"
import type { TLSSocket } from "node:tls"
import { isLoopbackIp } from "@pilothouse/api/net"
import { type Clock, type Log, PilothouseError, silentLog } from "@pilothouse/seams"
import type { Hub } from "../push/hub.ts"
import { frameLength, type Protocol } from "../session/responses.ts"
import { adsMethods } from "../xds/methods.ts"
import { AdsCall } from "./ads-call.ts"
import type { CallDeps } from "./call-deps.ts"
import type { OnFault } from "./edge-fault.ts"
import { statusHeaders } from "./grpc-status.ts"
import { afterSockets, inTime, listenHttp2 } from "./http2-server.ts"
import { Streams } from "./streams.ts"
import type { TlsPair } from "./tls-credentials.ts"

/**
 * One question at a time about a token of a connection: each may be one to the API server, and a client may open many streams at once. Nothing is kept
 * once it is answered.
 */
class Admission {
  readonly #asked = new Map<object, Map<string, Promise<string | undefined>>>()

  /** Undefined lets the client in; a text is why not. */
  async ask(connection: object, token: string, authenticate: () => Promise<string | undefined>): Promise<string | undefined> {
    const known = this.#asked.get(connection) ?? new Map<string, Promise<string | undefined>>()
    const underWay = known.get(token)
    if (underWay !== undefined) return underWay
    const answer = authenticate()
    this.#asked.set(connection, known.set(token, answer))
    try {
      return await answer
    } finally {
      known.delete(token)
      if (known.size === 0) this.#asked.delete(connection)
    }
  }
}

/** What is known of a client before it says anything. */
export interface Credentials {
  /** Of its certificate, where it has one that its authority signed. */
  readonly commonName?: string
  readonly uris: readonly string[]
  /** The bearer token that it sent. */
  readonly token?: string
}

/** Where an xDS server listens, and which clients it admits. */
export interface ServeXdsOptions {
  readonly hub: Hub
  /** By default 127.0.0.1. Anything else needs `tls`. */
  readonly host?: string
  /** 0: any free one. */
  readonly port?: number
  readonly tls?: TlsPair & {
    /** Undefined lets it in; a text is why not. Asked for each stream, once for those that a connection opens together: certificates or service-account tokens. */
    authenticate(credentials: Credentials): Promise<string | undefined>
  }
  /** By default 100,000. */
  readonly maximumStreams?: number
  /**
   * By default 100, as RFC 9113 (6.5.2) and Envoy advise: clients need one or two, and each may hold 64 kB with us before we know who it is. A proxy of many
   * clients opens more connections, or is given more.
   */
  readonly streamsPerConnection?: number
  /** By default a thousand more than streams: a client that is one too many still receives a status. */
  readonly maximumConnections?: number
  /** Milliseconds after which connections are asked whether they live, and for which one may think about it; by default 30 s and 10 s. */
  readonly keepalive?: { readonly time: number; readonly timeout: number }
  /** For limits in time on connections that never call anything; none without it. */
  readonly clock?: Clock
  /** Receives a line at level debug for each client that is refused. */
  readonly log?: Log
}

/** A listening xDS server. */
export interface ServedXds extends AsyncDisposable {
  /** "127.0.0.1:15010" */
  readonly address: string
  /** Connections from now on meet this certificate; those that are there go on. Refuses one that is no good, and keeps what it has. */
  renew(pair: TlsPair): void
  close(): Promise<void>
}

/** Puts a hub on a port, as gRPC. Ends when it listens. */
export async function serveXds(options: ServeXdsOptions): Promise<ServedXds> {
  // As upstream: a client that is gone without a word is noticed after 40 s.
  const { hub, host = "127.0.0.1", port = 0, tls, maximumStreams = 100_000, keepalive = { time: 30_000, timeout: 10_000 } } = options
  const { streamsPerConnection = 100, maximumConnections = maximumStreams + 1_000, clock, log = silentLog } = options
  if (tls === undefined && !isLoopback(host))
    throw new PilothouseError(
      "INVALID",
      `expected TLS for ${host}, found none: only loopback may be plain; give a certificate, or listen on 127.0.0.1`,
    )
  const onFault: OnFault = (fault, why) => {
    hub.rejected(fault)
    log.debug("a client was refused", { fault, why })
  }
  const streams = new Streams({ hub, maximum: maximumStreams })
  const open: CallDeps["open"] = (protocol, peer) => streams.open(protocol, peer)
  const world: CallDeps = {
    open,
    framed: sharedFrames(),
    onFault,
    patience: keepalive.timeout,
    soon: afterSockets,
    inTurn: oneInEachTurn(),
    later: inTime,
  }
  const admission = new Admission()
  const listening = await listenHttp2({ host, port, tls, keepalive, streamsPerConnection, maximumConnections, clock, onFault })
  listening.server.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    const called = callOf(headers)
    if (typeof called !== "string") {
      onFault("protocol", called.why)
      return refuse(stream, called.headers)
    }
    const ask = tls && (() => tls.authenticate(credentialsOf(stream, headers)))
    const authenticate = ask && (() => admission.ask(stream.session ?? stream, headers.authorization ?? "", ask))
    const { "grpc-encoding": encoding, "grpc-timeout": timeout } = headers as Readonly<Record<string, string | undefined>>
    new AdsCall(stream, world, encoding).start(called, authenticate, timeout)
  })
  const close = () => listening.close()
  return { address: listening.address, renew: listening.renew, close, [Symbol.asyncDispose]: close }
}

/** Does one piece of work in each turn of the event loop, in the order in which they came. */
function oneInEachTurn(): (work: () => void) => void {
  const waiting: (() => void)[] = []
  const next = () => {
    const work = waiting.shift()
    if (waiting.length > 0) afterSockets(next)
    work?.()
  }
  return (work) => {
    if (waiting.push(work) === 1) afterSockets(next)
  }
}

/** Our messages have room for gRPC's frame before them, filled in already: one buffer goes to every stream that gets the same message. */
function sharedFrames(): (message: Buffer) => Buffer {
  let [last, framed]: (Buffer | undefined)[] = []
  return (message) => {
    if (framed === undefined || message !== last) {
      last = message
      framed = Buffer.from(message.buffer, message.byteOffset - frameLength, message.length + frameLength)
    }
    return framed
  }
}

function refuse(stream: ServerHttp2Stream, headers: Readonly<Record<string, string | number>>): void {
  stream.on("error", () => undefined)
  if (!stream.closed && !stream.destroyed) stream.respond(headers, { endStream: true })
  // What the client sends after it is discarded (RFC 9113, 8.1).
  stream.close()
  stream.resume()
}

function credentialsOf({ session }: ServerHttp2Stream, { authorization = "" }: IncomingHttpHeaders): Credentials {
  const certificate = (session?.socket as TLSSocket | undefined)?.getPeerCertificate()
  const token = /^Bearer (.+)$/i.exec(authorization)?.[1]
  // Node gives a list where there are several, whatever its types say; the last counts, as in Go.
  const commonName = [certificate?.subject?.CN].flat().at(-1)
  return {
    uris: uriNames(certificate?.subjectaltname ?? ""),
    ...(typeof commonName === "string" && { commonName }),
    ...(token !== undefined && { token }),
  }
}

/** A request of HTTP/2 that is no call of ADS: what it is answered with, and why. */
interface RefusedCall {
  readonly headers: Readonly<Record<string, string | number>>
  readonly why: string
}

/** Which protocol a request speaks, or why it is none that we serve. */
function callOf(headers: IncomingHttpHeaders): Protocol | RefusedCall {
  const { ":method": method = "", ":path": path = "", "content-type": type = "" } = headers
  if (method !== "POST") return { headers: { ":status": 405, allow: "POST" }, why: `expected POST, found ${method}` }
  if (!isGrpc(type)) return { headers: { ":status": 415 }, why: `expected application/grpc, found ${type || "no content-type"}` }
  if (path === adsMethods.sotw) return "sotw"
  if (path === adsMethods.delta) return "delta"
  const why = `expected a method of ADS, found ${path}`
  return { headers: { ":status": 200, "content-type": "application/grpc", ...statusHeaders("UNIMPLEMENTED", why) }, why }
}

/** "application/grpc+proto" is; "application/grpc-web" is another protocol. */
function isGrpc(contentType: string): boolean {
  return /^application\/grpc(?:$|[+;])/i.test(contentType)
}

/**
 * The URIs among the names of a certificate, of Node's text of them: "DNS:a, URI:spiffe://b". A name with a comma or a quote in it stands there as JSON: cut
 * at commas alone, `DNS:"x, URI:spiffe://b, y"` would be read as the URI that it only looks like. None where the text cannot be read.
 */
export function uriNames(subjectAltName: string): readonly string[] {
  const next = /([^:]*):("(?:[^"\\]|\\.)*"|[^",]*)(?:, |$)/y
  const uris: string[] = []
  while (next.lastIndex < subjectAltName.length) {
    const [, kind, value = ""] = next.exec(subjectAltName) ?? []
    if (kind === undefined) return []
    if (kind === "URI") uris.push(value.startsWith('"') ? (JSON.parse(value) as string) : value)
  }
  return uris
}

/** The only hosts that xDS may be served at without TLS: no other machine can listen in. */
export function isLoopback(host: string): boolean {
  return isLoopbackIp(host) || host === "localhost" || host.startsWith("unix:")
}
