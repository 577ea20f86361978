import { type KubeObject, keyOf } from "@pilothouse/api"
import { abortable, type Log, messageOf } from "@pilothouse/seams"
import type { Change, Notice } from "./change.ts"

/**
 * Called with each change after the store has it, in order: client-go's ResourceEventHandler as one function. `initial` is true for objects that
 * were there before the handler, and for resyncs. It is called synchronously and must be quick: usually it adds a key to a work queue. Asynchronous
 * readers use subscribe().
 */
export type ChangeHandler<T extends KubeObject = KubeObject> = (change: Change<T>, initial: boolean) => void

/** The registration of a handler at an informer. Disposing removes the handler. */
export interface Registration extends Disposable {
  /** Everything that was there at the start has been delivered. */
  readonly hasSynced: boolean
  synced(signal: AbortSignal): Promise<void>
}

export interface ListenerOptions {
  /** Name of the handler, for the log. */
  readonly name: string
  readonly log: Log
  readonly remove: () => void
}

/**
 * One handler, and whether it has received the initial state.
 *
 * Invariant: a disposed listener receives nothing; hasSynced is true only after all the initial notices.
 */
export class Listener<T extends KubeObject> implements Registration {
  /** Its resync is due. */
  resyncDue = false
  readonly #handler: ChangeHandler<T>
  readonly #options: ListenerOptions
  /** Created by the first synced(): most listeners never need it, and a manager with all controllers has 500 of them. */
  #synced: PromiseWithResolvers<void> | undefined
  #hasSynced = false
  #removed = false

  constructor(handler: ChangeHandler<T>, options: ListenerOptions) {
    this.#handler = handler
    this.#options = options
  }

  get hasSynced(): boolean {
    return this.#hasSynced
  }

  synced(signal: AbortSignal): Promise<void> {
    if (this.#hasSynced) return Promise.resolve()
    this.#synced ??= Promise.withResolvers()
    return abortable(this.#synced.promise, signal)
  }

  notify({ change, initial }: Notice<T>): void {
    if (this.#removed || (change.type === "resync" && !this.resyncDue)) return
    try {
      // An async function fits the type too: it is not awaited, but its failure must not end the process.
      const result: unknown = this.#handler(change, initial)
      if (result instanceof Promise) result.catch((error: unknown) => this.#failed(change, error))
    } catch (error) {
      this.#failed(change, error)
    }
  }

  /** Called when the initial notices have been delivered. */
  markSynced(): void {
    this.#hasSynced = true
    this.#synced?.resolve()
  }

  [Symbol.dispose](): void {
    this.#removed = true
    this.#options.remove()
  }

  #failed(change: Change<T>, error: unknown): void {
    const { log, name } = this.#options
    log.error(`a handler of ${name} threw; the others go on`, {
      handler: name,
      key: keyOf(change.object),
      change: change.type,
      error: messageOf(error),
    })
  }
}
