import { type Descriptor, type KubeObject, keyOf, resourceNameOf } from "@pilothouse/api"
import { abortable, abortWith, type Clock, type Log, type Metrics, PilothouseError, type Random } from "@pilothouse/seams"
import type { Client } from "../client/client.ts"
import { hasReached } from "../watch/resource-version.ts"
import type { WatchSink } from "../watch/watch-sink.ts"
import { clientSource, type WatchScope } from "../watch/watch-source.ts"
import { Watcher, type WatcherOptions } from "../watch/watcher.ts"
import { applyDeltas } from "./apply-deltas.ts"
import type { Notice } from "./change.ts"
import { DeltaQueue } from "./delta-queue.ts"
import type { Index } from "./index-definition.ts"
import { InformerMetrics } from "./informer-metrics.ts"
import type { ChangeHandler, Registration } from "./listener.ts"
import { type HandlerOptions, Listeners } from "./listeners.ts"
import { Store, type StoreReader } from "./store.ts"
import type { Subscription, SubscriptionOptions } from "./subscription.ts"
import { objectTransform, type TransformOptions } from "./transform.ts"
import { VersionWaiters } from "./version-waiters.ts"

export type { ChangeHandler } from "./listener.ts"

/** Dependencies of an informer, and the objects that it caches. */
export interface InformerOptions<T extends KubeObject>
  extends WatchScope,
    TransformOptions<T>,
    Pick<WatcherOptions<T>, "observe" | "pageSize" | "streams"> {
  readonly of: Descriptor<T>
  readonly client: Pick<Client, "list" | "watch">
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly metrics?: Metrics
  /** Called after 25 ms of changes, which wait for the promise where there is one: one change of an owner enqueues all that it owns. */
  readonly whenFree?: (() => Promise<void> | undefined) | undefined
}

/** Milliseconds of changes until `whenFree` is asked. */
const slice = 25

/** Changes that may wait for a slow subscription before the watcher stops reading. */
const maxQueued = 1000

/** A received resourceVersion, and whether it came with a list. */
interface Arrived {
  readonly version: string
  readonly listed: boolean
}

/**
 * One watch, one store, many handlers: client-go's SharedIndexInformer.
 *
 * Guarantees: a handler receives the changes of an object in order, and the store has that state or a newer one;
 * a handler that is added later first receives everything in the store; a handler that throws does not affect the others;
 * after a list the store changes in one step, and deletions are delivered first.
 *
 * Invariant: everything that was received is in the store and delivered, or waits in the queue because a subscription is full.
 */
export class Informer<T extends KubeObject = KubeObject> {
  readonly #options: InformerOptions<T>
  readonly #name: string
  readonly #store = new Store<T>()
  readonly #queue = new DeltaQueue<T>(this.#store)
  readonly #listeners: Listeners<T>
  readonly #waiters = new VersionWaiters()
  readonly #synced = Promise.withResolvers<void>()
  readonly #metrics: InformerMetrics
  #state: "new" | "running" | "stopped" = "new"
  #hasSynced = false
  /** The newest version that the store has not reached yet. */
  #arrived: Arrived | undefined
  #busy = false
  /** Ends the current watcher; the next one begins with a list. */
  #watch: AbortController | undefined
  #room: PromiseWithResolvers<void> | undefined
  /** Milliseconds that changes have taken since `whenFree` was asked. */
  #used = 0

  constructor(options: InformerOptions<T>) {
    this.#options = options
    this.#name = resourceNameOf(options.of)
    this.#metrics = new InformerMetrics({ ...options, name: this.#name })
    this.#listeners = new Listeners({ ...options, name: this.#name, resync: () => this.#resync(), room: () => this.#resume() })
  }

  /** "pods", "deployments.apps". */
  get name(): string {
    return this.#name
  }

  get store(): StoreReader<T> {
    return this.#store
  }

  get hasSynced(): boolean {
    return this.#hasSynced
  }

  addIndex(index: Index<T>): void {
    this.#store.addIndex(index)
  }

