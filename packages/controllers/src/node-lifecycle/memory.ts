import { deepEqual } from "@pilothouse/api"
import { type Executor, type RememberOperation, remembers } from "@pilothouse/runtime"
import { type Heartbeat, Heartbeats } from "./heartbeats.ts"

interface RememberHeartbeat extends RememberOperation {
  readonly do: "remember-heartbeat"
  readonly node: string
  /** Undefined when the node is gone. */
  readonly known?: Heartbeat
}

interface RememberTry extends RememberOperation {
  readonly do: "remember-try"
  readonly zone: string
  readonly at: number
}

interface RememberCutOff extends RememberOperation {
  readonly do: "remember-cut-off"
  readonly isCutOff: boolean
  readonly at: number
}

/** What one run of the controller remembers besides its caches. A restart loses it, which affects only the timing. */
export class Memory {
  readonly heartbeats = new Heartbeats()
  readonly pace = new EvictionPace()
  #wasCutOff = false

  get wasCutOff(): boolean {
    return this.#wasCutOff
  }

  /** When nodes are ready again, the grace period of all nodes restarts: their heartbeats may have been missed. */
  cutOff(isCutOff: boolean, now: number): void {
    if (this.#wasCutOff && !isCutOff) this.heartbeats.resetAll(now)
    this.#wasCutOff = isCutOff
  }
}

/** Returns the executors that write a plan's remember operations into the memory. */
export function rememberIn(memory: Memory): readonly Executor[] {
  return [
    remembers<RememberHeartbeat>("remember-heartbeat", ({ node, known }) => memory.heartbeats.remember(node, known)),
    remembers<RememberTry>("remember-try", ({ zone, at }) => memory.pace.tried(zone, at)),
    remembers<RememberCutOff>("remember-cut-off", ({ isCutOff, at }) => memory.cutOff(isCutOff, at)),
  ]
}

export function rememberHeartbeat(node: string, before: Heartbeat | undefined, known: Heartbeat | undefined): readonly RememberHeartbeat[] {
  if (deepEqual(before, known)) return []
  return [{ do: "remember-heartbeat", to: `the node ${node}`, reason: reasonFor(known), node, known }]
}

export function rememberTry(zone: string, at: number): readonly RememberTry[] {
  const reason = "its next node has to wait, whatever the result of this write"
  return [{ do: "remember-try", to: `the zone ${zone || "without a name"}`, reason, zone, at }]
}

export function rememberCutOff(wasCutOff: boolean, isCutOff: boolean, at: number): readonly RememberCutOff[] {
  if (wasCutOff === isCutOff) return []
  const reason = isCutOff ? "no node is ready any more" : "nodes are ready again, and the grace period of all nodes restarts"
  return [{ do: "remember-cut-off", to: "the whole cluster", reason, isCutOff, at }]
}

function reasonFor(known: Heartbeat | undefined): string {
  if (known === undefined) return "the node is gone"
  return known.confirmsLease ? "the next reconcile reads its Lease from the API server" : "the grace period counts from the last heartbeat"
}

/**
 * Remembers when each zone last tainted a node, so that no zone exceeds its rate. After a restart each zone may taint at once.
 *
 * Invariant: the time of a zone is that of the last attempt, whatever its result: a write without a response may have been applied.
 */
export class EvictionPace {
  readonly #last = new Map<string, number>()

  /** Returns undefined when the zone has tainted no node. */
  lastTry(zone: string): number | undefined {
    return this.#last.get(zone)
  }

  tried(zone: string, now: number): void {
    this.#last.set(zone, now)
  }
}
