import type { JsonObject } from "./json-value.ts"
import { PatchError } from "./patch-error.ts"

/**
 * An object being changed without touching the one it came from.
 * Between calls: `#copy` is undefined as long as nothing differs from `#base`, and holds every change from then on.
 */
export class ObjectDraft {
  readonly #base: JsonObject
  #copy: Record<string, unknown> | undefined
  #removed = false

  constructor(base: JsonObject) {
    this.#base = base
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#copy ?? this.#base, key)
  }

  get(key: string): unknown {
    return this.has(key) ? (this.#copy ?? this.#base)[key] : undefined
  }

  keys(): string[] {
    return Object.keys(this.#copy ?? this.#base)
  }

  set(key: string, value: unknown): void {
    refusePrototype(key)
    if (this.has(key) && this.get(key) === value) return
    this.#copy ??= { ...this.#base }
    this.#copy[key] = value
  }

  delete(key: string): void {
    if (!this.has(key)) return
    this.#copy ??= { ...this.#base }
    delete this.#copy[key]
    this.#removed = true
  }

  /** The result: the base itself when nothing changed. After deletions it is copied once more, which gives V8 a fast object again. */
  done(): JsonObject {
    if (this.#copy === undefined) return this.#base
    return this.#removed ? { ...this.#copy } : this.#copy
  }
}

/** JSON.parse makes `__proto__` an ordinary key, assignment does not: no patch may carry one into an object. */
export function refusePrototype(key: string): void {
  if (key === "__proto__") throw new PatchError(422, 'a patch cannot set the key "__proto__": it is not a name an object field may have')
}
