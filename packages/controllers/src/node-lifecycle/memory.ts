import { deepEqual } from "@pilothouse/api"
import { type Executor, type RememberOperation, remembers } from "@pilothouse/runtime"
import { Heartbeats, type Known } from "./heartbeats.ts"

interface RememberHeartbeat extends RememberOperation {
  readonly do: "remember-heartbeat"
  readonly node: string
  /** Undefined: the node is gone. */
  readonly known?: Known
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

/** What one run of the controller knows besides its caches; lost in a restart, and nothing depends on it but when things happen. */
export class Memory {
  readonly heard = new Heartbeats()
  readonly pace = new EvictionPace()
  #wasCutOff = false

  get wasCutOff(): boolean {
    return this.#wasCutOff
  }

  /** When the nodes are heard again nobody knows how long they were there all the time: all begin anew. */
  cutOff(isCutOff: boolean, now: number): void {
    if (this.#wasCutOff && !isCutOff) this.heard.startAnew(now)
    this.#wasCutOff = isCutOff
  }
}

/** How what a plan remembers gets into the memory. */
export function rememberIn(memory: Memory): readonly Executor[] {
  return [
    remembers<RememberHeartbeat>("remember-heartbeat", ({ node, known }) => memory.heard.remember(node, known)),
    remembers<RememberTry>("remember-try", ({ zone, at }) => memory.pace.tried(zone, at)),
    remembers<RememberCutOff>("remember-cut-off", ({ isCutOff, at }) => memory.cutOff(isCutOff, at)),
  ]
}

export function rememberHeartbeat(node: string, before: Known | undefined, known: Known | undefined): readonly RememberHeartbeat[] {
  if (deepEqual(before, known)) return []
  return [{ do: "remember-heartbeat", to: `the node ${node}`, reason: reasonFor(known), node, known }]
}

export function rememberTry(zone: string, at: number): readonly RememberTry[] {
  const reason = "its next node has to wait, whatever becomes of this one"
  return [{ do: "remember-try", to: `the zone ${zone || "without a name"}`, reason, zone, at }]
}

export function rememberCutOff(wasCutOff: boolean, isCutOff: boolean, at: number): readonly RememberCutOff[] {
  if (wasCutOff === isCutOff) return []
  const reason = isCutOff ? "no node is ready any more" : "nodes are ready again, and all of them begin anew"
  return [{ do: "remember-cut-off", to: "the whole cluster", reason, isCutOff, at }]
}

function reasonFor(known: Known | undefined): string {
  if (known === undefined) return "the node is gone"
  return known.asking ? "the next look is to ask the server itself for its Lease" : "silence is counted from the last sign of life"
}

/**
 * Remembers when each zone last gave up a node, so that no zone does it faster than its rate allows. After a restart each may begin at once.
 *
 * Always true between calls: the time of a zone is that of the last try, whatever became of it: a write whose answer was lost may have happened.
 */
export class EvictionPace {
  readonly #last = new Map<string, number>()

  /** Undefined when it has given up none. */
  lastTry(zone: string): number | undefined {
    return this.#last.get(zone)
  }

  tried(zone: string, now: number): void {
    this.#last.set(zone, now)
  }
}
