import { parseTime } from "@pilothouse/api"
import type { Lease } from "@pilothouse/api/coordination/v1"
import type { Node } from "@pilothouse/api/core/v1"
import { readyCondition } from "./node-conditions.ts"

/** The last heartbeat of a node. */
export interface Heartbeat {
  readonly uid: string | undefined
  /** The newest observed heartbeat in its status, and the newest observed renewal of its Lease. */
  readonly status: string | undefined
  readonly renewed: number
  /** When the last one was observed, by the controller's own clock: clocks of different machines are never compared. */
  readonly last: number
  /** The next reconcile reads the node's Lease from the API server. */
  readonly confirmsLease: boolean
}

/** The signs of life of a node: its Lease and status, and what the last reconcile made of them. */
export interface HeartbeatSources {
  readonly node: Node
  readonly lease?: Lease
  /** The Lease as read from the API server, if it was read. */
  readonly live?: { readonly lease?: Lease }
  /** As of the last reconcile; undefined when there was none. */
  readonly known?: Heartbeat
  /** When all nodes last counted as seen. */
  readonly allSeenAt?: number
}

/** Returns the heartbeat updated from the current observation; confirmsLease is false because the Lease has been read. */
export function updatedHeartbeat(
  { node, lease, live, known: before, allSeenAt = Number.NEGATIVE_INFINITY }: HeartbeatSources,
  now: number,
): Heartbeat {
  const ready = readyCondition(node)
  const status = ready?.lastHeartbeatTime ?? (ready && "")
  const renewed = Math.max(renewTime(lease), renewTime(live?.lease))
  const known = before === undefined || isReplaced(node, before) ? initialHeartbeat(node, now) : before
  const isSign = known.status !== status || known.renewed < renewed
  return {
    uid: known.uid,
    status,
    renewed: Math.max(known.renewed, renewed),
    last: Math.max(isSign ? now : known.last, allSeenAt),
    confirmsLease: false,
  }
}

/** Reports whether the node is new to the controller. */
export function isNew({ node, known }: HeartbeatSources): boolean {
  return known === undefined || isReplaced(node, known)
}

/**
 * Remembers the last heartbeat of each node: in its status, or by a renewal of its Lease.
 * After a restart all nodes count as just seen, except those that never had a heartbeat: their grace period began with their creation.
 *
 * Invariant: there is one entry for each reconciled node that still exists.
 */
export class Heartbeats {
  readonly #nodes = new Map<string, Heartbeat>()
  #allSeenAt = Number.NEGATIVE_INFINITY

  of(name: string): Heartbeat | undefined {
    return this.#nodes.get(name)
  }

  get allSeenAt(): number {
    return this.#allSeenAt
  }

  remember(name: string, known: Heartbeat | undefined): void {
    if (known === undefined) this.#nodes.delete(name)
    else this.#nodes.set(name, known)
  }

  /** Counts every node as seen now. */
  resetAll(now: number): void {
    this.#allSeenAt = now
  }
}

function isReplaced({ metadata }: Node, { uid }: Heartbeat): boolean {
  return metadata.uid !== uid
}

function initialHeartbeat({ metadata: { uid, creationTimestamp } }: Node, now: number): Heartbeat {
  const made = creationTimestamp === undefined ? now : parseTime(creationTimestamp)
  return { uid, status: undefined, renewed: Number.NEGATIVE_INFINITY, last: made, confirmsLease: false }
}

function renewTime(lease: Lease | undefined): number {
  return lease?.spec?.renewTime === undefined ? Number.NEGATIVE_INFINITY : parseTime(lease.spec.renewTime)
}
