import { messageOf, PilothouseError } from "@pilothouse/seams"
import { clientOf, type NodeMessage } from "../generators/client.ts"
import type { Hub } from "../push/hub.ts"
import type { Protocol } from "../session/responses.ts"
import type { Session, SessionPeer } from "../session/session.ts"
import { SubscriptionLimitExceeded } from "../session/subscription-quota.ts"
import { messages } from "../wire/messages.ts"
import { kindOf } from "../xds/kinds.ts"
import type { DeltaRequest, SotwRequest } from "../xds/request.ts"

const text = (value: unknown): string => (typeof value === "string" ? value : "")
const names = (value: unknown): readonly string[] => (Array.isArray(value) ? (value as string[]) : [])

/** gRPC's words for what can be wrong with a stream. */
export type StreamStatus = "INVALID_ARGUMENT" | "UNAVAILABLE" | "RESOURCE_EXHAUSTED" | "UNAUTHENTICATED" | "INTERNAL"

/** The other end of one stream, as the edge has it. */
export interface StreamPeer {
  write(bytes: Buffer, done: () => void): void
  fail(status: StreamStatus, message: string): void
}

/** One ADS stream of a client. */
export interface Stream {
  /** Only while it is not busy. */
  message(bytes: Uint8Array): void
  /** The last message was long: a part of it is still to be taken, by `proceed`. */
  readonly isBusy: boolean
  /** Takes the next part, some 10 ms of work: once in a turn of the event loop. */
  proceed(): void
  /** Nothing more is said to the client, which may still be taking what was. */
  end(): void
  /** The client went, or its connection: nothing of the stream is held any more. */
  gone(): void
  /** The client does not take what it is sent: do not read from it either. */
  readonly blocked: boolean
}

/** What streams are served by. */
export interface StreamsOptions {
  readonly hub: Hub
  readonly maximum: number
}

/** The checks with which every stream begins: room, readiness and the client's identity. */
export class Streams {
  readonly #options: StreamsOptions
  #open = 0
  readonly #onGone = (): void => void this.#open--

  constructor(options: StreamsOptions) {
    this.#options = options
  }

  open(protocol: Protocol, peer: StreamPeer): Stream | undefined {
    const { hub, maximum } = this.#options
    const refuse = (status: StreamStatus, message: string) => {
      peer.fail(status, message)
      return undefined
    }
    if (!hub.ready) return refuse("UNAVAILABLE", "the registry has not read everything yet; try again")
    if (this.#open >= maximum) return refuse("RESOURCE_EXHAUSTED", `${maximum} streams are open, which is the most; try another replica`)
    this.#open++
    return new OpenStream(hub, protocol, peer, this.#onGone)
  }
}

class OpenStream implements Stream, SessionPeer {
  readonly #hub: Hub
  readonly #protocol: Protocol
  readonly #peer: StreamPeer
  readonly #onGone: () => void
  #session: Session | undefined
  /** Of a long request. */
  #rest: Iterator<void, void> | undefined
  #ended = false
  #isGone = false

  constructor(hub: Hub, protocol: Protocol, peer: StreamPeer, onGone: () => void) {
    this.#hub = hub
    this.#protocol = protocol
    this.#peer = peer
    this.#onGone = onGone
  }

  get blocked(): boolean {
    return this.#session?.blocked ?? false
  }

  message(bytes: Uint8Array): void {
    if (this.#ended) return
    this.#hub.received(bytes.length)
    this.#guarded(() => this.#take(this.#decode(bytes)))
  }

  get isBusy(): boolean {
    return this.#rest !== undefined && !this.#ended
  }

  proceed(): void {
    if (!this.isBusy) return
    this.#guarded(() => {
      if (this.#rest?.next().done === true) this.#rest = undefined
    })
  }

  #guarded(work: () => void): void {
    try {
      work()
    } catch (error) {
      if (error instanceof SubscriptionLimitExceeded) this.#fail("RESOURCE_EXHAUSTED", error)
      else if (error instanceof PilothouseError) this.#fail("INVALID_ARGUMENT", error)
      else this.broken(error)
    }
  }

  write(bytes: Buffer, done: () => void): void {
    this.#peer.write(bytes, done)
  }

  broken(error: unknown): void {
    this.#hub.internalError()
    this.#fail("INTERNAL", error)
  }

  end(): void {
    if (this.#ended) return
    this.#ended = true
    if (this.#session !== undefined) this.#hub.close(this.#session)
  }

  gone(): void {
    this.end()
    if (this.#isGone) return
    this.#isGone = true
    this.#onGone()
  }

  #fail(status: StreamStatus, error: unknown): void {
    this.#peer.fail(status, messageOf(error))
    this.end()
  }

  #decode(bytes: Uint8Array): DecodedRequest {
    try {
      return decodeRequest(this.#protocol, bytes)
    } catch (cause) {
      throw new PilothouseError("PROTOCOL", "expected a discovery request, found bytes that are none", { cause })
    }
  }

  #take({ node, typeUrl, request }: DecodedRequest): void {
    this.#session ??= this.#hub.open(clientOf(node), this.#protocol, this)
    if (typeUrl === "") throw new PilothouseError("PROTOCOL", "expected a type_url in every request of ADS, found none")
    // Kinds that we do not serve are left unanswered, as upstream does: a client may ask for secrets or extensions beside what it needs.
    const kind = kindOf(typeUrl)
    if (kind !== undefined) this.#rest = this.#session.receive(kind, request)
  }
}

/** A request of either protocol, decoded. */
interface DecodedRequest {
  /** Only the first request of a stream is sure to have it. */
  readonly node?: NodeMessage
  readonly typeUrl: string
  readonly request: SotwRequest | DeltaRequest
}

interface Status {
  readonly code?: number
  readonly message?: string
}

/** Throws where the bytes are no such message. */
function decodeRequest(protocol: Protocol, bytes: Uint8Array): DecodedRequest {
  const message = protocol === "sotw" ? messages.discoveryRequest : messages.deltaDiscoveryRequest
  // An ACK is read for every response that a client gets: only the node of a first request is worth making plain.
  const read = message.read(bytes) as Readonly<Record<string, unknown>> & { node?: object | null; errorDetail?: Status | null }
  const nonce = text(read.responseNonce)
  const error = read.errorDetail === undefined || read.errorDetail === null ? {} : { error: refusal(read.errorDetail) }
  const node = read.node ? { node: messages.node.plain(read.node) as NodeMessage } : {}
  const request: SotwRequest | DeltaRequest =
    protocol === "sotw"
      ? { names: names(read.resourceNames), version: text(read.versionInfo), nonce, ...error }
      : {
          subscribe: names(read.resourceNamesSubscribe),
          unsubscribe: names(read.resourceNamesUnsubscribe),
          initialVersions: new Map(Object.entries((read.initialResourceVersions ?? {}) as Record<string, string>)),
          nonce,
          ...error,
        }
  return { ...node, typeUrl: text(read.typeUrl), request }
}

function refusal({ code = 0, message = "" }: Status): string {
  return message || `refused with code ${code} and no text`
}
