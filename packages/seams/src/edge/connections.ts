import type { Clock } from "../clock/clock.ts"
import type { ConnectionLimits } from "./connection-limits.ts"

/** As much of a TCP socket of Node as is needed. */
export interface TcpSocket extends RemoteEnd {
  readonly bytesRead: number
  /** Bytes handed to the system. */
  readonly bytesWritten: number
  setKeepAlive(enable: boolean, delayMilliseconds: number): unknown
  on(name: "close", listener: () => void): unknown
  end(lastWords?: string): unknown
  destroy(): unknown
}

/** As much of a server of Node (TCP, TLS, HTTP, HTTP/2) as is needed. */
export interface TcpServer {
  /** A string for a socket of the file system. */
  address(): object | string | null
  listeners(name: string): readonly Function[]
  removeAllListeners(name: string): unknown
  on(name: string, listener: (...args: never[]) => void): unknown
}

/** Both ends of a connection, which identify it; a TLS socket has those of the TCP socket below it. */
export interface RemoteEnd {
  readonly localAddress?: string | undefined
  readonly localPort?: number | undefined
  readonly remoteAddress?: string | undefined
  readonly remotePort?: number | undefined
}

/** An answer, as far as the client has to take it. */
export interface Output {
  /** Bytes that the client has not taken. */
  readonly writableLength: number
  /** Ends this answer alone; absent where that ends the connection. */
  readonly reset?: () => void
}

/** How much of an answer waits, and since when that has not changed. */
interface Progress {
  length: number
  since: number
}

/**
 * - opening: accepted; with TLS its handshake is not over.
 * - unused: can carry requests and has not carried any.
 * - used: has carried a request.
 * - retiring: was asked to end, because it was idle.
 */
type Phase = "opening" | "unused" | "used" | "retiring"

/** One TCP connection, from its acceptance to its close. */
export class Connection {
  readonly socket: TcpSocket
  readonly end: string
  /** What the client counts for; empty for a socket of the file system, whose clients are processes of this machine: it has no limits in time. */
  readonly address: string
  /** Answers that are not closed. */
  readonly outputs = new Map<Output, Progress>()
  phase: Phase = "opening"
  /** When the phase began, or the last answer was closed. */
  since: number
  /**
   * `bytesRead` of the socket when it last completed the headers of a request, sent a part of a body, or answered a probe: no headers were open
   * then.
   */
  read = 0
  /** Ends the connection in the way of its protocol. */
  retire: () => void
  probe: Protocol["probe"]
  /** A probe was sent, and its answer has not come. */
  isProbed = false
  /** When an answer was reset because its client took nothing: the next answer to a probe shows that the client is there. */
  stalledSince: number | undefined
  /** It speaks another protocol than HTTP now: what it sends and what waits for it is limited by the code of that protocol. */
  isUpgraded = false

  constructor(socket: TcpSocket, address: string, now: number) {
    this.socket = socket
    this.end = textOf(socket)
    this.address = address
    this.since = now
    this.retire = () => socket.end()
  }
}

/** What a connection can do beyond TCP. */
export interface Protocol {
  /** Ends it when it has been idle for too long. */
  readonly retire?: () => void
  /** Asks the client for a sign of life, such as the answer to a PING of HTTP/2. */
  readonly probe?: (answered: () => void) => void
}

/** As much of a session of HTTP/2 as is needed. */
export interface Http2Session {
  readonly destroyed: boolean
  close(): void
  ping(callback: (error: Error | null) => void): boolean
}

/** Ends by GOAWAY: a client that sends a request at this moment knows that it was not handled. Probes by PING. */
export function http2Protocol(session: Http2Session): Protocol {
  return {
    retire: () => session.close(),
    probe(answered) {
      if (!session.destroyed) session.ping((error) => error === null && answered())
    },
  }
}

/** The limits of the connections of one server. */
export interface ConnectionsOptions {
  /** Without it there are no limits in time: for plain HTTP/1.1, where node's own server has them. */
  readonly clock?: Clock
  readonly limits: ConnectionLimits
  /** Notified of each connection that was closed because there were too many. */
  readonly onRefused?: (reason: string) => void
}

/** How often connections are checked, in milliseconds. */
const checkInterval = 1000

/** Bytes that a connection has sent without a request, for which it is not closed whatever others have sent: a handshake, pings. */
const fewHeaderBytes = 64 * 1024

/**
 * The TCP connections of one server, also those below TLS whose handshake never ends: node's own servers know only what comes after it.
 *
 * Invariant between calls: a connection is here from its acceptance to the close of its socket; no more than the limits allow are here;
 * while there is one, and a limit in time, a timer runs. After `destroy()` none is here once their sockets have closed.
 */
