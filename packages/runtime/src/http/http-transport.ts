import type { Duplex } from "node:stream"
import {
  abortable,
  aborted,
  type Body,
  type Clock,
  type Duration,
  messageOf,
  milliseconds,
  noBody,
  PilothouseError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  throwIfAborted,
  withoutTrailing,
} from "@pilothouse/seams"
import { AnswerLimit } from "./answer-limit.ts"
import type { Connection, Presented } from "./connection.ts"
import { patience } from "./dead-connection.ts"
import { explainFailure, type Peer } from "./explain-failure.ts"
import { asksForStream, encodedBody, headersOf, isStream, pathWithQuery, streamBody } from "./message-parts.ts"
import type { Outgoing, Received, UpgradedConnection } from "./requester.ts"
import { Requesters } from "./requesters.ts"
import { readBody, wholeBody } from "./whole-body.ts"

export interface HttpTransportOptions {
  readonly clock: Clock
  /** How long a connection may take to open: 30 s by default, as client-go's. */
  readonly connectTimeout?: Duration
  /** How long an answer may take, or the beginning of a stream: 90 s by default; API servers give up after 60. */
  readonly answerTimeout?: Duration
  /** Maximum size of a whole response in bytes; 512 MiB by default, as long as a text can be. A longer one ends with INVALID. */
  readonly maxAnswerSize?: number
  /** Gives every answer as a stream, as it comes; by default only what was requested as one. */
  readonly streams?: boolean
  /** Between two HTTP/2 pings; a connection that is silent for three of them is given up. */
  readonly pingInterval?: Duration
  /** The server at the other end, for messages: the API server by default. */
  readonly peer?: Peer
  /** Returns the error of a request that failed; by default one that says what to do. */
  readonly failure?: (cause: unknown) => PilothouseError
}

/** A transport that holds connections. Closing it ends what is under way with CONNECTION_LOST. */
export interface HttpTransport extends AsyncDisposable {
  readonly transport: Transport
  close(): Promise<void>
}

/** Speaks with an API server over HTTP/2, or HTTP/1.1 where it has no other. Opens nothing before the first request. */
export function httpTransport(connection: Connection, options: HttpTransportOptions): HttpTransport {
  const ping = milliseconds(options.pingInterval ?? patience / 3)
  const times = { connect: milliseconds(options.connectTimeout ?? "30s"), ping, silence: 3 * ping }
  const requesters = new Requesters(connection, times)
  const exchange = new Exchange(connection, requesters, options)
  const close = () => {
    connection.credentials.close?.()
    return requesters.close()
  }
  return { transport: (request) => exchange.answer(request), close, [Symbol.asyncDispose]: close }
}

/** Bytes. A list of 100,000 pods has some 400 MB, and is requested in pages. */
const defaultMaxAnswerSize = 512 * 1024 * 1024

class Exchange {
  readonly #connection: Connection
  readonly #requesters: Requesters
  readonly #clock: Clock
  readonly #answerTimeout: number
  readonly #maxAnswerSize: number
  readonly #streams: boolean
  readonly #peer: Peer | undefined
  readonly #failure: HttpTransportOptions["failure"]
  readonly #origin: string
  /** The path of the server's address, without a slash at the end. */
  readonly #base: string

  constructor(connection: Connection, requesters: Requesters, options: HttpTransportOptions) {
    const { clock, answerTimeout = "90s", maxAnswerSize = defaultMaxAnswerSize, streams = false, peer, failure } = options
    const { origin, pathname } = new URL(connection.server)
    this.#connection = connection
    this.#requesters = requesters
    this.#clock = clock
    this.#answerTimeout = milliseconds(answerTimeout)
    this.#maxAnswerSize = maxAnswerSize
    this.#streams = streams
    this.#peer = peer
    this.#failure = failure
    this.#origin = origin
    this.#base = withoutTrailing(pathname, "/")
  }

