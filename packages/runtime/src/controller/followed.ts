import { type Descriptor, keyOf, resourceNameOf } from "@pilothouse/api"
import { type Log, messageOf } from "@pilothouse/seams"
import type { Informer } from "../cache/informer.ts"
import type { BorrowedInformer } from "../cache/informers.ts"
import type { ChangeHandler, Registration } from "../cache/listener.ts"
import type { DynamicKind } from "./dynamic-kinds.ts"
import type { HandlersOf } from "./following.ts"

interface Told {
  readonly handler: ChangeHandler
  readonly registration: Registration
}

/** One discovered kind, and who is told about it. Always true between calls: every handler in #told is registered with the informer. */
export class Followed implements DynamicKind {
  readonly of: Descriptor
  readonly #borrowed: BorrowedInformer
  readonly #log: Log
  readonly #told = new Map<HandlersOf, readonly Told[]>()

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

  tell(audience: HandlersOf): void {
    const handlers = audience(this.of)
    this.#told.set(
      audience,
      handlers.map((handler) => ({ handler, registration: this.informer.addHandler(handler) })),
    )
  }

  leave(audience: HandlersOf): void {
    for (const { registration } of this.#told.get(audience) ?? []) registration[Symbol.dispose]()
    this.#told.delete(audience)
  }

  /** The kind is gone: nobody saw its objects go, and everybody is told that they have. */
  end(): void {
    const handlers = [...this.#told.values()].flat().map(({ handler }) => handler)
    for (const audience of this.#told.keys()) this.leave(audience)
    const left = this.informer.store.list()
    this.#borrowed[Symbol.dispose]()
    for (const object of left) {
      for (const handler of handlers) {
        try {
          handler({ type: "deleted", object, finalStateUnknown: true }, false)
        } catch (error) {
          const about = { resource: resourceNameOf(this.of), key: keyOf(object), error: messageOf(error) }
          this.#log.error("a handler threw when it was told that a kind is gone; the others go on", about)
        }
      }
    }
  }
}
