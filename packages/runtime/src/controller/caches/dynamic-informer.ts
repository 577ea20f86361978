import { type Descriptor, keyOf, resourceNameOf } from "@pilothouse/api"
import { type Log, messageOf } from "@pilothouse/seams"
import type { Informer } from "../../cache/informer.ts"
import type { BorrowedInformer } from "../../cache/informers.ts"
import type { ChangeHandler, Registration } from "../../cache/listener.ts"
import type { HandlersFor } from "./dynamic-informers.ts"
import type { DynamicKind } from "./dynamic-kinds.ts"

interface RegisteredHandler {
  readonly handler: ChangeHandler
  readonly registration: Registration
}

/** The informer of one dynamic kind and its handlers. Invariant: every handler in #registered is registered with the informer. */
export class DynamicInformer implements DynamicKind {
  readonly of: Descriptor
  readonly #borrowed: BorrowedInformer
  readonly #log: Log
  readonly #registered = new Map<HandlersFor, readonly RegisteredHandler[]>()

  constructor(of: Descriptor, borrowed: BorrowedInformer, log: Log) {
    this.of = of
    this.#borrowed = borrowed
    this.#log = log
  }

  get informer(): Informer {
    return this.#borrowed.informer
  }

  get hasSynced(): boolean {
    return this.informer.hasSynced
  }

  addHandlers(handlersFor: HandlersFor): void {
    const handlers = handlersFor(this.of)
    this.#registered.set(
      handlersFor,
      handlers.map((handler) => ({ handler, registration: this.informer.addHandler(handler) })),
    )
  }

  removeHandlers(handlersFor: HandlersFor): void {
    for (const { registration } of this.#registered.get(handlersFor) ?? []) registration[Symbol.dispose]()
    this.#registered.delete(handlersFor)
  }

  /** Called when the kind is removed: its objects are delivered as deleted with `finalStateUnknown`. */
  end(): void {
    const handlers = [...this.#registered.values()].flat().map(({ handler }) => handler)
    for (const handlersFor of this.#registered.keys()) this.removeHandlers(handlersFor)
    const remaining = this.informer.store.list()
    this.#borrowed[Symbol.dispose]()
    for (const object of remaining) {
      for (const handler of handlers) {
        try {
          handler({ type: "deleted", object, finalStateUnknown: true }, false)
        } catch (error) {
          const about = { resource: resourceNameOf(this.of), key: keyOf(object), error: messageOf(error) }
          this.#log.error("a handler threw for an object of a removed kind; the others continue", about)
        }
      }
    }
  }
}
