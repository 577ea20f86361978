import { isRoot, type Kind } from "../xds/kinds.ts"
import type { Resource } from "../xds/resource.ts"
import type { Verdict } from "../xds/step.ts"
import { heartbeat, type Sendable, timed } from "../xds/timed-resource.ts"
import type { Protocol } from "./responses.ts"

interface OpenResponse {
  readonly nonce: number
  readonly resources: readonly Sendable[]
}

/** Responses without a verdict that are remembered one by one. */
const openLimit = 32

/**
 * For a client whose resources expire: what it holds, so that heartbeats reach it in time.
 * After a refusal it holds something older than what was sent last, and a heartbeat of another version would be refused too.
 */
export class Lifetime {
  readonly #ttl: number
  readonly #protocol: Protocol
  readonly #held = new Map<Kind, Map<string, string>>()
  readonly #open = new Map<Kind, OpenResponse[]>()

  constructor(ttl: number, protocol: Protocol) {
    this.#ttl = ttl
    this.#protocol = protocol
  }

  /**
   * By state of the world only clusters and listeners run out, and take their endpoints and routes along: Envoy 1.40 was seen to crash where endpoints or
   * routes themselves do (SIGSEGV, with nothing connected). By delta all four expire cleanly.
   */
  covers(kind: Kind): boolean {
    return this.#protocol === "delta" || isRoot(kind)
  }

  /** Resources as this client gets them. */
  timed(kind: Kind, resources: readonly Resource[]): readonly Sendable[] {
    return this.covers(kind) ? resources.map((resource) => timed(resource, this.#ttl)) : resources
  }

  sent(kind: Kind, nonce: number, resources: readonly Sendable[]): void {
    const open = this.#open.get(kind) ?? []
    this.#open.set(kind, open)
    open.push({ nonce, resources })
    const [oldest, next] = open
    // A verdict on the second stands for the first too, and a client that is slow to answer still holds what was sent.
    if (open.length > openLimit) open.splice(0, 2, { nonce: next!.nonce, resources: folded(oldest!.resources, next!.resources) })
  }

  /** An ACK stands for all responses before it that were not refused. */
  judged(kind: Kind, { is, nonce }: Verdict): void {
    const open = this.#open.get(kind) ?? []
    const until = Number(nonce)
    const held = this.#held.get(kind) ?? new Map<string, string>()
    this.#held.set(kind, held)
    for (const response of open) {
      const refused = is === "nack" && response.nonce === until
      if (response.nonce <= until && !refused) for (const { name, version } of response.resources) held.set(name, version)
    }
    this.#open.set(
      kind,
      open.filter((response) => response.nonce > until),
    )
  }

  /** Of what the client holds and still subscribes to. */
  heartbeats(kind: Kind, wanted: ReadonlyMap<string, string>): readonly Sendable[] {
    const held = this.#held.get(kind)
    if (held === undefined) return []
    for (const name of held.keys()) if (!wanted.has(name)) held.delete(name)
    return [...held].map(([name, version]) => heartbeat(name, version, this.#ttl))
  }
}

/** The newer ones where both have one of a name. */
function folded(older: readonly Sendable[], newer: readonly Sendable[]): readonly Sendable[] {
  return [...new Map([...older, ...newer].map((resource) => [resource.name, resource])).values()]
}
