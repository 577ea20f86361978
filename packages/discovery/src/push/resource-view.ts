import type { XdsClient } from "../generators/client.ts"
import type { ResourceOffer } from "../session/session.ts"
import type { Kind } from "../xds/kinds.ts"
import type { Resource } from "../xds/resource.ts"
import type { ResourceCache } from "./resource-cache.ts"

/**
 * The resources of one kind that one client can receive, during one step. One view serves all steps in turn: there are very many.
 *
 * Invariant: what was last found was found for this client and this kind, since `begin`.
 */
export class ResourceView implements ResourceOffer {
  readonly #caches: Readonly<Record<XdsClient["generator"], ResourceCache>>
  readonly #names: (kind: Kind, client: XdsClient) => Iterable<string>
  #kind: Kind = "cluster"
  #client: XdsClient | undefined
  #last: string | undefined
  #found: Resource | undefined
  /** What else was found in this step. Empty assignments are in no cache: a long response would make each of them three times. */
  readonly #earlier = new Map<string, Resource | undefined>()

  constructor(caches: Readonly<Record<XdsClient["generator"], ResourceCache>>, names: (kind: Kind, client: XdsClient) => Iterable<string>) {
    this.#caches = caches
    this.#names = names
  }

  begin(kind: Kind, client: XdsClient): this {
    this.#kind = kind
    this.#client = client
    this.#last = undefined
    if (this.#earlier.size > 0) this.#earlier.clear()
    return this
  }

  /** A step asks for the same name three times: what to send, its bytes, and which version the client now has. */
  find(name: string): Resource | undefined {
    if (name === this.#last) return this.#found
    if (this.#last !== undefined) this.#earlier.set(this.#last, this.#found)
    if (this.#earlier.has(name)) {
      this.#found = this.#earlier.get(name)
      this.#last = name
      return this.#found
    }
    const client = this.#client
    this.#found = client && this.#caches[client.generator].find(this.#kind, name, client)
    this.#last = name
    return this.#found
  }

  names(): Iterable<string> {
    return this.#client === undefined ? [] : this.#names(this.#kind, this.#client)
  }
}