export class Connections {
  readonly #options: ConnectionsOptions
  readonly #all = new Set<Connection>()
  readonly #countOf = new Map<string, number>()
  readonly #byEnd = new Map<string, Connection>()
  readonly #byCarrier = new WeakMap<object, Connection>()
  /** Undefined where no limit in time is kept. */
  readonly #clock: Clock | undefined
  #timer: Disposable | undefined
  /** Milliseconds in which this process did not run: what clients have sent meanwhile was not read, and no limit in time counts them. */
  #lost = 0
  #destroyed = false

  constructor(options: ConnectionsOptions) {
    this.#options = options
    const { handshake, firstRequest, idle, stall } = options.limits
    this.#clock = [handshake, firstRequest, idle, stall].some(Number.isFinite) ? options.clock : undefined
  }

  get size(): number {
    return this.#all.size
  }

  /** Puts itself before the server's own handling of new connections. Without TLS a connection is ready for requests at once. */
  guard(server: TcpServer, { tls = false } = {}): void {
    const serve = server.listeners("connection")
    server.removeAllListeners("connection")
    server.on("connection", (socket: TcpSocket) => {
      const connection = this.#admit(socket, typeof server.address() === "string")
      if (connection === undefined) return
      if (!tls) this.#ready(connection, socket)
      for (const listener of serve) listener.call(server, socket)
    })
  }

  /**
   * Says that the connection with this remote end can carry requests, and by what they name it: their TLS socket, or their session of HTTP/2.
   */
  ready(carrier: object, end: RemoteEnd, protocol?: Protocol): void {
    const connection = this.at(end)
    if (connection !== undefined) this.#ready(connection, carrier, protocol)
  }

  at(end: RemoteEnd): Connection | undefined {
    return this.#byEnd.get(textOf(end))
  }

  /** By what `ready` was called with; by the socket itself without TLS. */
  of(carrier: object): Connection | undefined {
    return this.#byCarrier.get(carrier)
  }

