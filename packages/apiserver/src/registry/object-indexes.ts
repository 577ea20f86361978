import type { Descriptor, KubeObject } from "@pilothouse/api"
import { onAbort } from "@pilothouse/seams"
import type { Storage } from "../storage/storage.ts"
import { listPrefix } from "./object-key.ts"
import type { Registry } from "./registry.ts"

/** What is made of all stored objects of some kinds, such as the webhooks of all configurations. */
export interface ObjectIndex<T> {
  readonly kinds: readonly Descriptor[]
  /** `lists` has the stored objects of each kind, by name. */
  readonly read: (lists: readonly (readonly KubeObject[])[]) => T
}

/**
 * The indexes of one server. Each is made when it is first needed, and again when one of its objects has changed; nothing of it is left when the server
 * has closed.
 *
 * Invariant: what is in `#made` is what the stored objects say.
 */
export class ObjectIndexes {
  readonly #storage: Storage
  readonly #registry: Registry
  readonly #watches = new DisposableStack()
  readonly #followed = new Set<ObjectIndex<unknown>>()
  readonly #made = new Map<ObjectIndex<unknown>, unknown>()

  constructor({ storage, registry }: { readonly storage: Storage; readonly registry: Registry }, closing: AbortSignal) {
    this.#storage = storage
    this.#registry = registry
    onAbort(closing, () => this.#watches.dispose())
  }

  get<T>(index: ObjectIndex<T>): T {
    if (this.#made.has(index)) return this.#made.get(index) as T
    const prefixes = index.kinds.map((kind) => listPrefix(this.#registry.served(kind), undefined))
    const made = index.read(prefixes.map((prefix) => this.#storage.list(prefix).items.map(({ value }) => value)))
    if (this.#watches.disposed) return made
    if (!this.#followed.has(index)) this.#follow(index, prefixes)
    this.#made.set(index, made)
    return made
  }

  #follow(index: ObjectIndex<unknown>, prefixes: readonly string[]): void {
    this.#followed.add(index)
    for (const prefix of prefixes) {
      this.#watches.use(this.#storage.watch(prefix, this.#storage.revision, () => void this.#made.delete(index)))
    }
  }
}
