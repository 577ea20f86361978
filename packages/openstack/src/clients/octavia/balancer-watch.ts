import type { Clock } from "@pilothouse/seams"
import type { LoadBalancer } from "./types.ts"

/** Undefined: it is gone. */
export type Seen = LoadBalancer | undefined

/** A caller that waits for a load balancer. Removes itself when it has seen enough. */
export interface Waiter {
  see(seen: Seen): void
  fail(error: unknown): void
}

/** Between two looks: soon at first, then less often, and never rarer than every second, so that an end is seen within one. */
const defaultFirstWait = 100
const maxWait = 1_000
const growth = 2

/**
 * Reads one load balancer repeatedly, for as long as there are waiters.
 * Invariant: at most one read is in progress, and a waiter is not notified of a read that began before it was added.
 */
export class BalancerWatch {
  /** The waiters, and the number of the first read that counts for each. */
  readonly #waiters = new Map<Waiter, number>()
  readonly #read: () => Promise<Seen>
  readonly #clock: Clock
  readonly #onIdle: () => void
  readonly #firstWait: number
  #reads = 0
  #running = false
  #nap: AbortController | undefined

  constructor(clock: Clock, read: () => Promise<Seen>, onIdle: () => void, firstWait = defaultFirstWait) {
    this.#clock = clock
    this.#read = read
    this.#onIdle = onIdle
    this.#firstWait = firstWait
  }

  /** Starts a read at once: what the waiter did to the load balancer may be over already. */
  add(waiter: Waiter): void {
    this.#waiters.set(waiter, this.#reads + 1)
    this.#nap?.abort()
    if (!this.#running) void this.#run()
  }

  remove(waiter: Waiter): void {
    this.#waiters.delete(waiter)
    if (this.#waiters.size === 0) this.#nap?.abort()
  }

  async #run(): Promise<void> {
    this.#running = true
    for (let wait = this.#firstWait; this.#waiters.size > 0; ) {
      await this.#show(++this.#reads)
      if (this.#waiters.size === 0) break
      const disturbed = this.#hasNewcomer() || (await this.#sleep(wait))
      wait = disturbed ? this.#firstWait : Math.min(maxWait, wait * growth)
    }
    this.#running = false
    this.#onIdle()
  }

  async #show(number: number): Promise<void> {
    const notify = await this.#read().then(
      (seen) => (waiter: Waiter) => waiter.see(seen),
      (error: unknown) => (waiter: Waiter) => waiter.fail(error),
    )
    for (const [waiter, from] of this.#waiters) if (from <= number) notify(waiter)
  }

  #hasNewcomer(): boolean {
    return [...this.#waiters.values()].some((from) => from > this.#reads)
  }

  /** Returns true when a waiter was added or the last one removed. */
  async #sleep(wait: number): Promise<boolean> {
    const nap = new AbortController()
    this.#nap = nap
    await this.#clock.sleep(wait, { signal: nap.signal, name: "the next read of a load balancer" }).catch(ignoreAbort)
    this.#nap = undefined
    return nap.signal.aborted
  }
}

function ignoreAbort(): void {}
