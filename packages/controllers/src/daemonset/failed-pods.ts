import type { DaemonSet } from "@pilothouse/api/apps/v1"
import type { RememberOperation } from "@pilothouse/runtime"

const firstWait = 1_000
const maxWait = 15 * 60_000
/** After so long without a failure the next one is the first again. */
const forgottenAfter = 2 * maxWait

/** How long the next failed pod of a node stays before it is deleted, and since when. */
export interface Backoff {
  readonly since: number
  readonly wait: number
}

/** Remembers that a failed pod was deleted from a node. */
export interface RememberFailure extends RememberOperation {
  readonly do: "remember-failure"
  readonly owner: DaemonSet
  readonly node: string
  readonly at: number
}

/**
 * Remembers on which nodes pods of a DaemonSet failed: a kubelet that rejects them would otherwise get new ones without a pause.
 * What is lost in a restart makes one pod come sooner, nothing more.
 *
 * Invariant: after remember() no entry is older than half an hour.
 */
export class FailedPods {
  readonly #entries = new Map<string, Backoff>()

  remember({ owner, node, at }: RememberFailure): void {
    for (const [key, { since }] of this.#entries) if (at - since > forgottenAfter) this.#entries.delete(key)
    const key = keyFor(owner, node)
    const before = this.#entries.get(key)
    this.#entries.set(key, { since: at, wait: before === undefined ? firstWait : Math.min(2 * before.wait, maxWait) })
  }

  /** A new generation starts without backoff: it may fix the pods. */
  of(owner: DaemonSet, node: string): Backoff | undefined {
    return this.#entries.get(keyFor(owner, node))
  }
}

/** Milliseconds until a failed pod may be deleted; 0 when it may. */
export function waitBeforeDeletion(backoff: Backoff | undefined, now: number): number {
  if (backoff === undefined || now - backoff.since > forgottenAfter) return 0
  return Math.max(0, backoff.since + backoff.wait - now)
}

function keyFor({ metadata, status }: DaemonSet, node: string): string {
  return `${metadata.uid}/${status?.observedGeneration ?? 0}/${node}`
}
