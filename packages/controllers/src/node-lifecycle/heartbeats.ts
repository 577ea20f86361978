import { parseTime } from "@pilothouse/api"
import type { Lease } from "@pilothouse/api/coordination/v1"
import type { Node } from "@pilothouse/api/core/v1"
import { readyCondition } from "./node-conditions.ts"

/** What is known of the life signs of a node. */
export interface Known {
  readonly uid: string | undefined
  /** The newest heartbeat in its status, and the newest renewal of its Lease, that were seen. */
  readonly status: string | undefined
  readonly renewed: number
  /** When the last one was noticed, by our own clock: nobody's clock is compared with another's. */
  readonly last: number
  /** The next look is to ask the server itself for the node's Lease. */
  readonly asking: boolean
}

export interface Signs {
  readonly node: Node
  readonly lease?: Lease
  /** What the server itself says, where it was asked. */
  readonly live?: { readonly lease?: Lease }
  /** As of the last look; undefined when there was none. */
  readonly known?: Known
  /** Since when every node counts as heard of. */
  readonly allHeardOf?: number
}

/** What is known with what is seen now. Not asking any more: the answer is here. */
export function noted({ node, lease, live, known: before, allHeardOf = Number.NEGATIVE_INFINITY }: Signs, now: number): Known {
  const ready = readyCondition(node)
  const status = ready?.lastHeartbeatTime ?? (ready && "")
  const renewed = Math.max(renewalOf(lease), renewalOf(live?.lease))
  const known = before === undefined || isOther(node, before) ? firstSight(node, now) : before
  const isSign = known.status !== status || known.renewed < renewed
  return {
    uid: known.uid,
    status,
    renewed: Math.max(known.renewed, renewed),
    last: Math.max(isSign ? now : known.last, allHeardOf),
    asking: false,
  }
}

/** Whether the node was not known before. */
export function isNew({ node, known }: Signs): boolean {
  return known === undefined || isOther(node, known)
}

/**
 * Remembers when something new was last heard of each node: a heartbeat in its status, or a renewal of its Lease.
 * After a restart all nodes count as just heard of, but for those that never were: their time began when they were made.
 *
 * Always true between calls: there is one entry for each node that was looked at and is not gone.
 */
export class Heartbeats {
  readonly #nodes = new Map<string, Known>()
  #allHeardOf = Number.NEGATIVE_INFINITY

  of(name: string): Known | undefined {
    return this.#nodes.get(name)
  }

  get allHeardOf(): number {
    return this.#allHeardOf
  }

  remember(name: string, known: Known | undefined): void {
    if (known === undefined) this.#nodes.delete(name)
    else this.#nodes.set(name, known)
  }

  /** As if every node had just been heard of. */
  startAnew(now: number): void {
    this.#allHeardOf = now
  }
}

function isOther({ metadata }: Node, { uid }: Known): boolean {
  return metadata.uid !== uid
}

function firstSight({ metadata: { uid, creationTimestamp } }: Node, now: number): Known {
  const made = creationTimestamp === undefined ? now : parseTime(creationTimestamp)
  return { uid, status: undefined, renewed: Number.NEGATIVE_INFINITY, last: made, asking: false }
}

function renewalOf(lease: Lease | undefined): number {
  return lease?.spec?.renewTime === undefined ? Number.NEGATIVE_INFINITY : parseTime(lease.spec.renewTime)
}