  async answer(request: TransportRequest): Promise<TransportResponse> {
    throwIfAborted(request.signal)
    const { response, presented } = await this.#limited(request, (limit) => this.#attempt(request, limit))
    if (response.status !== 401 || !(await this.#limited(request, (limit) => this.#refused(request, presented, limit)))) return response
    return (await this.#limited(request, (limit) => this.#attempt(request, limit))).response
  }

  async #attempt(request: TransportRequest, limit: AnswerLimit): Promise<{ response: TransportResponse; presented: Presented }> {
    const presented = await abortable(this.#present(request), limit.signal)
    const requester = await this.#requesters.get(presented)
    request.beforeSending?.()
    // A connection that is being opened serves others too: the signal of one request does not end it.
    const asked = requester.request({ ...this.#options(request, presented), signal: limit.signal })
    const received = await abortable(asked, limit.signal)
    if (received.upgraded !== undefined && request.upgrade !== undefined) {
      limit.over()
      joinConnections(request.upgrade.take() as Duplex, received.upgraded)
      return { response: { status: received.statusCode, headers: headersOf(received), body: noBody }, presented }
    }
    return { response: await this.#response(request, received, limit), presented }
  }

  /** Work that goes well says itself when it is over: an answer that is a stream has only begun. */
  async #limited<T>(request: TransportRequest, work: (limit: AnswerLimit) => Promise<T>): Promise<T> {
    const limit = new AnswerLimit(this.#clock, this.#answerTimeout, request)
    try {
      return await work(limit)
    } catch (cause) {
      limit.over()
      if (request.signal?.aborted) throw aborted(request.signal)
      throw this.#lost(request, limit.expired ?? cause)
    }
  }

  /** A stream lasts as long as its reader likes, and ends with the caller's signal; a whole answer has to come, and may not stop in the middle. */
  async #response(request: TransportRequest, received: Received, limit: AnswerLimit): Promise<TransportResponse> {
    const stream = this.#streams || isStream(asksForStream(request), received)
    const lost = (cause: unknown) => this.#lost(request, cause)
    if (!stream) {
      limitSize(received, this.#maxAnswerSize, request)
      received.body.on("data", () => limit.received())
    }
    const body = stream ? streamBody(received, { signal: request.signal, lost, ended: () => limit.over() }) : await whole(received, request)
    if (stream) limit.began()
    else limit.over()
    return { status: received.statusCode, headers: headersOf(received), body }
  }

  #present(request: TransportRequest): Promise<Presented> {
    return this.#connection.credentials.present().catch((cause: unknown) => notSent(request, cause))
  }

  async #refused(request: TransportRequest, presented: Presented, limit: AnswerLimit): Promise<boolean> {
    const asked = this.#connection.credentials.refused(presented).catch((cause: unknown) => notSent(request, cause))
    const others = await abortable(asked, limit.signal)
    limit.over()
    return others
  }

  #options(request: TransportRequest, { authorization }: Presented): Omit<Outgoing, "signal"> {
    const body = encodedBody(request)
    const own = authorization === undefined ? {} : { authorization }
    const headers = inLines({ ...this.#connection.headers, ...own, ...request.headers, ...body?.headers } as Record<string, string>)
    const path = pathWithQuery(this.#base, request)
    return { origin: this.#origin, path, method: request.verb, headers, body: body?.bytes ?? null, upgrade: request.upgrade !== undefined }
  }

  #lost({ verb, path }: TransportRequest, cause: unknown): PilothouseError {
    if (cause instanceof PilothouseError) return cause
    if (this.#failure !== undefined) return this.#failure(cause)
    const { message, retryable } = explainFailure(cause, this.#peer)
    return new PilothouseError("CONNECTION_LOST", `${verb} ${this.#origin}${this.#base}${path} failed: ${message}`, { retryable })
  }
}

/** A value of several lines is a header that is sent several times. */
function inLines(headers: Record<string, string | string[]>): Record<string, string | string[]> {
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === "string" && value.includes("\n")) headers[name] = value.split("\n")
  }
  return headers
}

/** Ends an answer that is too long as soon as that is known, before it takes the memory. */
function limitSize({ body, headers }: Received, max: number, { verb, path }: TransportRequest): void {
  const announced = Number(headers["content-length"] ?? 0)
  const found = announced > max ? `one of ${announced}` : "a longer one"
  const advice = "request less at once, for example pages with limit, or allow more with maxAnswerSize"
  const tooLong = new PilothouseError("INVALID", `expected an answer to ${verb} ${path} of at most ${max} bytes, found ${found}; ${advice}`)
  if (announced > max) {
    // Nothing reads it, and so nothing else would take the error of its end.
    body.on("error", () => {})
    body.destroy()
    throw tooLong
  }
  let size = 0
  body.on("data", (chunk: Uint8Array) => {
    size += chunk.length
    if (size > max) body.destroy(tooLong)
  })
}

/** Only what was asked for is read as it comes: a refusal is short, and says in its own form what is wrong. */
function whole(received: Received, { reader }: TransportRequest): Promise<Body> {
  const { statusCode, headers } = received
  const reading = statusCode === 200 ? reader?.(String(headers["content-type"])) : undefined
  return reading === undefined ? wholeBody(received) : readBody(received, reading)
}

/** For the caller it makes no difference why the server could not be asked: it is a lost connection. */
function notSent({ verb, path }: TransportRequest, cause: unknown): never {
  throw new PilothouseError("CONNECTION_LOST", `${verb} ${path} was not sent: ${messageOf(cause)}`, { cause, retryable: false })
}

/** Passes what both sides send on, with the answer of the server first. Each ends with the other; a slow side holds up the other one. */
function joinConnections(client: Duplex, { socket, head, rawHeaders }: UpgradedConnection): void {
  const lines = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : []))
  client.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("\r\n")}\r\n\r\n`, "latin1")
  if (head.length > 0) socket.unshift(head)
  endTogether(client, socket)
  endTogether(socket, client)
  client.pipe(socket)
  socket.pipe(client)
}

/** What one side has sent still reaches the other, unless its connection broke. */
function endTogether(from: Duplex, to: Duplex): void {
  from.on("error", () => to.destroy())
  from.once("close", () => {
    if (from.readableEnded) to.end(() => to.destroy())
    else to.destroy()
  })
}
