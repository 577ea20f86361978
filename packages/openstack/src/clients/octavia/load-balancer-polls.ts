import { CloudError } from "@pilothouse/cloud"
import { aborted, type Clock, type Duration, milliseconds, onAbort, PilothouseError } from "@pilothouse/seams"
import type { CallOptions } from "../calls/collection.ts"
import type { Octavia } from "./octavia.ts"
import type { LoadBalancer } from "./types.ts"

/** Between two looks: soon at first, then less often, and never rarer than every second, so that an end is seen within one. */
const defaultFirstWait = 100
const maxWait = 1_000
const growth = 2

export interface LoadBalancerPollsOptions {
  readonly octavia: Octavia
  readonly clock: Clock
  /** How long to wait for a load balancer: 5 minutes by default. */
  readonly timeout?: Duration
}

/** The load balancer went to ERROR: waiting longer is of no use, it has to be created again. */
export class LoadBalancerFailed extends CloudError {
  override readonly name = "LoadBalancerFailed"
}

export interface WaitOptions extends CallOptions {
  /** It was made a moment ago: it is first looked at when it is likely to be ready, going by how long others took. */
  readonly fresh?: boolean
}

interface Goal {
  /** "to be ACTIVE", for messages. */
  readonly what: string
  done(seen: LoadBalancer): boolean
  /** Whether ERROR is the end of all hope. */
  readonly errorEnds: boolean
}

const active: Goal = { what: "to be ACTIVE", done: ({ provisioning_status }) => provisioning_status === "ACTIVE", errorEnds: true }
const changeable: Goal = {
  what: "to take changes",
  done: ({ provisioning_status }) => !provisioning_status.startsWith("PENDING"),
  errorEnds: false,
}
const gone: Goal = { what: "to be gone", done: ({ provisioning_status }) => provisioning_status === "DELETED", errorEnds: true }

/** Milliseconds until the first read of a new one while it is unknown how long they take, and then until the second. */
const firstGuess = 500
/** How many new ones are remembered: the quickest of them says when the next is worth a read. */
const remembered = 5
/** Milliseconds after which a new one is looked at again at the soonest: on a slow cloud a few more do not matter, and looks cost it time. */
const soonest = 100
/** Milliseconds that a new one goes without a read at most, however slow the others were: the cloud may be fast again, or have failed. */
const maxFirstWait = 10_000

/** Waits for load balancers, with one watch for all callers of one. Invariant: #took has how long the last new ones took. */
export class LoadBalancerPolls {
  readonly #took: number[] = []
  readonly #options: LoadBalancerPollsOptions
  readonly #watches = new Map<string, BalancerWatch>()

  constructor(options: LoadBalancerPollsOptions) {
    this.#options = options
  }

  /** Throws LoadBalancerFailed when it goes to ERROR, a CloudError when it is gone, TIMEOUT when it takes too long. */
  async untilActive(id: string, options: WaitOptions = {}): Promise<LoadBalancer> {
    const seen = options.fresh ? await this.#untilMade(id, options) : await this.#until(id, active, options)
    if (seen === undefined) throw new CloudError(`expected load balancer ${id} to be ACTIVE, found that it is gone; make it again`)
    return seen
  }

  /** ACTIVE or ERROR, in which it can be deleted; undefined when it is gone. */
  untilChangeable(id: string, options?: CallOptions): Promise<Seen> {
    return this.#until(id, changeable, options)
  }

  /** Until it answers 404, or is DELETED. */
  async untilGone(id: string, options?: CallOptions): Promise<void> {
    await this.#until(id, gone, options)
  }

  async #untilMade(id: string, options: CallOptions): Promise<Seen> {
    const { clock, timeout = "5m" } = this.#options
    const limit = milliseconds(options.timeout ?? timeout)
    const began = clock.elapsed()
    const isFirst = this.#took.length === 0
    const likely = Math.min(isFirst ? firstGuess : 0.9 * Math.min(...this.#took), maxFirstWait, limit)
    await clock.sleep(likely, { signal: options.signal, name: `load balancer ${id} is likely to be ready` })
    const seen = await this.#until(
      id,
      active,
      { ...options, timeout: limit - likely },
      isFirst ? firstGuess : Math.max(soonest, likely / 20),
    )
    this.#took.push(clock.elapsed() - began)
    if (this.#took.length > remembered) this.#took.shift()
    return seen
  }

  #until(id: string, goal: Goal, { signal, timeout = this.#options.timeout ?? "5m" }: CallOptions = {}, firstWait?: number): Promise<Seen> {
    const watch = this.#watch(id, firstWait)
    let last: Seen
    return new Promise<Seen>((resolve, reject) => {
      const end = (settle: () => void) => {
        watch.remove(waiter)
        timer[Symbol.dispose]()
        listening[Symbol.dispose]()
        settle()
      }
      const waiter = {
        see(seen: Seen) {
          last = seen
          if (seen === undefined || goal.done(seen)) end(() => resolve(seen))
          else if (goal.errorEnds && seen.provisioning_status === "ERROR") end(() => reject(failed(seen, goal)))
        },
        fail: (error: unknown) => end(() => reject(error)),
      }
      const name = `load balancer ${id} ${goal.what}`
      const timer = this.#options.clock.timer(milliseconds(timeout), name, () => end(() => reject(late(id, last, goal))))
      const listening = onAbort(signal, () => end(() => reject(signal === undefined ? undefined : aborted(signal))))
      watch.add(waiter)
    })
  }

  #watch(id: string, firstWait?: number): BalancerWatch {
    const { clock, octavia } = this.#options
    const found = this.#watches.get(id)
    if (found !== undefined) return found
    const watch = new BalancerWatch(
      clock,
      () => octavia.loadBalancers.find(id),
      () => void this.#watches.delete(id),
      firstWait,
    )
    this.#watches.set(id, watch)
    return watch
  }
}

function failed({ id, name }: LoadBalancer, { what }: Goal): LoadBalancerFailed {
  return new LoadBalancerFailed(`expected load balancer ${name} (${id}) ${what}, found ERROR; it has to be deleted and recreated`)
}

function late(id: string, seen: Seen, { what }: Goal): PilothouseError {
  const found = seen === undefined ? "no answer" : `it still in ${seen.provisioning_status}`
  return new PilothouseError("TIMEOUT", `expected load balancer ${id} ${what} in time, found ${found}`)
}

/** Undefined: it is gone. */
type Seen = LoadBalancer | undefined

/** A caller that waits for a load balancer. Removes itself when it has seen enough. */
interface Waiter {
  see(seen: Seen): void
  fail(error: unknown): void
}

/**
 * Reads one load balancer repeatedly, for as long as there are waiters.
 * Invariant: at most one read is in progress, and a waiter is not notified of a read that began before it was added.
 */
class BalancerWatch {
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
