import type { LoadBalancerStatus, Node, Service } from "@pilothouse/api/core/v1"

/** What is being done about the balancer of a Service; people were told of it. */
export type Task = "ensure" | "delete"

export interface CachedService {
  /** As it was when its task began: what is needed to take the balancer away when the Service itself is gone. */
  readonly service: Service
  readonly task: Task
  /** What the balancer is known to be right for. */
  readonly ensured?: EnsuredFor
}

export interface EnsuredFor {
  readonly service: Service
  readonly nodes: readonly Node[]
  /** Undefined: somebody else makes the balancer, and says where it is. */
  readonly status?: LoadBalancerStatus
}

/**
 * What this process knows of the balancers it makes. A new one knows nothing, and finds out by asking.
 * Always true between calls: every Service whose balancer may have been touched has an entry, from before the first call until it was deleted and the Service let go.
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

  /** The balancer is not what it was thought to be, or may soon be something else. */
  doubt(key: string): void {
    const known = this.#entries.get(key)
    if (known !== undefined) this.#entries.set(key, { service: known.service, task: known.task })
  }

  forget(key: string): void {
    this.#entries.delete(key)
  }
}
