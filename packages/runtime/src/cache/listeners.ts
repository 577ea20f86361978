import type { KubeObject } from "@pilothouse/api"
import { type Clock, type Duration, type Log, milliseconds } from "@pilothouse/seams"
import type { Notice } from "./change.ts"
import { type ChangeHandler, Listener, type Registration } from "./listener.ts"
import { Subscription, type SubscriptionOptions } from "./subscription.ts"

const minInterval = 1000

/** Options of a handler of an informer. */
export interface HandlerOptions {
  /** The resyncPeriod of client-go: notifies the handler of every object again at this interval, from the store. No request is sent. At least 1 s. */
  readonly resync?: Duration
  /** Name of the handler, for the log. */
  readonly name?: string
}

export interface ListenersOptions {
  readonly name: string
  readonly clock: Clock
  readonly log: Log
  /** Called when the resync of a handler is due. */
  resync(): void
  /** Called when there is room again after a subscription was full. */
  room(): void
}

/**
 * The listeners and subscriptions of an informer.
 *
 * Invariant: every listener has received the same changes since it was added, in the same order;
 * a subscription is in #full, and a pause in #paused, exactly while the informer has to wait for it; overrides suspend the pauses.
 */
export class Listeners<T extends KubeObject> {
  readonly #options: ListenersOptions
  readonly #listeners = new Set<Listener<T>>()
  readonly #subscriptions = new Set<Subscription<T>>()
  readonly #full = new Set<object>()
  readonly #paused = new Set<object>()
  /** Callers that wait for a change: while there are any, #paused does not count. */
  #overrides = 0
  readonly #resyncTimers: ResyncTimers

  constructor(options: ListenersOptions) {
    this.#options = options
    this.#resyncTimers = new ResyncTimers(options.clock, options.name)
  }

  /** True while a subscription that the informer waits for is full, or a pause is in effect. */
  get isFull(): boolean {
    return this.#full.size > 0 || (this.#paused.size > 0 && this.#overrides === 0)
  }

  /** Adds a handler and notifies it of the present objects. */
  add(handler: ChangeHandler<T>, present: readonly T[], options: HandlerOptions = {}): Listener<T> & Registration {
    const remove = () => {
      this.#listeners.delete(listener)
      this.#resyncTimers.remove(listener)
    }
    const listener = new Listener(handler, { name: options.name ?? this.#options.name, log: this.#options.log, remove })
    this.#listeners.add(listener)
    if (options.resync !== undefined) this.#resyncTimers.add(listener, options.resync, () => this.#resync(listener))
    for (const object of present) listener.notify({ change: { type: "added", object }, initial: true })
    return listener
  }

  subscribe(present: readonly T[], options: SubscriptionOptions): Subscription<T> {
    const subscription: Subscription<T> = new Subscription<T>(options, {
      full: (full) => this.#setFull(subscription, full),
      end: () => {
        listener[Symbol.dispose]()
        this.#subscriptions.delete(subscription)
      },
    })
    this.#subscriptions.add(subscription)
    const listener = this.add((change, initial) => subscription.push({ change, initial }), present, options)
    return subscription
  }

  /** Stops delivery until disposed. */
  pause(): Disposable {
    const paused = { [Symbol.dispose]: () => this.#change(() => this.#paused.delete(paused)) }
    this.#paused.add(paused)
    return paused
  }

  /** Suspends all pauses until disposed: a caller waits for a change, and the part that paused may be waiting for that caller. */
  ignorePauses(): Disposable {
    this.#change(() => this.#overrides++)
    let active = true
    return {
      [Symbol.dispose]: () => {
        if (active) this.#overrides--
        active = false
      },
    }
  }

  /** A listener that is added during this call has seen the store as it is now, and does not receive these notices. */
  notify(notices: readonly Notice<T>[]): void {
    if (notices.length === 0) return
    const listeners = [...this.#listeners]
    for (const notice of notices) for (const listener of listeners) listener.notify(notice)
  }

  /** Called when the first complete state has been delivered. */
  markSynced(): void {
    for (const listener of this.#listeners) listener.markSynced()
  }

  start(): void {
    this.#resyncTimers.start()
  }

  /** Ends all subscriptions; no more notices follow. */
  end(): void {
    this.#resyncTimers.stop()
    for (const subscription of this.#subscriptions) subscription.end()
  }

  #resync(listener: Listener<T>): void {
    listener.resyncDue = true
    this.#options.resync()
    // Behind a full subscription resync notices wait with all others and are delivered in order.
    if (!this.isFull) listener.resyncDue = false
  }

  #setFull(subscription: object, full: boolean): void {
    if (full) this.#full.add(subscription)
    else this.#change(() => this.#full.delete(subscription))
  }

  #change(change: () => void): void {
    const before = this.isFull
    change()
    if (before && !this.isFull) this.#options.room()
  }
}

interface Resync {
  readonly every: number
  readonly fire: () => void
  timer: Disposable | undefined
}

/**
 * The resync timers of handlers.
 *
 * Invariant: while started, every entry has one timer; otherwise none has.
 */
class ResyncTimers {
  readonly #clock: Clock
  readonly #name: string
  readonly #resyncs = new Map<object, Resync>()
  #started = false

  constructor(clock: Clock, name: string) {
    this.#clock = clock
    this.#name = name
  }

  add(listener: object, every: Duration, fire: () => void): void {
    const resync: Resync = { every: Math.max(milliseconds(every), minInterval), fire, timer: undefined }
    this.#resyncs.set(listener, resync)
    if (this.#started) this.#arm(resync)
  }

  remove(listener: object): void {
    this.#resyncs.get(listener)?.timer?.[Symbol.dispose]()
    this.#resyncs.delete(listener)
  }

  start(): void {
    this.#started = true
    for (const resync of this.#resyncs.values()) this.#arm(resync)
  }

  stop(): void {
    this.#started = false
    for (const resync of this.#resyncs.values()) {
      resync.timer?.[Symbol.dispose]()
      resync.timer = undefined
    }
  }

  #arm(resync: Resync): void {
    resync.timer = this.#clock.timer(resync.every, `${this.#name}: resync`, () => {
      this.#arm(resync)
      resync.fire()
    })
  }
}
