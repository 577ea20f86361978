import { apiVersionOf, type Descriptor, type KubeObject } from "@pilothouse/api"
import type { Clock, Log, Metrics, Random } from "@pilothouse/seams"
import type { Client } from "../client/client.ts"
import type { WatchScope } from "../watch/watch-source.ts"
import { Informer } from "./informer.ts"
import { Interner } from "./interning.ts"

export interface InformersOptions {
  readonly client: Pick<Client, "list" | "watch">
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly metrics?: Metrics
  /** False never asks for streaming lists. */
  readonly streams?: boolean
  /** Freeze what comes over the wire, so that a test that changes a cached object fails where it does. */
  readonly freeze?: boolean
}

/** Which part of a resource, and how much of its objects. */
export interface InformerScope extends WatchScope {
  readonly metadataOnly?: boolean
}

/**
 * One informer per resource and scope, shared by everybody who asks.
 *
 * Always true between calls: while run() is under way, every informer that was asked for runs.
 */
export class Informers {
  readonly #options: InformersOptions
  readonly #interner = new Interner()
  readonly #informers = new Map<string, Informer>()
  readonly #running: Promise<void>[] = []
  #signal: AbortSignal | undefined

  constructor(options: InformersOptions) {
    this.#options = options
  }

  of<T extends KubeObject>(descriptor: Descriptor<T>, scope: InformerScope = {}): Informer<T> {
    const { namespace = "", labelSelector = "", fieldSelector = "", metadataOnly = false } = scope
    const name = [apiVersionOf(descriptor), descriptor.plural, namespace, labelSelector, fieldSelector, metadataOnly].join(" ")
    const known = this.#informers.get(name)
    // The map holds informers of many types; the descriptor is what ties one to its type.
    if (known !== undefined) return known as unknown as Informer<T>
    const made = new Informer<T>({ ...this.#options, ...scope, of: descriptor, interner: this.#interner })
    this.#informers.set(name, made as unknown as Informer)
    if (this.#signal !== undefined) this.#running.push(made.run(this.#signal))
    return made
  }

  get hasSynced(): boolean {
    return [...this.#informers.values()].every((informer) => informer.hasSynced)
  }

  /** The names of the resources whose cache is not full yet. */
  get notSynced(): readonly string[] {
    const missing = [...this.#informers.values()].filter((informer) => !informer.hasSynced)
    return [...new Set(missing.map(({ name }) => name))]
  }

  /** Runs all that were asked for, and all that will be; ends when the signal does. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal
    for (const informer of this.#informers.values()) this.#running.push(informer.run(signal))
    // One that is asked for while these end is in the list by then.
    for (const running of this.#running) await running
    if (this.#running.length === 0 && !signal.aborted) await untilAborted(signal)
  }

  async synced(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#informers.values()].map((informer) => informer.synced(signal)))
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true })
  })
}
