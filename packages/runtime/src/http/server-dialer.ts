import { canonicalIp } from "@pilothouse/api/net"
import {
  type Clock,
  type Dial,
  type DialedServer,
  type Duration,
  type Frame,
  messageOf,
  PilothouseError,
  type Transport,
  type TransportResponse,
} from "@pilothouse/seams"
import type { Connect, Credentials } from "./connection.ts"
import type { HttpTransport } from "./http-transport.ts"

const unknownAuthority = "tls: failed to verify certificate: x509: certificate signed by unknown authority"
const plainAnswer = "http: server gave HTTP response to HTTPS client"

/** What Go's client names in its words. */
interface Dialed {
  /** Host and port of the URL. */
  readonly address: string
  /** The address that the host was resolved to and that has failed, with its port; `address` where that is not known. */
  readonly resolved: string
  /** The name that the server must have. */
  readonly name: string
  /** The names of its certificate, as Node lists them: "DNS:localhost, IP Address:127.0.0.1"; "" where it has none. */
  readonly certified: string
}

/** By Node's and OpenSSL's code: what Go's client says. */
const words: Readonly<Record<string, (dialed: Dialed) => string>> = {
  ECONNREFUSED: ({ resolved }) => `dial tcp ${resolved}: connect: connection refused`,
  EHOSTUNREACH: ({ resolved }) => `dial tcp ${resolved}: connect: no route to host`,
  ENETUNREACH: ({ resolved }) => `dial tcp ${resolved}: connect: network is unreachable`,
  ETIMEDOUT: ({ resolved }) => `dial tcp ${resolved}: i/o timeout`,
  ENOTFOUND: ({ address }) => `dial tcp: lookup ${hostOf(address)}: no such host`,
  EAI_AGAIN: ({ address }) => `dial tcp: lookup ${hostOf(address)}: Temporary failure in name resolution`,
  ECONNRESET: () => "EOF",
  EPIPE: () => "write: broken pipe",
  CERT_HAS_EXPIRED: () => "tls: failed to verify certificate: x509: certificate has expired or is not yet valid",
  CERT_NOT_YET_VALID: () => "tls: failed to verify certificate: x509: certificate has expired or is not yet valid",
  DEPTH_ZERO_SELF_SIGNED_CERT: () => unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: () => unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: () => unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: () => unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: () => unknownAuthority,
  CERT_SIGNATURE_FAILURE: () => unknownAuthority,
  ERR_TLS_CERT_ALTNAME_INVALID: ({ name, certified }) => `tls: failed to verify certificate: x509: ${otherName(name, certified)}`,
  ERR_SSL_WRONG_VERSION_NUMBER: () => plainAnswer,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: () => plainAnswer,
}

/** Servers whose connections are kept; as many as kube-apiserver keeps clients of webhooks. */
const maxServers = 200

/** Ways to servers, by their addresses. Closing it ends what is under way. */
export interface ServerDialer extends AsyncDisposable {
  readonly dial: Dial
}

/** What `serverDialer` is given: the clock of its idle connections, and how it reaches servers. */
export interface ServerDialerOptions {
  readonly clock: Clock
  /** Opens connections in the system's place. Requests have to say "connection: close" where these are no sockets: such a one is not kept. */
  readonly connect?: Connect
  /** How long an answer may take to begin; 90 s by default. */
  readonly answerTimeout?: Duration
}

type Network = Omit<ServerDialerOptions, "clock">

interface Kept {
  readonly transport: Promise<HttpTransport>
  /** Requests under way, and streams that have not ended. */
  active: number
}

/**
 * Dials servers over HTTP/1.1 and keeps their connections. Nothing is loaded before the first request. In virtual time a request is external work: time
 * stands still until it is over. Invariant: at most 200 servers that have no request under way are kept.
 */
export function serverDialer({ clock, ...network }: ServerDialerOptions): ServerDialer {
  const kept = new Map<string, Kept>()
  /** What could not be opened is not kept: closing it would fail once more. */
  const opened = async (key: string, found: Kept) => {
    try {
      return await found.transport
    } catch (error) {
      if (kept.get(key) === found) kept.delete(key)
      throw error
    }
  }
  const dial: Dial = (to) => {
    const key = JSON.stringify(to, Object.keys(to).sort())
    const send: Transport = async (request) => {
      const found = kept.get(key) ?? { transport: open(to, clock, network), active: 0 }
      kept.delete(key)
      kept.set(key, found)
      found.active++
      const ended = () => {
        found.active--
        closeOldest(kept)
      }
      try {
        const response = await (await opened(key, found)).transport(request)
        return whenOver(response, ended)
      } catch (error) {
        ended()
        throw error
      }
    }
    return (request) => clock.external(send(request), `${request.verb} ${to.server}${request.path}`)
  }
  const close = async () => {
    const opened = [...kept.values()]
    kept.clear()
    await Promise.all(opened.map(async ({ transport }) => (await transport).close()))
  }
  return { dial, [Symbol.asyncDispose]: close }
}

