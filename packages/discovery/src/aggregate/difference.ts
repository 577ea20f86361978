import { deepEqual } from "@pilothouse/api"
import { type Endpoint, hasLost } from "../model/endpoint.ts"
import type { Service } from "../model/service.ts"
import type { RegistrySubscriber } from "../registry/registry.ts"

/**
 * What was put together of several parts, kept while the parts are the same objects.
 *
 * Invariant: the value under a key was made of exactly the parts that are kept beside it, two at least.
 */
export class Remembered<T> {
  readonly #made = new Map<string, { readonly parts: readonly T[]; readonly value: T }>()

  get size(): number {
    return this.#made.size
  }

  /** Of one part nothing is made: it is the answer itself, and what was made of it and others is released. Undefined where there is none. */
  get(key: string, parts: readonly T[], make: (parts: readonly T[]) => T): T | undefined {
    if (parts.length < 2) {
      this.#made.delete(key)
      return parts[0]
    }
    const known = this.#made.get(key)
    if (known !== undefined && known.parts.length === parts.length && parts.every((part, at) => part === known.parts[at]))
      return known.value
    const value = make(parts)
    this.#made.set(key, { parts, value })
    return value
  }

  forget(key: string): void {
    this.#made.delete(key)
  }

  clear(): void {
    this.#made.clear()
  }
}

/** What a registry answers about a hostname. */
export interface Answer {
  readonly service: Service | undefined
  readonly endpoints: readonly Endpoint[]
}

/** Notifies a subscriber how the answers about a hostname changed, if they did. */
export function notifyDifference(
  to: RegistrySubscriber,
  about: { readonly cluster: string; readonly hostname: string },
  before: Answer,
  after: Answer,
): void {
  const { cluster, hostname } = about
  if (!deepEqual(before.service, after.service)) to.serviceUpdate(hostname, changeOf(before.service, after.service))
  if (after.service === undefined || deepEqual(before.endpoints, after.endpoints)) return
  const endpoints = () => after.endpoints.filter((endpoint) => endpoint.cluster === cluster)
  to.endpointsUpdate(cluster, hostname, { removed: hasLost(before.endpoints, after.endpoints), endpoints })
}

function changeOf(before: Service | undefined, after: Service | undefined): "added" | "updated" | "deleted" {
  if (before === undefined) return "added"
  return after === undefined ? "deleted" : "updated"
}
