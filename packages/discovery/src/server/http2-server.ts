import { once } from "node:events"
import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type SecureServerOptions,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2"
import type { Socket } from "node:net"
import { type Clock, messageOf, PilothouseError } from "@pilothouse/seams"
import { type Connection, Connections, connectionLimits, http2Protocol } from "@pilothouse/seams/edge"
import type { OnFault } from "./edge-fault.ts"
import { Keepalive, type KeepaliveOptions } from "./keepalive.ts"
import { contextOf, type TlsPair } from "./tls-credentials.ts"

/** Where a server listens, and its limits. */
export interface Http2ServerOptions {
  /** An address, or "unix:" and a path. */
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  readonly tls?: TlsPair
  readonly keepalive: KeepaliveOptions
  /** Those beyond it, or beyond what the descriptors of this process allow, are closed as soon as they are there. */
  readonly maximumConnections: number
  /** Without it, connections that never begin a session or a call are closed by their client only. */
  readonly clock?: Clock
  readonly streamsPerConnection: number
  readonly onFault: OnFault
}

/** A bound server. */
export interface ListeningServer {
  readonly server: Http2Server | Http2SecureServer
  /** "127.0.0.1:15010" */
  readonly address: string
  renew(pair: TlsPair): void
  /** Ends every connection at once. Ends when nothing is left of them. */
  close(): Promise<void>
}

// Node counts what waits for a slow client towards this, and refuses its streams: how much may wait is for those to say who know what it is.
const maxSessionMemory = Number.MAX_SAFE_INTEGER

/** A server of HTTP/2 that listens. */
export async function listenHttp2(options: Http2ServerOptions): Promise<ListeningServer> {
  const { host, port, tls, keepalive, onFault } = options
  let pair = tls
  const server = boundedServer(options)
  server.on("sessionError", (error) => onFault("protocol", messageOf(error)))
  const sessions = heldWhileOpen(server)
  const connections = trackedConnections(server, options)
  const address = await listen(server, host, port)
  // Accepting one connection failed, which is no reason to end.
  server.on("error", (error) => onFault("accept", messageOf(error)))
  const asking = new Keepalive(sessions, keepalive, () => onFault("silent", "no answer to a ping"))
  return {
    server,
    address,
    renew: (next) => {
      if (!("setSecureContext" in server)) return
      // Whether clients are asked for a certificate stays as it was at the start, and so does by whom, where nothing is said of it.
      const renewed = { ...next, clientAuthority: next.clientAuthority ?? pair?.clientAuthority }
      server.setSecureContext(contextOf(renewed))
      pair = renewed
    },
    close: () =>
      new Promise<void>((resolve) => {
        asking[Symbol.dispose]()
        server.close(() => resolve())
        for (const session of sessions) session.destroy()
        // Some have no session yet: their handshake is not over, or never begins.
        connections.destroy()
      }),
  }
}

/** Does something when what has come by now was read from every socket. */
export function afterSockets(work: () => void): void {
  setImmediate(work)
}

/** Three weeks; Node would take a longer time for none at all. */
const maxTimer = 2 ** 31 - 1

/** Does something in so many milliseconds, unless disposed of before. */
export function inTime(milliseconds: number, work: () => void): Disposable {
  const timer = milliseconds > maxTimer ? undefined : setTimeout(work, milliseconds).unref()
  return { [Symbol.dispose]: () => clearTimeout(timer) }
}

function heldWhileOpen(server: Http2Server | Http2SecureServer): ReadonlySet<ServerHttp2Session> {
  const held = new Set<ServerHttp2Session>()
  function forget(this: ServerHttp2Session): void {
    held.delete(this)
  }
  server.on("session", (opened: ServerHttp2Session) => {
    held.add(opened)
    opened.once("close", forget)
  })
  return held
}

/** Of the descriptors of this process. */
const descriptorShare = 0.15

/** Pings find the clients that are gone, so how long one takes to read has no limit here. */
function trackedConnections(server: Http2Server | Http2SecureServer, options: Http2ServerOptions): Connections {
  const { tls, clock, maximumConnections, onFault } = options
  const bounded = connectionLimits(descriptorShare, maximumConnections)
  // Behind a proxy all clients have one address.
  const limits = { ...bounded, perAddress: bounded.total, stall: Number.POSITIVE_INFINITY }
  const connections = new Connections({ clock, limits, onRefused: (reason) => onFault("limit", reason) })
  connections.guard(server, { tls: tls !== undefined })
  if (tls !== undefined) server.on("secureConnection", (socket: Socket) => connections.ready(socket, socket))
  server.on("session", (session: ServerHttp2Session) => connections.ready(session, session.socket, http2Protocol(session)))
  server.on("stream", (stream: ServerHttp2Stream) => {
    const connection = stream.session && connections.of(stream.session)
    if (connection !== undefined) countStream(connections, connection, stream)
  })
  return connections
}

function countStream(connections: Connections, connection: Connection, stream: ServerHttp2Stream): void {
  connections.open(connection, stream)
  stream.once("close", () => connections.close(connection, stream))
}

function boundedServer({ tls, keepalive, streamsPerConnection, onFault }: Http2ServerOptions) {
  const settings = { maxConcurrentStreams: streamsPerConnection }
  // One that does not finish its handshake is gone as soon as one that does not answer a ping.
  const handshakeTimeout = keepalive.time + keepalive.timeout
  return tls === undefined
    ? createServer({ settings, maxSessionMemory })
    : secureServer(tls, { settings, maxSessionMemory, handshakeTimeout }, onFault)
}

function secureServer(tls: TlsPair, options: SecureServerOptions, onFault: OnFault): Http2SecureServer {
  const asks = tls.clientAuthority !== undefined
  const server = createSecureServer({ ...options, ...contextOf(tls), requestCert: asks, rejectUnauthorized: asks })
  server.on("tlsClientError", (error) => onFault("handshake", messageOf(error)))
  // A connection that breaks before it is one of HTTP/2 has no other listener (nodejs/node#35824).
  server.on("secureConnection", (socket) => socket.on("error", () => undefined))
  return server
}

async function listen(server: Http2Server | Http2SecureServer, host: string, port: number): Promise<string> {
  const path = host.startsWith("unix:") ? host.slice("unix:".length).replace(/^\/\//, "") : undefined
  const named = path === undefined ? `${host.includes(":") ? `[${host}]` : host}:` : host
  const asked = path === undefined ? `${named}${port}` : host
  try {
    // A name may mean two addresses, of which one can be listened on: the one that clients try.
    server.listen(path === undefined ? { host: host === "localhost" ? "127.0.0.1" : host, port, exclusive: true } : { path })
    await once(server, "listening")
  } catch (cause) {
    throw refusal(asked, cause)
  }
  const bound = server.address()
  return bound === null || typeof bound === "string" ? host : `${named}${bound.port}`
}

function refusal(address: string, cause: unknown): PilothouseError {
  const { code } = cause as NodeJS.ErrnoException
  if (code === "EADDRINUSE")
    return new PilothouseError("PORT_TAKEN", `expected ${address} to be free, found it taken; give another port`, { cause })
  return new PilothouseError("INVALID", `expected an address to listen on, found ${address}: ${messageOf(cause)}; give another`, { cause })
}
