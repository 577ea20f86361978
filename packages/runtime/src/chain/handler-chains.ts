import type { KubeObject } from "@pilothouse/api"
import { type Clock, type Duration, type Log, type Metrics, milliseconds, onAbort, PilothouseError } from "@pilothouse/seams"
import { exponentialLimiter } from "../queue/rate-limiters.ts"
import { WorkQueue } from "../queue/work-queue.ts"
import { Chain, type ChainOptions, type ChainSource } from "./chain.ts"
import { ChainDispatcher, type ChainObject } from "./chain-dispatcher.ts"
import { Failures, type StuckTask } from "./failures.ts"
import { HandlerLimit } from "./handler-limit.ts"

/**
 * Tracks whether everything that was there at the start has been processed once.
 *
 * Invariant: it is done exactly when it has begun and nothing is left, and stays done.
 */
class InitialSync {
  readonly #done = Promise.withResolvers<void>()
  /** What was not processed yet; undefined before it has begun. */
  #left: Set<string> | undefined
  #isDone = false

  get isDone(): boolean {
    return this.#isDone
  }

  get done(): Promise<void> {
    return this.#done.promise
  }

  begin(ids: Iterable<string>): void {
    this.#left = new Set(ids)
    this.#finishIfEmpty()
  }

  tried(id: string): void {
    if (this.#isDone) return
    this.#left?.delete(id)
    this.#finishIfEmpty()
  }

  #finishIfEmpty(): void {
    if (this.#left?.size !== 0) return
    this.#isDone = true
    this.#done.resolve()
  }
}

/** Dependencies and retry options that all chains of a program share. */
export interface HandlerChainsOptions {
  /** The name of the queue in metrics. */
  readonly name: string
  readonly clock: Clock
  readonly log: Log
  readonly metrics?: Metrics
  readonly retry?: {
    /** Delay after the first failure, doubled with each one; 1 s by default. */
    readonly first?: Duration
    /** 1 min by default. */
    readonly max?: Duration
    /** Failures after which an object is listed as stuck, and a deleted one is given up; 10 by default. */
    readonly attempts?: number
  }
  /** Time limit of a handler; 5 min by default. */
  readonly timeLimit?: Duration
  /** Time limit for ready objects at shutdown; 10 s by default. */
  readonly grace?: Duration
}

/**
 * Ordered handlers per kind over one queue, called for one object at a time, in the order of changes; objects that were there at the start, kind by kind in
 * the order in which the chains were created.
 *
 * Guarantees: no handler runs before every informer has synced; a handler that throws ends the chain for that object, and the whole chain is retried
 * after 1 s, doubling to 1 min, for as long as the object exists; other objects are not delayed, and a newer event of the object replaces it at once.
 *
 * Invariant: a key is in the queue for every object with a pending task in a chain.
 */
export class HandlerChains {
  readonly #options: HandlerChainsOptions
  readonly #queue: WorkQueue
  readonly #failures: Failures
  readonly #attempts: number
  readonly #chains: Chain[] = []
  readonly #limit: HandlerLimit
  readonly #dispatcher: ChainDispatcher
  readonly #initialSync = new InitialSync()
  #begun = false

  constructor(options: HandlerChainsOptions) {
    const { name, clock, log, metrics, retry = {} } = options
    const limiter = exponentialLimiter({ base: milliseconds(retry.first ?? 1000), max: milliseconds(retry.max ?? 60_000) })
    this.#options = options
    this.#attempts = retry.attempts ?? 10
    this.#queue = new WorkQueue({ name, clock, limiter, metrics })
    this.#failures = new Failures(clock)
    this.#limit = new HandlerLimit(clock, milliseconds(options.timeLimit ?? "5m"))
    this.#dispatcher = new ChainDispatcher({
      queue: this.#queue,
      failures: this.#failures,
      limit: this.#limit,
      log,
      attempts: this.#attempts,
    })
  }

  /** Creates a chain. Must be called before run(), which waits for the informers of all chains. */
  chain<T extends KubeObject>(informer: ChainSource<T>, options: ChainOptions<T>): Chain<T> {
    if (this.#begun) throw this.#misuse("every chain to be created before run()", `that of ${options.kind} after it; create it earlier`)
    const at = this.#chains.length
    const made = new Chain<T>(informer, options, (key, newer) => this.#enqueue(at, key, newer))
    // The list holds chains of many types; an id leads back to the chain that made it.
    this.#chains.push(made as unknown as Chain)
    return made
  }

  /** Everything that was there at the start has been processed once. */
  get hasSynced(): boolean {
    return this.#initialSync.isDone
  }

  get synced(): Promise<void> {
    return this.#initialSync.done
  }

  get stuck(): readonly StuckTask[] {
    return this.#failures.stuckAfter(this.#attempts)
  }

  /** Number of ready objects, and of those that wait for a retry. */
  get waiting(): { readonly now: number; readonly later: number } {
    return { now: this.#queue.depth, later: this.#queue.delayed }
  }

  /** Waits for the informers, which the caller runs; ends when the signal has aborted and ready objects are done, or the grace period is over. May be called once. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#begun) throw this.#misuse("to be run once", "a second run; create other chains")
    this.#begun = true
    using grace = new DisposableStack()
    using _closing = onAbort(signal, () => {
      this.#queue.close()
      grace.use(this.#endLater())
    })
    const synced = await Promise.all(this.#chains.map(({ informer }) => informer.synced(signal))).then(
      () => true,
      () => false,
    )
    if (!synced) return
    this.#initialSync.begin(this.#chains.flatMap((chain, at) => [...chain.pendingKeys()].map((key) => queueId(at, key))))
    await this.#process()
  }

  async #process(): Promise<void> {
    let id = await this.#queue.next()
    while (id !== undefined && !this.#limit.isOver) {
      const dispatched = this.#dispatcher.dispatch(this.#objectOf(id))
      if (dispatched !== undefined) await dispatched
      this.#queue.done(id)
      this.#initialSync.tried(id)
      // Initial objects are processed without yielding between them.
      const ready = this.#initialSync.isDone ? undefined : this.#queue.tryNext()
      id = ready ?? (await this.#nextAfterPendingEvents())
    }
  }

  /**
   * Pending events are received first: each of a hundred pods that change together may requeue the same slice, and that is
   * processed once, after the last of them.
   */
  async #nextAfterPendingEvents(): Promise<string | undefined> {
    await Promise.resolve()
    return this.#queue.next()
  }

  #misuse(expected: string, found: string): PilothouseError {
    return new PilothouseError("INVALID", `handler chains ${this.#options.name}: expected ${expected}, found ${found}`)
  }

  #endLater(): Disposable {
    const { clock, name, log, grace = "10s" } = this.#options
    return clock.timer(milliseconds(grace), `end of ${name}`, () => {
      log.warn("the grace period is over, leaving the handler that still runs", { queue: name })
      this.#limit.end()
    })
  }

  #enqueue(chain: number, key: string, newer: boolean): void {
    const id = queueId(chain, key)
    // A new event resets the backoff.
    if (newer) this.#queue.forget(id)
    // Informers sync in any order. Until the initial sync is done, kinds are processed in the order of their chains.
    this.#queue.add(id, { priority: this.#initialSync.isDone ? 0 : -chain })
  }

  #objectOf(id: string): ChainObject {
    const space = id.indexOf(" ")
    return { id, chain: this.#chains[Number(id.slice(0, space))]!, key: id.slice(space + 1) }
  }
}

/** One queue serves all chains: the index of the chain precedes the key. */
function queueId(chain: number, key: string): string {
  return `${chain} ${key}`
}
