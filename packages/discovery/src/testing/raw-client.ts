import type { Hub } from "../push/hub.ts"
import type { StreamPeer, StreamStatus } from "../server/streams.ts"
import { Streams } from "../server/streams.ts"
import { messages } from "../wire/messages.ts"
import { type Kind, kindOf, shortNames, typeUrls } from "../xds/kinds.ts"

/** A response that a client received. */
export interface Received {
  readonly kind: Kind
  readonly names: readonly string[]
  readonly resources: readonly ReceivedResource[]
  readonly removed: readonly string[]
  readonly nonce: string
  readonly version: string
}

/** A resource of a response, decoded. */
export interface ReceivedResource {
  readonly name: string
  /** "" where it came without a wrapper. */
  readonly version: string
  readonly wrapped: boolean
  /** False: a heartbeat. */
  readonly whole: boolean
  /** Seconds. */
  readonly ttl?: number
}

interface Wrapper {
  readonly name: string
  readonly version?: string
  readonly resource?: Any
  readonly ttl?: { readonly seconds?: number; readonly nanos?: number }
}

interface Any {
  readonly typeUrl: string
  readonly value: Uint8Array
}

interface Rest {
  readonly nonce?: string
  readonly error?: string
  readonly initial?: Record<string, string>
  /** For delta. */
  readonly unsubscribe?: readonly string[]
}

/** A client in the same process, without a socket: sends what the test asks for, and keeps what it received. Reads everything at once unless it stalls. */
export class RawClient {
  readonly received: Received[] = []
  readonly failures: string[] = []
  /** Calls that say that a response has left; kept while it stalls. */
  readonly stalled: (() => void)[] = []
  stalls = false
  /** A long request is taken by `proceed`, not at once. */
  takesTurns = false
  readonly #protocol: "sotw" | "delta"
  readonly #stream: ReturnType<Streams["open"]>
  readonly #node: object
  #first = true

  constructor(hub: Hub, options: { protocol?: "sotw" | "delta"; node?: object; streams?: Streams } = {}) {
    this.#protocol = options.protocol ?? "sotw"
    this.#node = options.node ?? { id: "sidecar~127.0.0.1~c1.shop~shop.svc.cluster.local", userAgentName: "envoy" }
    const peer: StreamPeer = {
      write: (bytes, done) => {
        this.received.push(read(this.#protocol, bytes))
        if (this.stalls) this.stalled.push(done)
        else done()
      },
      fail: (status: StreamStatus, message: string) => void this.failures.push(`${status}: ${message}`),
    }
    this.#stream = (options.streams ?? new Streams({ hub, maximum: 100 })).open(this.#protocol, peer)
  }

  ask(kind: Kind, names: readonly string[], rest: Rest = {}): void {
    const node = this.#first ? { node: this.#node } : {}
    this.#first = false
    const common = {
      ...node,
      typeUrl: typeUrls[kind],
      responseNonce: rest.nonce ?? "",
      ...(rest.error !== undefined && { errorDetail: { code: 13, message: rest.error } }),
    }
    const delta = {
      resourceNamesSubscribe: names,
      resourceNamesUnsubscribe: rest.unsubscribe ?? [],
      initialResourceVersions: rest.initial ?? {},
    }
    const bytes =
      this.#protocol === "sotw"
        ? messages.discoveryRequest.encode({ ...common, resourceNames: names })
        : messages.deltaDiscoveryRequest.encode({ ...common, ...delta })
    this.say(bytes)
  }

  say(bytes: Uint8Array): void {
    this.#stream?.message(bytes)
    while (!this.takesTurns && this.#stream?.isBusy) this.#stream.proceed()
  }

  /** Takes the next part of a long request; false when there is none. */
  proceed(): boolean {
    this.#stream?.proceed()
    return this.#stream?.isBusy ?? false
  }

  end(): void {
    this.#stream?.gone()
  }

  /** Answers everything it has got with an ACK; by SotW with these names. */
  ack(kind: Kind, names: readonly string[] = []): void {
    const last = this.received.findLast((response) => response.kind === kind)
    if (last !== undefined) this.ask(kind, this.#protocol === "sotw" ? names : [], { nonce: last.nonce })
  }

  /** "cds a b", and forgets them. */
  told(): readonly string[] {
    return this.received
      .splice(0)
      .map(({ kind, names, removed }) => [shortNames[kind], ...[...names].sort(), ...removed.map((name) => `-${name}`)].join(" "))
  }
}

function read(protocol: "sotw" | "delta", bytes: Uint8Array): Received {
  const message = protocol === "sotw" ? messages.discoveryResponse : messages.deltaDiscoveryResponse
  const found = message.decode(bytes) as Readonly<Record<string, unknown>>
  const kind = kindOf(found.typeUrl as string)!
  const resources =
    protocol === "sotw"
      ? (found.resources as readonly Any[]).map((any) => unwrapped(kind, any))
      : (found.resources as readonly Wrapper[]).map(fromWrapper)
  return {
    kind,
    names: resources.map(({ name }) => name),
    resources,
    removed: (found.removedResources as readonly string[] | undefined) ?? [],
    nonce: found.nonce as string,
    version: (protocol === "sotw" ? found.versionInfo : found.systemVersionInfo) as string,
  }
}

function unwrapped(kind: Kind, { typeUrl, value }: Any): ReceivedResource {
  if (typeUrl.endsWith("envoy.service.discovery.v3.Resource")) return fromWrapper(messages.resource.decode(value) as unknown as Wrapper)
  return { name: nameOf(kind, value), version: "", wrapped: false, whole: true }
}

function fromWrapper({ name, version = "", resource, ttl }: Wrapper): ReceivedResource {
  const { seconds = 0, nanos = 0 } = ttl ?? {}
  return { name, version, wrapped: true, whole: Boolean(resource), ...(ttl && { ttl: seconds + nanos / 1e9 }) }
}

function nameOf(kind: Kind, value: Uint8Array): string {
  if (kind === "endpoint") return messages.clusterLoadAssignment.decode(value).clusterName as string
  const message = { cluster: messages.cluster, listener: messages.listener, route: messages.routeConfiguration }[kind]
  return message.decode(value).name as string
}
