import { type APIService, apiServices } from "@pilothouse/api/apiregistration/v1"
import { listPrefix } from "../../registry/object-key.ts"
import type { Registry } from "../../registry/registry.ts"
import type { RemoteApiService } from "../../server/aggregation.ts"
import type { Storage } from "../../storage/storage.ts"

/** `remote` is undefined for one that is gone or became local, `before` for one that is new or was local. */
type Listener = (name: string, remote: RemoteApiService | undefined, before: RemoteApiService | undefined) => void

export interface RemoteApiServicesOptions {
  readonly storage: Storage
  readonly registry: Registry
  readonly metrics: LocalMetrics
}

/** Counts of APIServices that this server answers for itself. */
interface LocalMetrics {
  isLocal(name: string): void
  /** Of any that is gone. */
  removed(name: string): void
}

/** The APIServices that name a Service, by their names. Invariant: they are those that are stored. */
export class RemoteApiServices implements Disposable {
  readonly #byName = new Map<string, RemoteApiService>()
  readonly #watching: Disposable
  readonly #metrics: LocalMetrics
  readonly #listeners: Listener[] = []

  constructor({ storage, registry, metrics }: RemoteApiServicesOptions) {
    this.#metrics = metrics
    const resource = registry.of(apiServices)
    const prefix = listPrefix(resource, undefined)
    for (const { value } of storage.list(prefix).items) this.#take(resource.stored.decode(value))
    this.#watching = storage.watch(prefix, storage.revision, ({ type, value }) => {
      const changed = resource.stored.decode(value)
      const name = changed.metadata.name ?? ""
      const before = this.#byName.get(name)
      if (type === "delete") this.#forget(name)
      else this.#take(changed)
      const remote = this.#byName.get(name)
      if (before === undefined && remote === undefined) return
      for (const listener of this.#listeners) listener(name, remote, before)
    })
  }

  get size(): number {
    return this.#byName.size
  }

  /** Undefined where this server answers for the group version itself. */
  of(group: string, version: string): RemoteApiService | undefined {
    return this.#byName.size === 0 ? undefined : this.#byName.get(`${version}.${group}`)
  }

  named(name: string): RemoteApiService | undefined {
    return this.#byName.get(name)
  }

  all(): readonly RemoteApiService[] {
    return [...this.#byName.values()]
  }

  /** Calls the listener too with each one that changes from now on. It must not write. */
  onChange(listener: Listener): void {
    this.#listeners.push(listener)
  }

  [Symbol.dispose](): void {
    this.#watching[Symbol.dispose]()
  }

  #take(found: APIService): void {
    const name = found.metadata.name ?? ""
    if (isRemote(found)) return void this.#byName.set(name, found)
    this.#byName.delete(name)
    this.#metrics.isLocal(name)
  }

  #forget(name: string): void {
    this.#byName.delete(name)
    this.#metrics.removed(name)
  }
}

function isRemote(found: APIService): found is RemoteApiService {
  return found.spec?.service !== undefined
}