  /** Adds a handler, which receives everything in the store before this returns. */
  addHandler(handler: ChangeHandler<T>, options?: HandlerOptions): Registration {
    this.#refuseWhenStopped()
    const listener = this.#listeners.add(handler, this.#store.list(), options)
    if (this.#hasSynced) listener.markSynced()
    return listener
  }

  /** Returns the changes for a reader that processes asynchronously, beginning with everything in the store; ends with the informer. */
  subscribe(options: SubscriptionOptions = {}): Subscription<T> {
    this.#refuseWhenStopped()
    return this.#listeners.subscribe(this.#store.list(), options)
  }

  /** Resolves when the first complete state is in the store and every handler has received it. A caller that waits for several passes the signal to none of them and races once. */
  synced(signal?: AbortSignal): Promise<void> {
    return abortable(this.#synced.promise, signal)
  }

  /** Resolves when the store has reached this resourceVersion. */
  async reached(resourceVersion: string, signal: AbortSignal): Promise<void> {
    if (hasReached(this.#store.resourceVersion, resourceVersion)) return
    using _ignoring = this.ignorePauses()
    // Ignoring pauses applies waiting changes, which may include this version.
    if (!hasReached(this.#store.resourceVersion, resourceVersion)) await this.#waiters.wait(resourceVersion, signal)
  }

  /** Applies no changes until disposed: for a handler that has no room. */
  pause(): Disposable {
    return this.#listeners.pause()
  }

  /** Suspends pauses until disposed: for a caller that waits for a change, which the part that paused may be waiting for, too. */
  ignorePauses(): Disposable {
    return this.#listeners.ignorePauses()
  }

  /** Ends the current watch and lists again: for a caller that found an event missing. Handlers receive the difference. */
  relist(): void {
    this.#watch?.abort()
  }

  /** Watches until the signal aborts. May be called once. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#state !== "new") {
      throw new PilothouseError(
        "INVALID",
        `expected the informer of ${this.#name} to be run once, found it ${this.#state}; make another one`,
      )
    }
    this.#state = "running"
    const { client, of, namespace, labelSelector, fieldSelector, metadataOnly, form, dropManagedFields = true } = this.#options
    const scope = { namespace, labelSelector, fieldSelector, metadataOnly, skipManagedFields: dropManagedFields, form }
    const source = clientSource(client, of, scope)
    const transform = objectTransform(of, this.#options)
    this.#listeners.start()
    try {
      while (!signal.aborted) {
        this.#watch = new AbortController()
        using _ = abortWith(this.#watch, signal)
        await new Watcher({ ...this.#options, source, sink: this.#sink(signal), transform }).run(this.#watch.signal)
      }
    } finally {
      this.#state = "stopped"
      this.#listeners.end()
      // The store advances no further: waiting callers are released.
      this.#waiters.releaseAll()
    }
  }

  #sink(signal: AbortSignal): WatchSink<T> {
    return {
      replace: (objects, version) => {
        const known = this.#arrived?.version ?? this.#store.resourceVersion
        this.#queue.replace(objects, { wentBack: !hasReached(version, known) })
        this.#arrive(version, true)
      },
      upsert: (object, version) => {
        // Computed once: a key is a new string each time, and hashing it costs more than the rest of this line.
        const key = keyOf(object)
        if (this.#store.get(key) === undefined) this.#queue.add(object, key)
        else this.#queue.update(object, key)
        this.#arrive(version, false)
      },
      remove: (object, version) => {
        this.#queue.delete(object)
        this.#arrive(version, false)
      },
      reached: (version) => this.#arrive(version, false),
      room: () => {
        if (!this.#listeners.isFull || this.#queue.size < maxQueued) return this.#turn()
        this.#room ??= Promise.withResolvers()
        return abortable(this.#room.promise, signal).catch(() => {})
      },
    }
  }

  #arrive(version: string, listed: boolean): void {
    this.#arrived = { version, listed: listed || this.#arrived?.listed === true }
    const { clock } = this.#options
    const began = clock.elapsed()
    this.#process()
    this.#used += clock.elapsed() - began
  }

  #turn(): Promise<void> | undefined {
    if (this.#used < slice) return undefined
    this.#used = 0
    return this.#options.whenFree?.()
  }

  /** Applies everything that waits to the store and notifies the listeners. A full subscription delays all of it, the version too. */
  #process(): void {
    this.#metrics.queued(this.#queue.size)
    // A handler may call back into this; what it adds is applied by the outer call.
    if (this.#busy) return
    this.#busy = true
    try {
      while (!this.#listeners.isFull && (this.#queue.size > 0 || this.#arrived !== undefined)) this.#processAll()
    } finally {
      this.#busy = false
    }
  }

  #processAll(): void {
    const since = this.#options.clock.elapsed()
    const arrived = this.#arrived
    const notices: Notice<T>[] = []
    try {
      for (let deltas = this.#queue.pop(); deltas !== undefined; deltas = this.#queue.pop()) applyDeltas(this.#store, deltas, notices)
      this.#arrived = undefined
      if (arrived !== undefined) this.#advanceTo(arrived)
    } finally {
      // What is in the store is delivered, even where an index function threw before the rest was applied.
      this.#listeners.notify(notices)
    }
    if (arrived?.listed && !this.#hasSynced) this.#markSynced()
    this.#waiters.reached(this.#store.resourceVersion)
    this.#metrics.batchProcessed(since, notices.length, this.#store.resourceVersion)
  }

  #advanceTo({ version, listed }: Arrived): void {
    const wentBack = listed && !hasReached(version, this.#store.resourceVersion)
    if (listed) this.#store.restartedAt(version)
    else this.#store.reached(version)
    if (wentBack) this.#waiters.releaseAll()
  }

  #markSynced(): void {
    this.#hasSynced = true
    this.#listeners.markSynced()
    this.#synced.resolve()
  }

  #resync(): void {
    this.#queue.resync()
    this.#process()
  }

  #resume(): void {
    this.#process()
    this.#room?.resolve()
    this.#room = undefined
  }

  #refuseWhenStopped(): void {
    if (this.#state !== "stopped") return
    throw new PilothouseError(
      "INVALID",
      `expected the informer of ${this.#name} to be new or running, found it stopped; it delivers no more changes`,
    )
  }
}
