import type { Socket } from "node:net"
import type { ConnectionOptions, TLSSocket } from "node:tls"
import { abortable } from "@pilothouse/seams"
import type { Connection, Presented } from "./connection.ts"
import { pinMismatch } from "./explain-failure.ts"
import { socksTunnel } from "./socks.ts"
import { httpTunnel, ProxyFailure } from "./tunnel.ts"

/** The parts of Node that open connections; loaded with the first request. */
export interface SocketModules {
  readonly net: Pick<typeof import("node:net"), "connect">
  readonly tls: Pick<typeof import("node:tls"), "connect">
  readonly http: Pick<typeof import("node:http"), "Agent" | "request">
}

/** A host and a port, without the brackets of an IPv6 address. */
export interface Target {
  readonly host: string
  readonly port: number
}

/** The application protocols that a client offers, the preferred one first. */
export type Alpn = readonly ("h2" | "http/1.1")[]

/** Opens one connection to the server of a Connection. Aborting the signal destroys what is open so far. */
export type Dial = (alpn: Alpn, signal: AbortSignal) => Promise<Socket>

/**
 * Opens connections as one identity: directly or through the proxy of the connection, with TLS where the server has it.
 * The whole of it, TCP, proxy and TLS handshake, has `timeout` milliseconds.
 */
export function dialer(modules: SocketModules, connection: Connection, presented: Presented, timeout: number): Dial {
  const server = new URL(connection.server)
  const target = targetOf(server)
  const options = tlsOptions(connection, presented)
  return (alpn, stopped) =>
    withinTimeout(timeout, stopped, async (signal) => {
      const socket = await plainSocket(modules, connection, target, signal)
      if (server.protocol === "http:") return socket
      const secure = modules.tls.connect({ ...options, ALPNProtocols: [...alpn], servername: serverName(connection, target.host), socket })
      return pinned(await opened(secure, "secureConnect", signal, socket), connection.pins)
    })
}

async function plainSocket(modules: SocketModules, connection: Connection, target: Target, signal: AbortSignal): Promise<Socket> {
  const { connect, proxy } = connection
  const made = connect && (await abortable(connect(target, signal), signal))
  // Of a socket only what every Duplex has is used where it is kept for one request.
  if (made !== undefined) return made as Socket
  if (proxy !== undefined) return throughProxy(modules, connection, target, signal)
  return opened(modules.net.connect(target), "connect", signal)
}

/** Returns host and port of a URL, with the default port of its protocol; brackets of an IPv6 address are removed. */
export function targetOf({ hostname, port, protocol }: URL): Target {
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || defaultPorts[protocol] || 80) }
}

const defaultPorts: Readonly<Record<string, number>> = { "http:": 80, "https:": 443, "socks5:": 1080 }

/**
 * True where the proxy receives requests themselves and no tunnel: what is not encrypted is sent through an HTTP proxy by its whole address,
 * since many proxies tunnel only to port 443.
 */
export function forwardsRequests({ server, proxy }: Connection): boolean {
  return new URL(server).protocol === "http:" && proxy !== undefined && new URL(proxy).protocol !== "socks5:"
}

async function throughProxy(modules: SocketModules, connection: Connection, target: Target, signal: AbortSignal): Promise<Socket> {
  const proxy = new URL(connection.proxy!)
  try {
    const socket = await proxySocket(modules, connection, proxy, signal)
    if (forwardsRequests(connection)) return socket
    using _ = destroyedOnAbort(socket, signal)
    return await (proxy.protocol === "socks5:" ? socksTunnel(socket, proxy, target) : httpTunnel(modules.http, socket, proxy, target))
  } catch (thrown) {
    if (thrown instanceof ProxyFailure) throw thrown
    const cause = signal.aborted ? signal.reason : thrown
    throw new ProxyFailure(proxy.host, "could not be used; check its address", { cause })
  }
}

function destroyedOnAbort(socket: Socket, signal: AbortSignal): Disposable {
  const destroy = () => socket.destroy()
  signal.addEventListener("abort", destroy, { once: true })
  return { [Symbol.dispose]: () => signal.removeEventListener("abort", destroy) }
}

/** A proxy that speaks TLS itself is held to the cluster's authority, as Go's client does; the other TLS settings concern the server alone. */
async function proxySocket({ net, tls }: SocketModules, connection: Connection, proxy: URL, signal: AbortSignal): Promise<Socket> {
  const target = targetOf(proxy)
  const socket = await opened(net.connect(target), "connect", signal)
  if (proxy.protocol !== "https:") return socket
  const { authorities, insecure } = connection
  const secure = tls.connect({
    ca: authorities(),
    allowPartialTrustChain: true,
    rejectUnauthorized: insecure !== true,
    host: target.host,
    socket,
  })
  return opened(secure, "secureConnect", signal, socket)
}

function tlsOptions(connection: Connection, { certificate, key }: Presented): ConnectionOptions {
  const { host } = targetOf(new URL(connection.server))
  return {
    host,
    ca: connection.authorities(),
    // As Go verifies: any certificate of the bundle is trusted, also one that is no authority. envtest gives webhooks such bundles.
    allowPartialTrustChain: true,
    cert: certificate,
    key,
    rejectUnauthorized: connection.insecure !== true && connection.pins === undefined,
  }
}

/** An address is no name that a client may send (RFC 6066); the certificate is still checked against it. */
function serverName({ serverName: name }: Connection, host: string): string | undefined {
  return name ?? (/^[\d.]+$|:/.test(host) ? undefined : host)
}

/** Compares the certificate before a byte of a request is sent. */
function pinned(socket: TLSSocket, pins: readonly string[] | undefined): TLSSocket {
  if (pins === undefined || pins.includes(fingerprintOf(socket))) return socket
  socket.destroy()
  throw Object.assign(new Error("its fingerprint is another one"), { code: pinMismatch })
}

/** "" where the server has shown no certificate. */
function fingerprintOf(socket: TLSSocket): string {
  return socket.getPeerX509Certificate()?.fingerprint256.replaceAll(":", "").toLowerCase() ?? ""
}

/** Resolves when the socket is open; destroys it, and what is below it, where it fails or the signal is aborted. */
function opened<S extends Socket>(socket: S, event: "connect" | "secureConnect", signal: AbortSignal, below?: Socket): Promise<S> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      signal.removeEventListener("abort", stop)
      socket.destroy()
      below?.destroy()
      reject(error)
    }
    const stop = () => fail(signal.reason)
    const closed = () => fail(new Error("the connection was closed before it could be used"))
    signal.addEventListener("abort", stop, { once: true })
    socket.once("error", fail)
    socket.once("close", closed)
    socket.once(event, () => {
      signal.removeEventListener("abort", stop)
      socket.off("error", fail).off("close", closed)
      // An idle socket may fail between two owners: without a listener that would end the process. Its owner learns of it by "close".
      socket.on("error", () => {})
      resolve(socket)
    })
    if (signal.aborted) stop()
  })
}

/** Real timers, and no Clock: a socket is never part of virtual time. */
async function withinTimeout<T>(timeout: number, stopped: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const expired = new AbortController()
  const late = Object.assign(new Error(`no connection within ${timeout} ms`), { code: "ETIMEDOUT" })
  const timer = setTimeout(() => expired.abort(late), timeout)
  try {
    return await work(AbortSignal.any([stopped, expired.signal]))
  } finally {
    clearTimeout(timer)
  }
}
