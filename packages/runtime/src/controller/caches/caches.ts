import type { Descriptor, KubeObject } from "@pilothouse/api"
import type { Informer } from "../../cache/informer.ts"
import type { InformerScope, Informers } from "../../cache/informers.ts"
import { declaredKind } from "./declared-kind.ts"
import type { DynamicInformers, HandlersFor } from "./dynamic-informers.ts"
import type { DynamicKind } from "./dynamic-kinds.ts"

/**
 * The caches of one controller: those of the kinds it declares, and those of its dynamic kinds.
 * Invariant: #found has only caches of declared kinds, #foreign only descriptors of others.
 */
export class Caches {
  readonly #informers: Informers
  readonly #declared: readonly Descriptor[]
  readonly #dynamicInformers: DynamicInformers | undefined
  /** By the descriptor of the read: every read of a cache passes here. Weak: each discovery creates new descriptors. */
  readonly #found = new WeakMap<Descriptor, Informer>()
  readonly #foreign = new WeakSet<Descriptor>()

  constructor(informers: Informers, declared: readonly Descriptor[], dynamicInformers?: DynamicInformers) {
    this.#informers = informers
    this.#declared = declared
    this.#dynamicInformers = dynamicInformers
  }

  /** True when it may read kinds that are not discovered yet. */
  get isDynamic(): boolean {
    return this.#dynamicInformers !== undefined
  }

  /** Returns the cache of a kind, or undefined. */
  of<T extends KubeObject>(of: Descriptor<T>): Informer<T> | undefined {
    const found = this.#found.get(of) ?? this.#declaredCache(of) ?? this.#dynamicInformers?.find(of)?.informer
    // The map holds informers of many types; the descriptor is what ties one to its type.
    return found as unknown as Informer<T> | undefined
  }

  #declaredCache(of: Descriptor): Informer | undefined {
    if (this.#foreign.has(of)) return undefined
    const declared = declaredKind(this.#declared, of)
    if (declared === undefined) {
      this.#foreign.add(of)
      return undefined
    }
    const informer = this.#informers.of(declared)
    this.#found.set(of, informer)
    return informer
  }

  /** Returns the descriptor of a kind in this controller where its cache will show writes; otherwise undefined. */
  known(of: Descriptor): Descriptor | undefined {
    const dynamic = this.#dynamicInformers?.find(of)
    return declaredKind(this.#declared, of) ?? (dynamic?.hasSynced ? dynamic.of : undefined)
  }

  /** Returns which objects of the kind are cached. */
  scopeOf(of: Descriptor): InformerScope {
    return this.#informers.scopeOf(of)
  }

  kinds(): readonly DynamicKind[] {
    return this.#dynamicInformers?.kinds() ?? []
  }

  /** Adds handlers to every cache, including those of kinds that are discovered later. */
  addHandlers(handlersFor: HandlersFor): void {
    for (const of of this.#declared) for (const handler of handlersFor(of)) this.#informers.of(of).addHandler(handler)
    this.#dynamicInformers?.addHandlers(handlersFor)
  }
}
