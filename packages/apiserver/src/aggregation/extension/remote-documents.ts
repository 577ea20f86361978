import { deepEqual } from "@pilothouse/api"
import type { RemoteApiService } from "../../server/aggregation.ts"
import { KeyedWork, type KeyedWorkOptions } from "../../server/keyed-work.ts"
import type { RemoteApiServices } from "./remote-api-services.ts"

/** One reading of what an extension server says. */
export interface Reading<T> {
  readonly value: T
  /** Why it could not be read, and `value` is the one before: it is read again soon. */
  readonly failure?: unknown
}

export interface RemoteDocumentsOptions<T> extends Pick<KeyedWorkOptions, "clock" | "concurrency" | "maxDelay" | "minDelay" | "name"> {
  readonly remotes: RemoteApiServices
  /** Milliseconds after which a document is read again. */
  readonly refreshAfter: number
  /** Rejects where nothing can be said about the APIService: what is known of it stays. */
  readonly read: (remote: RemoteApiService, before: T | undefined) => Promise<Reading<T>>
  /** Of what is shown; a change of the rest is no change. */
  readonly shown?: (value: T) => unknown
  /** Called when what `of` returns has changed. */
  readonly onChange: () => void
}

/**
 * What extension servers say, by their APIServices: read when one is added or changes, again after a failure, and from time to time. No request waits for
 * it. Invariant: there is nothing of an APIService that is gone.
 */
export class RemoteDocuments<T> implements Disposable {
  readonly #options: RemoteDocumentsOptions<T>
  readonly #work: KeyedWork
  readonly #values = new Map<string, T>()

  constructor(options: RemoteDocumentsOptions<T>) {
    this.#options = options
    this.#work = new KeyedWork({ ...options, work: (name) => this.#reconcile(name) })
    for (const { metadata } of options.remotes.all()) this.#work.add(metadata.name ?? "")
  }

  /** Undefined until it was read once. */
  of(name: string): T | undefined {
    return this.#values.get(name)
  }

  changed(name: string): void {
    if (this.#options.remotes.named(name) !== undefined) return this.#work.add(name)
    this.#work.remove(name)
    if (this.#values.delete(name)) this.#options.onChange()
  }

  [Symbol.dispose](): void {
    this.#work[Symbol.dispose]()
  }

  async #reconcile(name: string): Promise<void> {
    const { remotes, read, shown = (value: T) => value, onChange } = this.#options
    const remote = remotes.named(name)
    if (remote === undefined) return
    const before = this.#values.get(name)
    const { value, failure } = await read(remote, before)
    if (remotes.named(name) === undefined) return
    this.#values.set(name, value)
    if (before === undefined || !deepEqual(shown(before), shown(value))) onChange()
    if (failure !== undefined) throw failure
  }
}
