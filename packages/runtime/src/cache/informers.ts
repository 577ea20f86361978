import { apiVersionOf, type Descriptor, type KubeObject } from "@pilothouse/api"
import { abortable, abortWith, type Clock, type Log, type Metrics, type Random } from "@pilothouse/seams"
import type { Client } from "../client/client.ts"
import type { WatchScope } from "../watch/watch-source.ts"
import { Informer, type InformerOptions } from "./informer.ts"
import { Interner } from "./interning.ts"

/** Dependencies that all informers of a program share. */
export interface InformersOptions {
  readonly client: Pick<Client, "list" | "watch">
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly metrics?: Metrics
  /** The objects of a kind that are cached where no scope is given; all by default. */
  readonly scopeOf?: (of: Descriptor) => InformerScope
  /** False never asks for streaming lists. */
  readonly streams?: boolean
  /** Freezes what comes over the wire, so that a test that changes a cached object fails where it does. */
  readonly freeze?: boolean
  /** Of every informer. */
  readonly whenFree?: InformerOptions<KubeObject>["whenFree"]
}

/** Which objects of a resource are cached, and which part of them. */
export type InformerScope = WatchScope

/** A reference to an informer. The last one to be disposed stops the informer, unless it is permanent. */
export interface BorrowedInformer extends Disposable {
  readonly informer: Informer
}

interface Entry {
  readonly informer: Informer
  /** Requested with of(): runs as long as all informers do. */
  permanent: boolean
  shares: number
  /** While it runs. */
  stop?: AbortController
}

/**
 * One informer per resource and scope, shared by all controllers: client-go's SharedInformerFactory.
 *
 * Invariant: during run() every permanent or borrowed informer runs, and no other.
 */
export class Informers {
  readonly #options: InformersOptions
  readonly #interner = new Interner()
  readonly #entries = new Map<string, Entry>()
  /** Informers without an explicit scope, by descriptor: controllers request them often, and an entry name is a new string each time. */
  readonly #byDescriptor = new WeakMap<Descriptor, Informer>()
  readonly #running = new Set<Promise<void>>()
  readonly #broken = Promise.withResolvers<never>()
  #signal: AbortSignal | undefined

  constructor(options: InformersOptions) {
    this.#options = options
  }

  /** Returns the permanent informer of a kind: it runs as long as all do, and hasSynced waits for it. */
  of<T extends KubeObject>(descriptor: Descriptor<T>, scope?: InformerScope): Informer<T> {
    const informer = scope === undefined ? this.#defaultOf(descriptor) : this.#addPermanent(descriptor, scope)
    // The maps hold informers of many types; the descriptor is what ties one to its type.
    return informer as unknown as Informer<T>
  }

  /** For a kind that may be removed again. hasSynced does not wait for it; a request for metadata only shares an informer of whole objects where there is one. */
  borrow(descriptor: Descriptor, scope: InformerScope = {}): BorrowedInformer {
    const requested = { ...this.scopeOf(descriptor), ...scope }
    const whole = { ...requested, metadataOnly: false }
    const entry = this.#entries.get(entryName(descriptor, whole)) ?? this.#entry(descriptor, requested)
    entry.shares++
    return { informer: entry.informer, [Symbol.dispose]: () => this.#release(entry) }
  }

  /** Returns which objects of a kind are cached by default. */
  scopeOf(descriptor: Descriptor): InformerScope {
    return this.#options.scopeOf?.(descriptor) ?? {}
  }

  get hasSynced(): boolean {
    return this.#permanent().every((informer) => informer.hasSynced)
  }

  /** The names of the resources whose cache is not full yet. */
  get notSynced(): readonly string[] {
    const missing = this.#permanent().filter((informer) => !informer.hasSynced)
    return [...new Set(missing.map(({ name }) => name))]
  }

  /** Runs all informers, including those added later; ends when the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal
    for (const entry of this.#entries.values()) this.#start(entry, signal)
    await Promise.race([untilAborted(signal), this.#broken.promise])
    await Promise.all(this.#running)
  }

  async synced(signal: AbortSignal): Promise<void> {
    await abortable(Promise.all(this.#permanent().map((informer) => informer.synced())), signal)
  }

  #defaultOf(descriptor: Descriptor): Informer {
    const known = this.#byDescriptor.get(descriptor)
    if (known !== undefined) return known
    const informer = this.#addPermanent(descriptor, this.scopeOf(descriptor))
    this.#byDescriptor.set(descriptor, informer)
    return informer
  }

  #addPermanent(descriptor: Descriptor, scope: InformerScope): Informer {
    const entry = this.#entry(descriptor, scope)
    entry.permanent = true
    return entry.informer
  }

  #permanent(): readonly Informer[] {
    return [...this.#entries.values()].filter(({ permanent }) => permanent).map(({ informer }) => informer)
  }

  #entry<T extends KubeObject>(descriptor: Descriptor<T>, scope: InformerScope): Entry {
    const name = entryName(descriptor, scope)
    const known = this.#entries.get(name)
    if (known !== undefined) return known
    const informer = new Informer<T>({ ...this.#options, ...scope, of: descriptor, interner: this.#interner }) as unknown as Informer
    const entry: Entry = { informer, permanent: false, shares: 0 }
    this.#entries.set(name, entry)
    if (this.#signal !== undefined) this.#start(entry, this.#signal)
    return entry
  }

  #release(entry: Entry): void {
    entry.shares--
    if (entry.permanent || entry.shares > 0) return
    for (const [name, known] of this.#entries) if (known === entry) this.#entries.delete(name)
    entry.stop?.abort()
  }

  #start(entry: Entry, signal: AbortSignal): void {
    const stop = new AbortController()
    entry.stop = stop
    const following = abortWith(stop, signal)
    const running = entry.informer.run(stop.signal).finally(() => following[Symbol.dispose]())
    this.#running.add(running)
    running.then(() => this.#running.delete(running), this.#broken.reject)
  }
}

function entryName(descriptor: Descriptor, scope: InformerScope): string {
  const { namespace = "", labelSelector = "", fieldSelector = "", metadataOnly = false } = scope
  return [apiVersionOf(descriptor), descriptor.plural, namespace, labelSelector, fieldSelector, metadataOnly].join(" ")
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true })
  })
}