/** Calls `ended` at once for a whole answer, and for a stream when its last frame is read or its reader leaves. */
function whenOver(response: TransportResponse, ended: () => void): TransportResponse {
  const { body } = response
  if (body.type === "stream") return { ...response, body: { ...body, frames: framesUntil(body.frames, once(ended)) } }
  ended()
  return response
}

/** No generator: leaving one that was never begun would run none of its code, and the connection would stay open. */
function framesUntil(frames: AsyncIterable<Frame>, ended: () => void): AsyncIterable<Frame> {
  const source = frames[Symbol.asyncIterator]()
  const next = async (): Promise<IteratorResult<Frame>> => {
    try {
      const result = await source.next()
      if (result.done) ended()
      return result
    } catch (error) {
      ended()
      throw error
    }
  }
  const leave = async (): Promise<IteratorResult<Frame>> => {
    ended()
    await source.return?.()
    return { done: true, value: undefined }
  }
  return { [Symbol.asyncIterator]: () => ({ next, return: leave }) }
}

function once(action: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) action()
    isDone = true
  }
}

async function open(to: DialedServer, clock: Clock, network: Network): Promise<HttpTransport> {
  const { httpTransport } = await import("./http-transport.ts")
  const { server, serverName, insecure, caBundle, certificate, key, authorization, maxAnswerSize, streams } = to
  const url = new URL(server)
  if (url.protocol !== "https:" && authorization !== undefined) {
    throw new PilothouseError("INVALID", `expected an https address for a request with credentials, found ${server}`)
  }
  const presented = { certificate, key, authorization }
  const credentials: Credentials = { present: async () => presented, refused: async () => false }
  const address = url.port === "" ? `${url.hostname}:${url.protocol === "http:" ? 80 : 443}` : url.host
  const failure = (cause: unknown) => goFailure(cause, address, serverName ?? url.hostname)
  const connection = { server, serverName, insecure, connect: network.connect, http1Only: true, authorities: () => caBundle, credentials }
  return httpTransport(connection, { clock, maxAnswerSize, streams, failure, answerTimeout: network.answerTimeout })
}

/** A server that has requests under way is not closed: the number of those is bounded elsewhere. */
function closeOldest(kept: Map<string, Kept>): void {
  for (const [key, { transport, active }] of kept) {
    if (kept.size <= maxServers) return
    if (active > 0) continue
    kept.delete(key)
    void transport.then((opened) => opened.close())
  }
}

/**
 * Returns the error of a failure in the words of Go's client, so that a reader finds it where kube-apiserver's errors are explained. Only a connection that
 * was reset can be retried, as client-go's webhooks do: anything else fails again until something is changed.
 */
function goFailure(cause: unknown, address: string, name: string): PilothouseError {
  const failed = firstKnown(cause)
  if (failed === undefined) return new PilothouseError("CONNECTION_LOST", messageOf(cause).trim())
  const { code, address: host, port, cert, syscall } = failed
  const resolved = host === undefined || port === undefined ? address : `${host.includes(":") ? `[${host}]` : host}:${port}`
  const message = words[code]!({ address, resolved, name, certified: cert?.subjectaltname ?? "" })
  // The other side has cut the connection, and not only closed it before it answered.
  return new PilothouseError("CONNECTION_LOST", message, { retryable: code === "ECONNRESET" && syscall !== undefined })
}

/** What Node's errors of sockets and certificates say besides their message. */
interface KnownFailure extends Error {
  readonly code: string
  readonly syscall?: string
  readonly address?: string
  readonly port?: number
  readonly cert?: { readonly subjectaltname?: string }
}

/** Of a host with several addresses that of the first one, as Go has it. */
function firstKnown(thrown: unknown, depth = 0): KnownFailure | undefined {
  if (!(thrown instanceof Error) || depth > 5) return undefined
  const inner: readonly unknown[] = thrown instanceof AggregateError ? thrown.errors : [thrown.cause]
  const found = inner.map((error) => firstKnown(error, depth + 1)).find((one) => one !== undefined)
  if (found !== undefined) return found
  return "code" in thrown && typeof thrown.code === "string" && Object.hasOwn(words, thrown.code) ? (thrown as KnownFailure) : undefined
}

function hostOf(address: string): string {
  return address.slice(0, address.lastIndexOf(":"))
}

/** Go names what a certificate has of the kind that was compared: addresses for an address, else names. */
function otherName(name: string, certified: string): string {
  const isAddress = canonicalIp(name) !== undefined
  const kind = isAddress ? "IP Address:" : "DNS:"
  const listed = certified.split(", ").filter((one) => one.startsWith(kind))
  if (listed.length > 0) return `certificate is valid for ${listed.map((one) => one.slice(kind.length)).join(", ")}, not ${name}`
  if (isAddress) return `cannot validate certificate for ${name} because it doesn't contain any IP SANs`
  return `certificate is not valid for any names, but wanted to match ${name}`
}
