import type { Descriptor, KubeObject } from "@pilothouse/api"
import { splitKey } from "@pilothouse/api"
import { type Chain, type ChainHandler, type HandlerChains, type Index, Informer, type WireForm } from "@pilothouse/runtime"
import { milliseconds } from "@pilothouse/seams"
import type { KubeRegistryOptions } from "../convert/options.ts"
import type { RegistryMetrics } from "./registry-metrics.ts"

/** The kind and the namespaces that are watched. */
export interface MultiNamespaceInformerOptions<T extends KubeObject> {
  readonly of: Descriptor<T>
  /** "Services", as the metric pilot_k8s_reg_events names it. */
  readonly kind: string
  /** Whether an update changes nothing that the registry looks at. */
  readonly equal: (old: T, object: T) => boolean
  readonly indexes?: readonly Index<T>[]
  /** What to keep of each object from the wire. */
  readonly transform?: (object: T) => T
  /** Their encoding over the wire; by default JSON. */
  readonly form?: WireForm
  /** One namespace in spite of the watched ones; "" is all. */
  readonly namespace?: string
  readonly fieldSelector?: string
}

/**
 * One kind of objects of a cluster: an informer for each watched namespace, or one for all.
 *
 * Always true: an object is in the informer of its namespace, or in the only one.
 */
export class MultiNamespaceInformer<T extends KubeObject> {
  readonly #informers: ReadonlyMap<string, Informer<T>>
  readonly #options: MultiNamespaceInformerOptions<T>
  readonly #registry: KubeRegistryOptions
  readonly #chains = new Map<string, Chain<T>>()

  constructor(registry: KubeRegistryOptions, options: MultiNamespaceInformerOptions<T>) {
    const { of, fieldSelector, transform, form, indexes = [] } = options
    const watched = options.namespace === undefined && of.namespaced ? (registry.namespaces ?? []) : [options.namespace ?? ""]
    this.#options = options
    this.#registry = registry
    const made = (watched.length === 0 ? [""] : watched).map((namespace) => {
      // Not streamed: a server makes a list in half the time, and reading it takes less than reading as many events.
      const from = { of, fieldSelector, form, namespace: namespace || undefined, streams: false }
      const informer = new Informer<T>({ ...seamsOf(registry), ...from, transform })
      for (const index of indexes) informer.addIndex(index)
      return [namespace, informer] as const
    })
    this.#informers = new Map(made)
  }

  get of(): Descriptor<T> {
    return this.#options.of
  }

  get fieldSelector(): string | undefined {
    return this.#options.fieldSelector
  }

  get informers(): ReadonlyMap<string, Informer<T>> {
    return this.#informers
  }

  get size(): number {
    return this.#all().reduce((sum, { store }) => sum + store.size, 0)
  }

  get(key: string): T | undefined {
    return this.#of(splitKey(key).namespace)?.store.get(key)
  }

  inNamespace(namespace: string): readonly T[] {
    return this.#of(namespace)?.store.list(namespace) ?? []
  }

  keys(): readonly string[] {
    return this.#all().flatMap(({ store }) => [...store.keys()])
  }

  keysBy(index: Index<T>, value: string): readonly string[] {
    return this.#all().flatMap(({ store }) => store.indexKeys(index, value))
  }

  /** Sends every change through a handler, behind those of the kinds before it. */
  handle(chains: HandlerChains, handler: ChainHandler<T>, metrics: RegistryMetrics): void {
    const { kind, equal } = this.#options
    const { resync } = this.#registry
    const options = {
      kind,
      equal,
      onEvent: metrics.counterOf(kind),
      handlers: [handler],
      resync: resync === undefined ? undefined : milliseconds(resync),
    }
    for (const [namespace, informer] of this.#informers) this.#chains.set(namespace, chains.chain(informer, options))
  }

  /** Sends one object through the handler once more. */
  again(key: string): void {
    this.#chainOf(key)?.requeue(key)
  }

  /** Whether its handler has not received an object yet, or failed and is retried later. */
  isWaiting(key: string): boolean {
    return this.#chainOf(key)?.task(key) !== undefined
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#all().map((informer) => informer.run(signal)))
  }

  async synced(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#all().map((informer) => informer.synced(signal)))
  }

  #chainOf(key: string): Chain<T> | undefined {
    const { namespace = "" } = splitKey(key)
    return this.#chains.get(namespace) ?? this.#chains.get("")
  }

  #of(namespace = ""): Informer<T> | undefined {
    return this.#informers.get(namespace) ?? this.#informers.get("")
  }

  #all(): readonly Informer<T>[] {
    return [...this.#informers.values()]
  }
}

function seamsOf({ client, clock, random, log, metrics }: KubeRegistryOptions) {
  return { client, clock, random, log, metrics }
}
