import type { LoadBalancerStatus, Node, Service } from "@pilothouse/api/core/v1"

/** The work on the balancer of a Service that an event has announced. */
export type Task = "ensure" | "delete"

/** What this process knows about the balancer of one Service. */
export interface CachedService {
  /** As it was when its task began: needed to delete the balancer when the Service itself is gone. */
  readonly service: Service
  readonly task: Task
  /** Undefined: the state of the balancer is not known. */
  readonly ensured?: EnsuredFor
}

/** The Service and the nodes that a balancer is known to match. */
export interface EnsuredFor {
  readonly service: Service
  readonly nodes: readonly Node[]
  /** Undefined: another controller creates the balancer and writes the status. */
  readonly status?: LoadBalancerStatus
}

/**
 * What this process knows about balancers. A new process knows nothing, and finds out by ensuring.
 * Invariant between calls: every Service whose balancer may have been touched has an entry, from before the first call until it was deleted and the Service released.
 */
export class ServiceCache {
  readonly #entries = new Map<string, CachedService>()

  get(key: string): CachedService | undefined {
    return this.#entries.get(key)
  }

  begin(key: string, service: Service, task: Task): void {
    this.#entries.set(key, { service, task, ensured: task === "ensure" ? this.#entries.get(key)?.ensured : undefined })
  }

  ensured(key: string, ensured: EnsuredFor): void {
    this.#entries.set(key, { service: ensured.service, task: "ensure", ensured })
  }

  /** Marks the state of the balancer as unknown. */
  doubt(key: string): void {
    const known = this.#entries.get(key)
    if (known !== undefined) this.#entries.set(key, { service: known.service, task: known.task })
  }

  forget(key: string): void {
    this.#entries.delete(key)
  }
}
