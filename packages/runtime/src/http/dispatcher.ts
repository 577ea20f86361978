import type { Socket } from "node:net"
import type { TLSSocket } from "node:tls"
import type { buildConnector, Dispatcher, Pool } from "undici"
import type { Connection, Presented } from "./connection.ts"
import { endWhenDead } from "./dead-connection.ts"
import { pinMismatch } from "./explain-failure.ts"
import { tunnel } from "./tunnel.ts"

type Undici = typeof import("undici")
type DirectParts = Pick<Undici, "Pool" | "buildConnector">
type Connector = buildConnector.connector

export interface SocketTimes {
  /** How long a connection may take to open. */
  readonly connect: number
  /** Between two HTTP/2 pings. */
  readonly ping: number
  /** How long an HTTP/2 connection may be silent before it is given up; several pings long. */
  readonly silence: number
}

const second = 1000
/** As long as Go's: shorter than what servers and load balancers keep an idle connection. */
export const keepAlive = 90 * second
const mebibyte = 1024 * 1024

/**
 * Connections to one server with one identity. One HTTP/2 connection carries about 250 watches and requests; where the server has only
 * HTTP/1.1, each watch has a connection of its own.
 */
export function directDispatcher(parts: DirectParts, connection: Connection, presented: Presented, times: SocketTimes): Dispatcher {
  return pool(parts, connection, times, directConnector(parts, connection, presented, times))
}

/** The same through the proxy of the connection. */
export function proxiedDispatcher(undici: Undici, connection: Connection, presented: Presented, times: SocketTimes): Dispatcher {
  const proxy = new URL(connection.proxy!)
  // Speaks HTTP/1.1: undici does not offer the server HTTP/2 behind one (8.12).
  if (proxy.protocol === "socks5:")
    return new undici.Socks5ProxyAgent(proxy, { requestTls: tlsOptions(connection, presented), connectTimeout: times.connect })
  // What is not encrypted is sent through a proxy as it is, by its whole address: many proxies tunnel only to port 443.
  if (new URL(connection.server).protocol === "http:")
    return new undici.ProxyAgent({ uri: proxy.href, proxyTunnel: false, ...poolOptions(times) })
  const inside = directConnector(undici, connection, presented, times)
  return pool(undici, connection, times, tunnel(undici, proxy, inside, proxyOptions(connection, times)))
}

function directConnector({ buildConnector }: DirectParts, connection: Connection, presented: Presented, times: SocketTimes): Connector {
  const connect = buildConnector({ ...tlsOptions(connection, presented), allowH2: true, preferH2: true, timeout: times.connect })
  return connection.pins === undefined ? connect : pinned(connect, connection.pins)
}

function pool({ Pool }: DirectParts, { server }: Connection, times: SocketTimes, connect: Connector): Dispatcher {
  return new Pool(new URL(server).origin, { connect: guarded(connect, times.silence), ...poolOptions(times) })
}

/**
 * Nothing ends for being quiet: a watch may be silent for an hour, and the transport has its own limit for whole answers.
 * The windows: a watch whose reader is slow holds at most 1 MiB, and 250 of them together do not stop the others on the connection.
 */
function poolOptions({ ping }: SocketTimes): Pool.Options {
  return {
    allowH2: true,
    bodyTimeout: 0,
    headersTimeout: 0,
    keepAliveTimeout: keepAlive,
    h2Options: {
      pingInterval: ping,
      maxConcurrentStreams: 250,
      settings: { initialWindowSize: mebibyte },
      connectionWindowSize: 256 * mebibyte,
    },
  }
}

function tlsOptions(connection: Connection, { certificate, key }: Presented): buildConnector.BuildOptions {
  return {
    ca: connection.authorities(),
    cert: certificate,
    key,
    servername: connection.serverName,
    rejectUnauthorized: connection.insecure !== true && connection.pins === undefined,
  }
}

/** Looks at the certificate before a byte of a request is sent. */
function pinned(connect: Connector, pins: readonly string[]): Connector {
  return (options, callback) =>
    connect(options, (...result) => {
      const [, socket] = result
      if (!socket || pins.includes(fingerprintOf(socket))) return callback(...result)
      socket.destroy()
      callback(Object.assign(new Error("its fingerprint is another one"), { code: pinMismatch }), null)
    })
}

/** "" where the server has shown no certificate. */
function fingerprintOf(socket: Socket | TLSSocket): string {
  const certificate = "getPeerX509Certificate" in socket ? socket.getPeerX509Certificate() : undefined
  return certificate?.fingerprint256.replaceAll(":", "").toLowerCase() ?? ""
}

/** A proxy that speaks TLS itself is held to the cluster's authority, as Go's client does; nothing else of the server's settings is about it. */
function proxyOptions({ authorities, insecure }: Connection, { connect }: SocketTimes): buildConnector.BuildOptions {
  return { ca: authorities(), rejectUnauthorized: insecure !== true, timeout: connect }
}

function guarded(connect: Connector, silence: number): Connector {
  return (options, callback) =>
    connect(options, (...result) => {
      const [, socket] = result
      // Not null but undefined when it failed, whatever undici's types say.
      if (socket && "alpnProtocol" in socket && socket.alpnProtocol === "h2") endWhenDead(socket as Socket, silence)
      callback(...result)
    })
}
