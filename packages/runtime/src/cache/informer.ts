import { type Descriptor, type KubeObject, keyOf, resourceNameOf } from "@pilothouse/api"
import { abortable, abortWith, type Clock, type Log, type Metrics, PilothouseError, type Random } from "@pilothouse/seams"
import type { Client } from "../client/client.ts"
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
import { hasReached } from "./resource-version.ts"
import { Store, type StoreReader } from "./store.ts"
import type { Subscription, SubscriptionOptions } from "./subscription.ts"
import { objectTransform, type TransformOptions } from "./transform.ts"
import { VersionWaiters } from "./version-waiters.ts"

export type { ChangeHandler } from "./listener.ts"

/** What an informer needs, and which objects it holds. */
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
}

/** So many changes may wait for a slow subscription; then the watcher reads no more. */
const maxQueued = 1000

/** A resourceVersion that has come, and whether a list came with it. */
interface Arrived {
  readonly version: string
  readonly listed: boolean
}

/**
 * One watch, one store, many handlers.
 *
 * Promises: a handler sees the changes of an object in the order they happened, and finds in the store what it was told or something newer;
 * a handler added late is first told everything the store has; a handler that throws does not disturb the others;
 * after a list the store changes in one step, and deletions are told first.
 *
 * Always true between calls: everything that has come is in the store and told, or waits in the queue because a subscription is full.
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
  /** The newest version that the store is not at yet. */
  #arrived: Arrived | undefined
  #busy = false
  /** Ends the watcher that runs; the next one begins with a list. */
  #watch: AbortController | undefined
  #room: PromiseWithResolvers<void> | undefined

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

  /** The handler is told everything the store has before this returns. */
  addHandler(handler: ChangeHandler<T>, options?: HandlerOptions): Registration {
    this.#refuseWhenStopped()
    const listener = this.#listeners.add(handler, this.#store.list(), options)
    if (this.#hasSynced) listener.markSynced()
    return listener
  }

  /** The changes for a reader that takes its time; ends with the informer. The reader is told everything the store has first. */
  subscribe(options: SubscriptionOptions = {}): Subscription<T> {
    this.#refuseWhenStopped()
    return this.#listeners.subscribe(this.#store.list(), options)
  }

  /** Ends when the first complete state is in the store and every handler was told. Who waits for several gives none a signal, and listens to it once. */
  synced(signal?: AbortSignal): Promise<void> {
    return abortable(this.#synced.promise, signal)
  }

  /** Ends when the store has come to this resourceVersion. */
  async reached(resourceVersion: string, signal: AbortSignal): Promise<void> {
    if (hasReached(this.#store.resourceVersion, resourceVersion)) return
    using _ignoring = this.ignorePauses()
    // Lifting brings in what waited, perhaps this.
    if (!hasReached(this.#store.resourceVersion, resourceVersion)) await this.#waiters.wait(resourceVersion, signal)
  }

  /** Nothing more is taken in until it is disposed: for a handler that has no room. */
  pause(): Disposable {
    return this.#listeners.pause()
  }

  /** Holds do not count until it is disposed: for whoever waits for a change. Who holds may be waiting for the same, and would wait for ever. */
  ignorePauses(): Disposable {
    return this.#listeners.ignorePauses()
  }

  /** Ends the watch under way and asks for the whole state again: for whoever found that an event was missed. Handlers are told the difference. */
  relist(): void {
    this.#watch?.abort()
  }

  /** Watches until the signal ends it. Once only. */
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
      // It comes no further: who waits for that has to look elsewhere.
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
        // Made once: a key is a new string each time, and hashing it costs more than the rest of this line.
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
        if (!this.#listeners.isFull || this.#queue.size < maxQueued) return undefined
        this.#room ??= Promise.withResolvers()
        return abortable(this.#room.promise, signal).catch(() => {})
      },
    }
  }

  #arrive(version: string, listed: boolean): void {
    this.#arrived = { version, listed: listed || this.#arrived?.listed === true }
    this.#process()
  }

  /** Brings everything that waits into the store, and tells it. A full subscription holds all of it up; the version then stays behind too. */
  #process(): void {
    this.#metrics.queued(this.#queue.size)
    // A handler may lead back here; what it brings is taken in by the loop that called it.
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
      // What is in the store is told, even where an index function stopped the rest from getting there.
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
      `expected the informer of ${this.#name} to be new or running, found it stopped; it tells nothing any more`,
    )
  }
}
