import type { KubeObject } from "@pilothouse/api"
import { type Clock, type Duration, type Log, type Metrics, messageOf, milliseconds, onAbort } from "@pilothouse/seams"
import { exponentialLimiter } from "../queue/limiters.ts"
import { WorkQueue } from "../queue/work-queue.ts"
import { Chain, type ChainOptions, type ChainSource } from "./chain.ts"
import { Failures, type StuckTask } from "./failures.ts"
import { HandlerLimit } from "./handler-limit.ts"
import type { ChainTask } from "./task.ts"

export interface HandlerChainsOptions {
  /** The name of the queue in metrics. */
  readonly name: string
  readonly clock: Clock
  readonly log: Log
  readonly metrics?: Metrics
  readonly retry?: {
    /** The wait after the first failure, doubled with each one; 1 s unless told otherwise. */
    readonly first?: Duration
    /** 1 min unless told otherwise. */
    readonly longest?: Duration
    /** After so many failures an object is listed as stuck, and one that is gone is given up; 10 unless told otherwise. */
    readonly attempts?: number
  }
  /** How long a handler may take; then it has failed. 5 min unless told otherwise. */
  readonly timeLimit?: Duration
  /** How long what was ready at the end may take all together; 10 s unless told otherwise. */
  readonly grace?: Duration
}

/**
 * Ordered handlers per kind over one queue, told one object at a time, in the order in which they changed.
 *
 * Promises: no handler runs before every informer has synced; a handler that throws ends the chain for that object, and the whole chain runs again
 * later: after 1 s, doubling to 1 min, for as long as the object exists; it holds nobody else back, and a newer event of the object takes its place at once.
 *
 * Always true between calls: a key is in the queue for every object that some chain has something pending of.
 */
export class HandlerChains {
  readonly #options: HandlerChainsOptions
  readonly #queue: WorkQueue
  readonly #failures: Failures
  readonly #attempts: number
  readonly #chains: Chain[] = []
  readonly #limit: HandlerLimit
  readonly #caughtUp = Promise.withResolvers<void>()
  /** What was there at the start and was not tried yet; undefined before everything has synced. */
  #first: Set<string> | undefined
  #hasCaughtUp = false

  constructor(options: HandlerChainsOptions) {
    const { name, clock, metrics, retry = {} } = options
    const limiter = exponentialLimiter({ base: milliseconds(retry.first ?? 1000), longest: milliseconds(retry.longest ?? 60_000) })
    this.#options = options
    this.#attempts = retry.attempts ?? 10
    this.#queue = new WorkQueue({ name, clock, limiter, metrics })
    this.#failures = new Failures(clock)
    this.#limit = new HandlerLimit(clock, milliseconds(options.timeLimit ?? "5m"))
  }

  /** All chains have to be there before run(). */
  chain<T extends KubeObject>(informer: ChainSource<T>, options: ChainOptions<T>): Chain<T> {
    const at = this.#chains.length
    const made = new Chain<T>(informer, options, (key, newer) => this.#wake(`${at} ${key}`, newer))
    // The list holds chains of many types; an id leads back to the chain that made it.
    this.#chains.push(made as unknown as Chain)
    return made
  }

  /** Everything that was there at the start has been tried once. */
  get hasCaughtUp(): boolean {
    return this.#hasCaughtUp
  }

  get caughtUp(): Promise<void> {
    return this.#caughtUp.promise
  }

  get stuck(): readonly StuckTask[] {
    return this.#failures.stuckAfter(this.#attempts)
  }

  /** How many objects wait for their handlers now, and how many for their next attempt. */
  get waiting(): { readonly now: number; readonly later: number } {
    return { now: this.#queue.depth, later: this.#queue.delayed }
  }

  /** Waits for the informers, which somebody else runs; ends when the signal does and what was ready is done, or the grace period is over. */
  async run(signal: AbortSignal): Promise<void> {
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
    this.#first = new Set(this.#chains.flatMap((chain, at) => [...chain.pendingKeys()].map((key) => `${at} ${key}`)))
    this.#tried("")
    for (let id = await this.#queue.next(); id !== undefined && !this.#limit.isOver; id = this.#atStart() ?? (await this.#inTurn())) {
      const working = this.#work(id)
      if (working !== undefined) await working
      this.#queue.done(id)
      if (!this.#hasCaughtUp) this.#tried(id)
    }
  }

  #endLater(): Disposable {
    const { clock, name, log, grace = "10s" } = this.#options
    return clock.timer(milliseconds(grace), `end of ${name}`, () => {
      log.warn("the grace period is over, leaving the handler that still runs", { queue: name })
      this.#limit.end()
    })
  }

  #wake(id: string, newer: boolean): void {
    // Something new deserves a fresh start: its first retry comes soon again.
    if (newer) this.#queue.forget(id)
    this.#queue.add(id)
  }

  /** What is ready before it has caught up: no wait between one and the next. */
  #atStart(): string | undefined {
    return this.#hasCaughtUp ? undefined : this.#queue.takeReady()
  }

  /**
   * Later events that are on their way go first: each of a hundred pods that come in one go may send the same slice through its chain again, and that is
   * to happen once, after the last of them.
   */
  async #inTurn(): Promise<string | undefined> {
    await Promise.resolve()
    return this.#queue.next()
  }

  /** Ends at once where all handlers do: ten thousand objects at the start need no promise each. */
  #work(id: string): void | Promise<void> {
    const space = id.indexOf(" ")
    const chain = this.#chains[Number(id.slice(0, space))]!
    const key = id.slice(space + 1)
    for (let task = chain.task(key); task !== undefined; task = chain.task(key)) {
      const told = this.#told(id, chain, task)
      if (typeof told !== "boolean") return told.then((well) => (well ? this.#work(id) : undefined))
      if (!told) return
    }
  }

  /** False: it failed and waits for another attempt. */
  #told(id: string, chain: Chain, task: ChainTask): boolean | Promise<boolean> {
    const failed = (error: unknown) => (this.#limit.isOver ? false : this.#failed(id, chain, { task, error }))
    try {
      const waiting = chain.run(task, this.#limit)
      if (waiting !== undefined) return waiting.then(() => this.#went(id, chain, task), failed)
    } catch (error) {
      return failed(error)
    }
    return this.#went(id, chain, task)
  }

  #went(id: string, chain: Chain, task: ChainTask): true {
    chain.taken(task)
    this.#queue.forget(id)
    this.#failures.went(id)
    return true
  }

  #failed(id: string, chain: Chain, { task, error }: { task: ChainTask; error: unknown }): boolean {
    const { attempts } = this.#failures.failed(id, { kind: chain.kind, key: task.key, gone: task.event === "delete" }, error)
    const newest = chain.task(task.key)
    const superseded = newest?.object !== task.object || newest.event !== task.event
    const givenUp = task.event === "delete" && attempts >= this.#attempts
    this.#options.log.warn(
      `a handler of ${chain.kind} failed; ${givenUp ? "the object is gone, giving up" : "the chain runs again later"}`,
      {
        kind: chain.kind,
        key: task.key,
        event: task.event,
        attempts,
        error: messageOf(error),
      },
    )
    if (givenUp) {
      this.#failures.givenUp(id)
      chain.taken(task)
      this.#queue.forget(id)
      return true
    }
    if (superseded) this.#queue.add(id)
    else this.#queue.retry(id)
    return false
  }

  #tried(id: string): void {
    this.#first?.delete(id)
    if (this.#first?.size !== 0) return
    this.#hasCaughtUp = true
    this.#caughtUp.resolve()
  }
}