  /** A request has arrived. Its answer must be passed to `close` when it is over. */
  open(connection: Connection, output: Output): void {
    connection.phase = "used"
    connection.read = connection.socket.bytesRead
    connection.outputs.set(output, { length: 0, since: this.#now() })
  }

  /** The client has taken something of this answer. */
  took(connection: Connection, output: Output): void {
    const progress = connection.outputs.get(output)
    if (progress !== undefined) progress.since = this.#now()
  }

  close(connection: Connection, output: Output): void {
    connection.outputs.delete(output)
    connection.since = this.#now()
  }

  /**
   * A part of a request's body was read. Between the frames of one header block HTTP/2 allows no other: what was sent before are not open headers.
   */
  readBody(connection: Connection): void {
    connection.read = connection.socket.bytesRead
  }

  /** Closes those that cannot carry a request yet: a server that stops has nothing to wait for there. */
  destroyOpening(): void {
    for (const { phase, socket } of this.#all) if (phase === "opening") socket.destroy()
  }

  /** Closes all of them at once, and every one that comes later. */
  destroy(): void {
    this.#destroyed = true
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
    for (const { socket } of this.#all) socket.destroy()
  }

  #admit(socket: TcpSocket, isOfFileSystem: boolean): Connection | undefined {
    const { remoteAddress } = socket
    // The client has gone already.
    if (remoteAddress === undefined && !isOfFileSystem) return void socket.destroy()
    const connection = new Connection(socket, isOfFileSystem ? "" : clientOf(remoteAddress ?? ""), this.#now())
    const refusal = this.#refusal(connection.address)
    if (refusal !== undefined) {
      socket.destroy()
      if (refusal !== "") this.#options.onRefused?.(refusal)
      return undefined
    }
    this.#add(connection)
    return connection
  }

  /** Why a connection from this address is closed; empty when all are. */
  #refusal(address: string): string | undefined {
    const { total, perAddress } = this.#options.limits
    if (this.#destroyed) return ""
    if (address !== "" && (this.#countOf.get(address) ?? 0) >= perAddress)
      return `${perAddress} connections of ${address} are open, which is the most for one address`
    if (this.#all.size < total || this.#closeIdle()) return undefined
    return `${total} connections are open, which is the most`
  }

  /** Makes room by closing the connection that has been without a request for the longest time; false where all have one. */
  #closeIdle(): boolean {
    let longest: Connection | undefined
    for (const connection of this.#all)
      if (connection.outputs.size === 0 && (longest === undefined || connection.since < longest.since)) longest = connection
    if (longest === undefined) return false
    this.#remove(longest)
    longest.socket.destroy()
    this.#options.onRefused?.(`${this.#options.limits.total} connections are open, which is the most: one without a request was closed`)
    return true
  }

  #add(connection: Connection): void {
    const { socket, address } = connection
    this.#all.add(connection)
    if (address !== "") this.#byEnd.set(connection.end, connection)
    this.#countOf.set(address, (this.#countOf.get(address) ?? 0) + 1)
    // A peer that disappears without a word is noticed after Go's three minutes of keep-alive probes.
    socket.setKeepAlive(true, 180_000)
    socket.on("close", () => this.#remove(connection))
    this.#timer ??= this.#nextCheck()
  }

  #remove(connection: Connection): void {
    const { address, end } = connection
    if (!this.#all.delete(connection)) return
    if (this.#byEnd.get(end) === connection) this.#byEnd.delete(end)
    const count = (this.#countOf.get(address) ?? 1) - 1
    if (count === 0) this.#countOf.delete(address)
    else this.#countOf.set(address, count)
  }

  #ready(connection: Connection, carrier: object, { retire = connection.retire, probe = connection.probe }: Protocol = {}): void {
    this.#byCarrier.set(carrier, connection)
    connection.retire = retire
    connection.probe = probe
    if (connection.phase !== "opening") return
    connection.phase = "unused"
    connection.since = this.#now()
  }

  #now(): number {
    return (this.#clock?.elapsed() ?? 0) - this.#lost
  }

  #nextCheck(): Disposable | undefined {
    const due = this.#now() + checkInterval
    return this.#clock?.timer(checkInterval, "check of open connections", () => {
      this.#lost += Math.max(0, this.#now() - due)
      const now = this.#now()
      for (const connection of this.#all) this.#check(connection, now)
      this.#checkHeaderBytes()
      this.#timer = this.#all.size === 0 ? undefined : this.#nextCheck()
    })
  }

  #check(connection: Connection, now: number): void {
    const { limits } = this.#options
    const { phase, socket } = connection
    if (connection.address === "" || connection.isUpgraded) return
    if (connection.stalledSince !== undefined && now - connection.stalledSince >= limits.handshake) return void socket.destroy()
    if (connection.outputs.size > 0) return this.#checkProgress(connection, now)
    const waited = now - connection.since
    if (phase === "used" && waited >= limits.idle) {
      connection.phase = "retiring"
      connection.since = now
      connection.retire()
    } else if (phase === "opening" && waited >= limits.handshake) socket.destroy()
    else if (phase === "unused" && waited >= limits.firstRequest) socket.destroy()
    else if (phase === "retiring" && waited >= limits.handshake) socket.destroy()
  }

  /**
   * What is over the limit was sent by the newest connections. A request that is being answered is no excuse: behind it, the headers of another can
   * be open. A client that has sent window updates and pings for hours proves by its answer to a probe that none are.
   */
  #checkHeaderBytes(): void {
    let sum = 0
    for (const connection of this.#all) {
      const { address, socket, read, isUpgraded } = connection
      const sent = address === "" || isUpgraded ? 0 : socket.bytesRead - read
      if (sent < fewHeaderBytes) continue
      sum += sent
      if (sum > this.#options.limits.headerBytes) socket.destroy()
      else this.#probe(connection)
    }
  }

  #probe(connection: Connection): void {
    if (connection.isProbed || connection.probe === undefined) return
    connection.isProbed = true
    connection.probe(() => {
      connection.isProbed = false
      connection.stalledSince = undefined
      connection.read = connection.socket.bytesRead
    })
  }

  /**
   * Node does not notice that the peer of an HTTP/2 connection over TLS is gone while it waits to write (24.21): socket, session and streams would
   * stay for as long as the process. What the socket has written says nothing of one answer: answers to pings go on while its window is full. So
   * that answer is reset, and the connection closed if its client does not answer a probe either.
   */
  #checkProgress(connection: Connection, now: number): void {
    for (const [output, progress] of connection.outputs) {
      const { writableLength } = output
      if (writableLength === 0 || writableLength !== progress.length) {
        progress.length = writableLength
        progress.since = now
      } else if (now - progress.since >= this.#options.limits.stall) this.#stalled(connection, output, now)
    }
  }

  #stalled(connection: Connection, output: Output, now: number): void {
    if (output.reset === undefined || connection.probe === undefined) return void connection.socket.destroy()
    connection.outputs.delete(output)
    connection.since = now
    connection.stalledSince ??= now
    output.reset()
    this.#probe(connection)
  }
}

/** On 0.0.0.0 one port of a client may be connected with two addresses of this machine. */
function textOf({ localAddress = "", localPort = 0, remoteAddress = "", remotePort = 0 }: RemoteEnd): string {
  return `${localAddress} ${localPort} ${remoteAddress} ${remotePort}`
}

/** Returns the client that an address counts for: one client commonly has all of an IPv6 network of 64 bits. */
export function clientOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped !== null) return mapped[1]!
  if (!address.includes(":")) return address
  const [head = "", tail] = address.split("%", 1)[0]!.split("::")
  const groups = head === "" ? [] : head.split(":")
  const after = tail === undefined || tail === "" ? [] : tail.split(":")
  if (tail !== undefined) while (groups.length + after.length < 8) groups.push("0")
  return `${[...groups, ...after].slice(0, 4).join(":")}::/64`
}
