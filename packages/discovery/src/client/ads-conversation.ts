import { messages } from "../wire/messages.ts"
import { type Kind, kindOf, typeUrls } from "../xds/kinds.ts"
import { type EndpointChange, endpointChanges, readAssignment, type WatchedEndpoint } from "./watched-endpoints.ts"

/** Who a client is, as it says in its first request. */
export interface ClientNode {
  readonly id: string
  readonly metadata?: Readonly<Record<string, string>>
}

/** The service that a conversation watches, and its callbacks. */
export interface AdsConversationOptions {
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
    // Of all that was ever told: a cluster may have gone while there was no stream.
    for (const name of [...this.#known.keys()].filter((one) => !wanted.includes(one))) {
      this.#tell(name, [])
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
      if (wanted.includes(cluster)) this.#tell(cluster, endpoints)
    }
  }

  #tell(cluster: string, endpoints: readonly WatchedEndpoint[]): void {
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
