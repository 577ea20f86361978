import type * as Grpc from "@grpc/grpc-js"
import { type Clock, type Log, messageOf, onAbort, PilothouseError } from "@pilothouse/seams"
import { messages } from "../wire/messages.ts"
import { type Kind, kindOf, typeUrls } from "../xds/kinds.ts"
import { adsMethods } from "../xds/methods.ts"
import { type ServerCredentialsOptions, serverCredentials } from "./server-credentials.ts"
import { reasonOf } from "./stream-end.ts"
import { type EndpointChange, endpointChanges, readAssignment, type WatchedEndpoint } from "./watched-endpoints.ts"

/** The service to watch, and how the server is reached. */
export interface WatchHostOptions extends ServerCredentialsOptions {
  /** Sent as a bearer token. Only over TLS. */
  readonly token?: string
  readonly node: ClientNode
  /** "web.shop.svc.cluster.local", or any leading part of it that ends before a dot. */
  readonly hostname: string
  /** Of the service; by default all of them. */
  readonly port?: number
  readonly clock: Clock
  readonly log: Log
  onChange(change: EndpointChange): void
  onClusters(names: readonly string[]): void
}

const firstWait = 1_000
const maxWait = 30_000

/** Follows the endpoints of a host as a client of the xDS server does, until the signal aborts. A stream that ends is opened again. */
export async function watchHost(options: WatchHostOptions, signal: AbortSignal): Promise<void> {
  const known = new Map<string, readonly WatchedEndpoint[]>()
  const grpc = await loadGrpc()
  const { credentials, options: channel } = serverCredentials(grpc, options)
  const client = new grpc.Client(options.server, credentials, channel)
  try {
    for (let wait = firstWait; !signal.aborted; wait = Math.min(2 * wait, maxWait)) {
      const { reason, hasReceived } = await oneStream(client, new grpc.Metadata(), { ...options, known }, signal)
      if (signal.aborted) return
      if (hasReceived) wait = firstWait
      options.log.warn("the stream has ended; trying again", { reason, seconds: wait / 1_000 })
      await options.clock.sleep(wait, { name: "xDS is asked again", signal }).catch(() => undefined)
    }
  } finally {
    client.close()
  }
}

/** Reports whether a cluster is one of the host's: "outbound|80||web.shop.svc.cluster.local". */
export function isClusterOf(cluster: string, hostname: string, port?: number): boolean {
  const [, clusterPort, , host = ""] = cluster.split("|")
  return (host === hostname || host.startsWith(`${hostname}.`)) && (port === undefined || clusterPort === String(port))
}

interface Ended {
  readonly reason: string
  /** Whether the server said anything. */
  readonly hasReceived: boolean
}

interface StreamOptions extends WatchHostOptions {
  readonly known: Map<string, readonly WatchedEndpoint[]>
}

function oneStream(client: Grpc.Client, metadata: Grpc.Metadata, options: StreamOptions, signal: AbortSignal): Promise<Ended> {
  const { node, hostname, port, token, known, onChange, onClusters } = options
  const asIs = (bytes: Buffer) => bytes
  if (token !== undefined) metadata.set("authorization", `Bearer ${token}`)
  return new Promise((resolve) => {
    let hasReceived = false
    const call = client.makeBidiStreamRequest(adsMethods.sotw, asIs, asIs, metadata)
    const isWanted = (cluster: string) => isClusterOf(cluster, hostname, port)
    const send = (bytes: Uint8Array) => void call.write(Buffer.from(bytes))
    const conversation = new AdsConversation({ node, isWanted, send, onChange, onClusters }, known)
    const listening = onAbort(signal, () => call.cancel())
    const end = (reason: string) => {
      listening[Symbol.dispose]()
      resolve({ reason, hasReceived })
    }
    call.on("data", (bytes: Buffer) => {
      hasReceived = true
      try {
        conversation.take(bytes)
      } catch (error) {
        end(`the server sent what cannot be read: ${messageOf(error)}`)
        call.cancel()
      }
    })
    call.on("error", (error: Grpc.ServiceError) => end(reasonOf(error, options)))
    call.on("end", () => end("the server ended it"))
    conversation.begin()
  })
}

