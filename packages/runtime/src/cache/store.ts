import { type KubeObject, keyOf } from "@pilothouse/api"
import { messageOf, PilothouseError } from "@pilothouse/seams"
import { hasReached } from "../watch/resource-version.ts"
import { BuiltIndex } from "./built-index.ts"
import type { Index } from "./index-definition.ts"

export type { Change } from "./change.ts"

/** Read access to a cache. Objects are shared and read-only. */
export interface StoreReader<T extends KubeObject = KubeObject> {
  get(key: string): T | undefined
  list(namespace?: string): readonly T[]
  /** Number of objects that list() returns. */
  count(namespace?: string): number
  keys(): Iterable<string>
  byIndex(index: Index<T>, value: string): readonly T[]
  indexKeys(index: Index<T>, value: string): readonly string[]
  /** All values that have objects. */
  indexValues(index: Index<T>): readonly string[]
  /** The objects that share an index value with this one, each once. */
  alike(index: Index<T>, object: T): readonly T[]
  /** Every change up to this resourceVersion is in the cache. "0" before the first list. */
  readonly resourceVersion: string
  readonly size: number
}

type Values<T> = (object: T) => readonly string[]

/**
 * Objects by key and by the values of indexes, as client-go's Indexer. Only an informer writes it; all others read it as a StoreReader.
 *
 * Invariant: every index has exactly the keys of the objects with each value, and no empty sets.
 * An index whose function throws for an object is not readable until it succeeds for all of them: a controller that reads an index which lacks
 * an object would create that object again. Other indexes are not affected.
 */
export class Store<T extends KubeObject = KubeObject> implements StoreReader<T> {
  readonly #objects = new Map<string, T>()
  /** By the function that gives the values. */
  readonly #indexes = new Map<Values<T>, BuiltIndex>()
  readonly #byNamespace = new BuiltIndex()
  #resourceVersion = "0"

  constructor() {
    this.#indexes.set(namespaceValues, this.#byNamespace)
  }

  get resourceVersion(): string {
    return this.#resourceVersion
  }

  get size(): number {
    return this.#objects.size
  }

  get(key: string): T | undefined {
    return this.#objects.get(key)
  }

  keys(): Iterable<string> {
    return this.#objects.keys()
  }

  list(namespace?: string): readonly T[] {
    return namespace === undefined ? [...this.#objects.values()] : this.#resolve(this.#byNamespace.keysOf(namespace))
  }

  count(namespace?: string): number {
    return namespace === undefined ? this.#objects.size : this.#byNamespace.count(namespace)
  }

  byIndex(index: Index<T>, value: string): readonly T[] {
    return this.#resolve(this.#built(index).keysOf(value))
  }

  indexKeys(index: Index<T>, value: string): readonly string[] {
    return [...(this.#built(index).keysOf(value) ?? [])]
  }

  indexValues(index: Index<T>): readonly string[] {
    return [...this.#built(index).values()]
  }

  alike(index: Index<T>, object: T): readonly T[] {
    const built = this.#built(index)
    const keys = new Set(index.values(object).flatMap((value) => [...(built.keysOf(value) ?? [])]))
    return this.#resolve(keys)
  }

  /** Adds an index, at any time; adding the same one twice has no effect. */
  addIndex(index: Index<T>): void {
    if (this.#indexes.has(index.values)) return
    const built = new BuiltIndex()
    for (const [key, object] of this.#objects) built.place(key, undefined, () => index.values(object))
    this.#indexes.set(index.values, built)
  }

  /** Stores an object and returns the one that it replaces. */
  put(object: T, key: string = keyOf(object)): T | undefined {
    const old = this.#objects.get(key)
    this.#move(key, old, object)
    this.#objects.set(key, object)
    return old
  }

  /** Removes an object and returns it. */
  remove(key: string): T | undefined {
    const old = this.#objects.get(key)
    if (old === undefined) return undefined
    this.#move(key, old, undefined)
    this.#objects.delete(key)
    return old
  }

  /** Sets the resourceVersion that the store has reached. An older one is ignored: events may be delivered twice. */
  reached(resourceVersion: string): void {
    if (!hasReached(this.#resourceVersion, resourceVersion)) this.#resourceVersion = resourceVersion
  }

  /** Sets the resourceVersion of a list, even an older one: a restored server starts again from lower revisions. */
  restartedAt(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion === "" ? "0" : resourceVersion
  }

  #move(key: string, old: T | undefined, object: T | undefined): void {
    for (const [values, built] of this.#indexes) built.place(key, old && (() => values(old)), object && (() => values(object)))
  }

  #built(index: Index<T>): BuiltIndex {
    const built = this.#indexes.get(index.values)
    if (built === undefined) {
      throw new PilothouseError(
        "INVALID",
        `expected the index "${index.name}" to be declared with the controller's indexes; declare it there`,
      )
    }
    if (built.unplaced === undefined) return built
    const [key, cause] = built.unplaced
    const found = `expected the index "${index.name}" to return the values of every object, found that it throws for ${key}: ${messageOf(cause)}`
    throw new PilothouseError("INVALID", `${found}; fix its function`, { cause })
  }

  #resolve(keys: Iterable<string> | undefined): readonly T[] {
    const found: T[] = []
    for (const key of keys ?? []) {
      const object = this.#objects.get(key)
      if (object !== undefined) found.push(object)
    }
    return found
  }
}

function namespaceValues({ metadata }: KubeObject): readonly string[] {
  return [metadata.namespace ?? ""]
}
