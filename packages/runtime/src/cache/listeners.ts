import type { KubeObject } from "@pilothouse/api"
import type { Clock, Duration, Log } from "@pilothouse/seams"
import type { Notice } from "./change.ts"
import { type ChangeHandler, Listener, type Registration } from "./listener.ts"
import { ResyncTimers } from "./resync-timers.ts"
import { Subscription, type SubscriptionOptions } from "./subscription.ts"

/** How a handler of an informer is told. */
export interface HandlerOptions {
  /** Tells the handler about every object again after each such time, from the store: nothing is asked of the server. At least 1 s. */
  readonly resync?: Duration
  /** Who listens, for the log. */
  readonly name?: string
}

export interface ListenersOptions {
  readonly name: string
  readonly clock: Clock
  readonly log: Log
  /** The resync time of some handler has come. */
  resync(): void
  /** There is room again after a subscription was full. */
  room(): void
}

/**
 * Everybody whom an informer tells.
 *
 * Always true between calls: whoever is in here was told the same changes since it came, in the same order;
 * a subscription is in #full, and whoever holds in #held, exactly while the informer has to wait for it, unless somebody lifts the holds.
 */
export class Listeners<T extends KubeObject> {
  readonly #options: ListenersOptions
  readonly #listeners = new Set<Listener<T>>()
  readonly #subscriptions = new Set<Subscription<T>>()
  readonly #full = new Set<object>()
  readonly #paused = new Set<object>()
  /** How many wait for what comes: while there are some, #held does not count. */
  #overrides = 0
  readonly #resyncTimers: ResyncTimers

  constructor(options: ListenersOptions) {
    this.#options = options
    this.#resyncTimers = new ResyncTimers(options.clock, options.name)
  }

  /** Somebody asked to be waited for, and has no room. */
  get isFull(): boolean {
    return this.#full.size > 0 || (this.#paused.size > 0 && this.#overrides === 0)
  }

  /** Adds a handler and tells it what is there. */
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

  /** Somebody has no room, until disposed. */
  pause(): Disposable {
    const paused = { [Symbol.dispose]: () => this.#change(() => this.#paused.delete(paused)) }
    this.#paused.add(paused)
    return paused
  }

  /** Nobody's hold counts until disposed: somebody waits for a change that has to come, and who holds may be waiting for that somebody. */
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

  /** Whoever is added while this goes on was told the store as it is now, and must not be told the way there. */
  notify(notices: readonly Notice<T>[]): void {
    if (notices.length === 0) return
    const listeners = [...this.#listeners]
    for (const notice of notices) for (const listener of listeners) listener.notify(notice)
  }

  /** The first complete state was told. */
  markSynced(): void {
    for (const listener of this.#listeners) listener.markSynced()
  }

  start(): void {
    this.#resyncTimers.start()
  }

  /** Nothing more will be told. */
  end(): void {
    this.#resyncTimers.stop()
    for (const subscription of this.#subscriptions) subscription.end()
  }

  #resync(listener: Listener<T>): void {
    listener.resyncDue = true
    this.#options.resync()
    // Behind a full subscription the reminders wait with everything else; they are told when their turn comes.
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