/** Loads the optional peer dependency that only a client of the xDS server needs: a server runs without it, and without the memory that it takes. */
export async function loadGrpc(load: () => Promise<typeof Grpc> = () => import("@grpc/grpc-js")): Promise<typeof Grpc> {
  try {
    return await load()
  } catch (cause) {
    if (!isNotFound(cause)) throw cause
    throw new PilothouseError(
      "USAGE",
      "expected the package @grpc/grpc-js, found none; install it beside Pilothouse: npm install @grpc/grpc-js",
      { cause },
    )
  }
}

/** Another module that is absent is a damaged installation, which this would not mend. */
function isNotFound(thrown: unknown): boolean {
  if (!(thrown instanceof Error) || !("code" in thrown) || thrown.code !== "ERR_MODULE_NOT_FOUND") return false
  return thrown.message.includes("@grpc/grpc-js") // prose: Node's error has no field with the name of the package
}

/** Who a client is, as it says in its first request. */
export interface ClientNode {
  readonly id: string
  readonly metadata?: Readonly<Record<string, string>>
}

/** The service that a conversation watches, and its callbacks. */
interface AdsConversationOptions {
  readonly node: ClientNode
  /** Which clusters are of interest. */
  isWanted(cluster: string): boolean
  send(bytes: Uint8Array): void
  onChange(change: EndpointChange): void
  /** The clusters that are watched are others now. */
  onClusters(names: readonly string[]): void
}

interface Response {
  readonly typeUrl: string
  readonly versionInfo: string
  readonly nonce: string
  readonly resources: readonly { readonly value: Uint8Array }[]
}

/** A client's side of one stream: finds the desired clusters, follows their endpoints, and accepts every response. */
export class AdsConversation {
  readonly #options: AdsConversationOptions
  /** What was said of each cluster. A reconnected stream goes on from it, so that only differences are reported. */
  readonly #known: Map<string, readonly WatchedEndpoint[]>
  /** Undefined until the server has said which clusters there are. */
  #wanted: readonly string[] | undefined
  /** The last answer about endpoints: a request for other names is one to it. */
  #last: Pick<Response, "versionInfo" | "nonce"> = { versionInfo: "", nonce: "" }
  #isFirst = true

  constructor(options: AdsConversationOptions, known = new Map<string, readonly WatchedEndpoint[]>()) {
    this.#options = options
    this.#known = known
  }

  /** Asks for all clusters. */
  begin(): void {
    this.#say("cluster", [], { versionInfo: "", nonce: "" })
  }

  take(bytes: Uint8Array): void {
    const response = messages.discoveryResponse.decode(bytes) as unknown as Response
    const kind = kindOf(response.typeUrl)
    if (kind === "cluster") this.#takeClusters(response)
    else if (kind === "endpoint") this.#takeEndpoints(response)
  }

  #takeClusters(response: Response): void {
    this.#say("cluster", [], response)
    const names = response.resources.map(({ value }) => messages.cluster.decode(value).name as string)
    const wanted = names.filter(this.#options.isWanted).toSorted()
    // Of all that was ever received: a cluster may have gone while there was no stream.
    for (const name of [...this.#known.keys()].filter((one) => !wanted.includes(one))) {
      this.#report(name, [])
      this.#known.delete(name)
    }
    if (wanted.join() === this.#wanted?.join()) return
    this.#wanted = wanted
    this.#options.onClusters(wanted)
    if (wanted.length > 0) this.#say("endpoint", wanted, this.#last)
  }

  #takeEndpoints(response: Response): void {
    this.#last = response
    const wanted = this.#wanted ?? []
    this.#say("endpoint", wanted, response)
    for (const { value } of response.resources) {
      const { cluster, endpoints } = readAssignment(value)
      if (wanted.includes(cluster)) this.#report(cluster, endpoints)
    }
  }

  #report(cluster: string, endpoints: readonly WatchedEndpoint[]): void {
    for (const change of endpointChanges(cluster, this.#known.get(cluster) ?? [], endpoints)) this.#options.onChange(change)
    this.#known.set(cluster, endpoints)
  }

  #say(kind: Kind, resourceNames: readonly string[], { versionInfo, nonce }: Pick<Response, "versionInfo" | "nonce">): void {
    const { id, metadata = {} } = this.#options.node
    const fields = Object.fromEntries(Object.entries(metadata).map(([key, stringValue]) => [key, { stringValue }]))
    const node = this.#isFirst ? { node: { id, metadata: { fields } } } : {}
    this.#isFirst = false
    this.#options.send(
      messages.discoveryRequest.encode({ ...node, typeUrl: typeUrls[kind], resourceNames, versionInfo, responseNonce: nonce }),
    )
  }
}
