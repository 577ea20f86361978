import { type Clock, type Metrics, noMetrics, onAbort, PilothouseError } from "@pilothouse/seams"
import { QueueMetrics } from "./queue-metrics.ts"
import type { Limiter } from "./rate-limiters.ts"
import { type Linked, ReadyList } from "./ready-list.ts"

/** Delay and priority of an added key. */
export interface AddOptions {
  /** Milliseconds until the key is ready; 0 by default. */
  readonly after?: number
  /** Higher goes first. 0 for live events; start-up and resync items are lower, so that they never delay live ones. */
  readonly priority?: number
}

/** Dependencies of a work queue. */
export interface WorkQueueOptions {
  readonly name: string
  readonly clock: Clock
  readonly limiter: Limiter
  readonly metrics?: Metrics
}

interface Entry extends Linked<Entry> {
  readonly key: string
  /** "now": in the ready list, or after done() when it is being processed. "later": when its timer fires. */
  scheduled: "no" | "now" | "later"
  /** Handed out by next() and not done yet. */
  processing: boolean
  /** The priority it was handed out with. */
  processingPriority: number
  due: number
  timer: Disposable | undefined
  /** When it was last scheduled for now; only set with metrics. */
  since: number
}

type Waiter = (key: string | undefined) => void

/**
 * A queue of keys to reconcile, as client-go's workqueue: deduplicated, delayed, prioritized, rate limited. `retry` is AddRateLimited there, `add`
 * with a delay AddAfter, `next` Get, and `close` and `drain` are ShutDown and ShutDownWithDrain.
 *
 * Invariant:
 * - there is one entry per key, and only while the key is scheduled or processing: adds are deduplicated, the earlier time and the higher priority
 *   win;
 * - the ready list has exactly the entries that are scheduled now and not processing: a key is never processed twice at once, and no add is lost;
 * - an entry has a timer exactly while it is scheduled later;
 * - a caller of next() waits only while nothing is ready and the queue is open.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions
  readonly #metrics: QueueMetrics | undefined
  readonly #entries = new Map<string, Entry>()
  readonly #ready = new ReadyList<Entry>()
  readonly #waiters: Waiter[] = []
  readonly #drained: (() => void)[] = []
  #depth = 0
  #processing = 0
  #closed = false

  constructor(options: WorkQueueOptions) {
    this.#options = options
    const { name, clock, metrics } = options
    this.#metrics = metrics === undefined || metrics === noMetrics ? undefined : new QueueMetrics({ name, clock, metrics })
  }

  /** Number of keys scheduled now: ready, or added again while processing. */
  get depth(): number {
    return this.#depth
  }

  /** Number of delayed keys. */
  get delayed(): number {
    let delayed = 0
    for (const { scheduled } of this.#entries.values()) if (scheduled === "later") delayed++
    return delayed
  }

  add(key: string, { after = 0, priority = 0 }: AddOptions = {}): void {
    if (this.#closed) return
    if (!Number.isFinite(after))
      throw new PilothouseError("INVALID", `expected a finite number of milliseconds as the delay of ${key}, found ${after}`)
    const entry = this.#entries.get(key) ?? this.#make(key, priority)
    if (entry.scheduled === "no") entry.priority = priority
    else this.#raise(entry, priority)
    if (after > 0) this.#scheduleLater(entry, after)
    else this.#scheduleNow(entry)
  }

  /**
   * Adds the key after the limiter's delay, with the priority it was handed out with. Does not replace done().
   * Returns false when the limiter gives the key up: it is forgotten until the next event.
   */
  retry(key: string, priority: number = this.priorityOf(key)): boolean {
    const after = this.#options.limiter.delay(key)
    if (after === Number.POSITIVE_INFINITY) {
      this.forget(key)
      return false
    }
    this.#metrics?.retried()
    this.add(key, { after, priority })
    return true
  }

  /** Milliseconds until a key is ready: 0 when it is scheduled now, undefined when it is not scheduled. */
  dueIn(key: string): number | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined || entry.scheduled === "no") return undefined
    return entry.scheduled === "now" ? 0 : Math.max(0, entry.due - this.#options.clock.elapsed())
  }

  /** The priority a processing key was handed out with; 0 when it is not processing. */
  priorityOf(key: string): number {
    const entry = this.#entries.get(key)
    return entry?.processing ? entry.processingPriority : 0
  }

  /** Resets the backoff of a key that succeeded. */
  forget(key: string): void {
    this.#options.limiter.forget(key)
  }

  /** Resolves with the next key, which the caller ends with done(); undefined once the queue is closed and empty, or the signal aborts. */
  next(signal?: AbortSignal): Promise<string | undefined> {
    if (signal?.aborted) return Promise.resolve(undefined)
    const ready = this.tryNext()
    if (ready !== undefined) return Promise.resolve(ready)
    if (this.#closed) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const waiter: Waiter = (key) => {
        listening[Symbol.dispose]()
        resolve(key)
      }
      const listening = onAbort(signal, () => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1)
        resolve(undefined)
      })
      this.#waiters.push(waiter)
    })
  }

  /** As next(), without waiting; undefined when no key is ready now. */
  tryNext(): string | undefined {
    const entry = this.#ready.shift()
    return entry && this.#begin(entry)
  }

  /** Ends the processing of a key; one that was added meanwhile is ready again. Ignored for a key that is not processing. */
  done(key: string): void {
    const entry = this.#entries.get(key)
    if (!entry?.processing) return
    entry.processing = false
    this.#processing--
    this.#metrics?.done(key)
    if (entry.scheduled === "now") this.#dispatch(entry)
    else if (entry.scheduled === "no") this.#entries.delete(key)
    if (this.#drained.length > 0) this.#notifyDrained()
  }

  /** Accepts no more keys and drops the delayed ones; ready keys are still handed out, then next() resolves with undefined. Ends a drain() too. */
  close(): void {
    this.#closed = true
    this.#metrics?.close()
    for (const entry of this.#entries.values()) {
      if (entry.scheduled !== "later") continue
      this.#cancelTimer(entry)
      entry.scheduled = "no"
      if (!entry.processing) this.#entries.delete(entry.key)
    }
    for (const taker of this.#waiters.splice(0)) taker(undefined)
    for (const end of this.#drained.splice(0)) end()
  }

  /** Closes, and resolves when all keys have been processed: a consumer must call next() and done(). */
  drain(): Promise<void> {
    this.close()
    if (this.#processing === 0 && this.#depth === 0) return Promise.resolve()
    return new Promise((resolve) => this.#drained.push(resolve))
  }

  #make(key: string, priority: number): Entry {
    const links = { before: undefined, after: undefined }
    const entry: Entry = {
      key,
      priority,
      scheduled: "no",
      processing: false,
      processingPriority: 0,
      due: 0,
      timer: undefined,
      since: 0,
      ...links,
    }
    this.#entries.set(key, entry)
    return entry
  }

  #raise(entry: Entry, priority: number): void {
    if (priority <= entry.priority) return
    const ready = entry.scheduled === "now" && !entry.processing
    if (ready) this.#ready.remove(entry)
    entry.priority = priority
    if (ready) this.#ready.push(entry)
  }

  #scheduleNow(entry: Entry): void {
    if (entry.scheduled === "now") return
    if (entry.scheduled === "later") this.#cancelTimer(entry)
    entry.scheduled = "now"
    this.#depth++
    if (this.#metrics !== undefined) {
      entry.since = this.#options.clock.elapsed()
      this.#metrics.added(this.#depth)
    }
    if (!entry.processing) this.#dispatch(entry)
  }

  #scheduleLater(entry: Entry, after: number): void {
    if (entry.scheduled === "now") return
    const { clock, name } = this.#options
    const due = clock.elapsed() + after
    if (entry.scheduled === "later" && entry.due <= due) return
    this.#cancelTimer(entry)
    entry.scheduled = "later"
    entry.due = due
    entry.timer = clock.timer(after, `${name}: ${entry.key}`, () => this.#scheduleNow(entry))
  }

  #cancelTimer(entry: Entry): void {
    entry.timer?.[Symbol.dispose]()
    entry.timer = undefined
  }

  /** Hands a key to a waiting caller, or puts it into the ready list. */
  #dispatch(entry: Entry): void {
    const taker = this.#waiters.shift()
    if (taker === undefined) this.#ready.push(entry)
    else taker(this.#begin(entry))
  }

  #begin(entry: Entry): string {
    entry.scheduled = "no"
    entry.processing = true
    entry.processingPriority = entry.priority
    this.#processing++
    this.#depth--
    this.#metrics?.started(entry.key, entry.since, this.#depth)
    return entry.key
  }

  #notifyDrained(): void {
    if (this.#processing > 0 || this.#depth > 0) return
    for (const end of this.#drained.splice(0)) end()
  }
}
