import { parseTime } from "@pilothouse/api"
import type { Lease } from "@pilothouse/api/coordination/v1"
import type { Node } from "@pilothouse/api/core/v1"
import { readyCondition } from "./ready.ts"

/** What is known of the life signs of a node. */
export interface Heartbeat {
  /** When the last one was noticed, by our own clock: nobody's clock is compared with another's. */
  readonly last: number
  /** The node was not known before. */
  readonly isNew: boolean
  /** The server itself has been asked for the Lease. */
  readonly isConfirmed: boolean
}

interface Known {
  readonly uid: string | undefined
  /** The newest of each that was seen. */
  status?: string
  renewed: number
  last: number
  asking: boolean
}

export interface Signs {
  readonly node: Node
  readonly lease?: Lease
  /** What the server itself says, where it was asked. */
  readonly live?: { readonly lease?: Lease }
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

  /** Takes in what is seen now. */
  note({ node, lease, live }: Signs, now: number): Heartbeat {
    const name = node.metadata.name ?? ""
    const before = this.#nodes.get(name)
    const status = readyCondition(node)?.lastHeartbeatTime ?? (readyCondition(node) && "")
    const renewed = Math.max(renewalOf(lease), renewalOf(live?.lease))
    const isNew = before === undefined || before.uid !== node.metadata.uid
    const known = isNew ? firstSight(node, now) : before
    if (known.status !== status || known.renewed < renewed) known.last = now
    Object.assign(known, { status, renewed: Math.max(known.renewed, renewed), last: Math.max(known.last, this.#allHeardOf), asking: false })
    this.#nodes.set(name, known)
    return { last: known.last, isNew, isConfirmed: live !== undefined }
  }

  /** The next look is to ask the server itself for the node's Lease. */
  ask(name: string): void {
    const known = this.#nodes.get(name)
    if (known !== undefined) known.asking = true
  }

  isAsking(name: string): boolean {
    return this.#nodes.get(name)?.asking === true
  }

  /** As if every node had just been heard of. */
  startAnew(now: number): void {
    this.#allHeardOf = now
  }

  /** The uid of a node that was known; what is said of it when it is gone. */
  uidOf(name: string): string | undefined {
    return this.#nodes.get(name)?.uid
  }

  forget(name: string): void {
    this.#nodes.delete(name)
  }
}

function firstSight({ metadata: { uid, creationTimestamp } }: Node, now: number): Known {
  const made = creationTimestamp === undefined ? now : parseTime(creationTimestamp)
  return { uid, status: undefined, renewed: Number.NEGATIVE_INFINITY, last: made, asking: false }
}

function renewalOf(lease: Lease | undefined): number {
  return lease?.spec?.renewTime === undefined ? Number.NEGATIVE_INFINITY : parseTime(lease.spec.renewTime)
}
