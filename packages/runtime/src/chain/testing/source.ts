import { keyOf } from "@pilothouse/api"
import type { ConfigMap } from "@pilothouse/api/core/v1"
import type { Change } from "../../cache/change.ts"
import type { ChangeHandler, Registration } from "../../cache/listener.ts"
import { Store } from "../../cache/store.ts"
import type { ChainSource } from "../chain.ts"

/** An informer that a test feeds by hand. */
export class TestSource implements ChainSource<ConfigMap> {
  readonly store = new Store<ConfigMap>()
  readonly #synced = Promise.withResolvers<void>()
  readonly #handlers: ChangeHandler<ConfigMap>[] = []

  addHandler(handler: ChangeHandler<ConfigMap>): Registration {
    this.#handlers.push(handler)
    return { hasSynced: true, synced: () => Promise.resolve(), [Symbol.dispose]() {} }
  }

  synced(signal: AbortSignal): Promise<void> {
    return Promise.race([
      this.#synced.promise,
      new Promise<void>((_, reject) => {
        signal.addEventListener("abort", () => reject(new Error("aborted")))
      }),
    ])
  }

  markSynced(): void {
    this.#synced.resolve()
  }

  /** Adds it, or updates what is there. */
  put(name: string, value: string): ConfigMap {
    const object: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "shop" }, data: { value } }
    const old = this.store.put(object)
    this.#notify(old === undefined ? { type: "added", object } : { type: "updated", object, old })
    return object
  }

  remove(name: string, finalStateUnknown = false): void {
    const object = this.store.remove(`shop/${name}`)
    if (object !== undefined) this.#notify({ type: "deleted", object, finalStateUnknown })
  }

  resync(): void {
    for (const object of this.store.list()) this.#notify({ type: "resync", object })
  }

  #notify(change: Change<ConfigMap>): void {
    for (const handler of this.#handlers) handler(change, false)
  }
}

export function valueOf(object: ConfigMap): string {
  return `${keyOf(object)}=${object.data?.value}`
}
