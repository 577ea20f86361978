import { type KubeObject, keyOf } from "@pilothouse/api"
import { abortable, type Log, messageOf } from "@pilothouse/seams"
import type { Change, Notice } from "./change.ts"

/**
 * Told about each change after the store has it, in order. `initial` is true for what is no news: it was there before the handler, or it is a resync.
 * It is called directly and must be quick: usually it puts a key into a work queue. Whoever wants to wait subscribes instead.
 */
export type ChangeHandler<T extends KubeObject = KubeObject> = (change: Change<T>, initial: boolean) => void

/** A handler's place at an informer. Disposing takes it away: it is told nothing more. */
export interface Registration extends Disposable {
  /** Everything that was there at the start has been told. */
  readonly hasSynced: boolean
  synced(signal: AbortSignal): Promise<void>
}

export interface ListenerOptions {
  /** Who listens, for the log. */
  readonly name: string
  readonly log: Log
  readonly remove: () => void
}

/**
 * One handler and what it was told.
 *
 * Always true between calls: a listener that was disposed is told nothing; hasSynced is true only after all the initial notices.
 */
export class Listener<T extends KubeObject> implements Registration {
  /** Its resync time has come. */
  resyncDue = false
  readonly #handler: ChangeHandler<T>
  readonly #options: ListenerOptions
  /** Made when somebody first waits: most never do, and a manager with all loops has 500 listeners. */
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
      // An async function fits the type too: nobody waits for it, but its failure must not end the process.
      const result: unknown = this.#handler(change, initial)
      if (result instanceof Promise) result.catch((error: unknown) => this.#failed(change, error))
    } catch (error) {
      this.#failed(change, error)
    }
  }

  /** The initial notices are told. */
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
