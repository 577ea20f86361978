import { keyOf } from "@pilothouse/api"
import type { Node, Service } from "@pilothouse/api/core/v1"
import { type CustomOperation, type Executor, executor } from "@pilothouse/runtime"
import type { CloudCalls } from "../provider/cloud-calls.ts"
import { BalancerNotFound, ImplementedElsewhere } from "../provider/cloud-errors.ts"
import type { Ensured, LoadBalancers, Notice } from "../provider/provider.ts"
import type { NodeSyncMetrics } from "./metrics.ts"
import type { EnsuredFor, ServiceCache, Task } from "./service-cache.ts"

/** Caches the Service before work on its balancer begins. */
export interface RememberService extends CustomOperation {
  readonly do: "remember-service"
  readonly service: Service
  readonly task: Task
}

/** Removes the Service from the cache once its balancer is deleted. */
export interface RememberNoBalancer extends CustomOperation {
  readonly do: "remember-no-balancer"
  readonly service: Service
}

/** Creates the balancer or updates it to match the Service. */
export interface EnsureBalancer extends CustomOperation {
  readonly do: "ensure-balancer"
  readonly service: Service
  readonly nodes: readonly Node[]
}

/** Updates only the nodes behind the balancer. */
export interface UpdateBalancer extends CustomOperation {
  readonly do: "update-balancer"
  readonly service: Service
  readonly nodes: readonly Node[]
}

/** Deletes the balancer. */
export interface DeleteBalancer extends CustomOperation {
  readonly do: "delete-balancer"
  readonly service: Service
}

/** Every operation of the service controller that is not a write to the API server. */
export type BalancerOperation = RememberService | RememberNoBalancer | EnsureBalancer | UpdateBalancer | DeleteBalancer

/** Returns the operation that caches the Service. */
export function rememberService(service: Service, task: Task, reason: string): RememberService {
  return shownShort({ do: "remember-service", to: keyOf(service), reason, service, task })
}

/** Returns the operation that removes the Service from the cache. */
export function rememberNoBalancer(service: Service, reason: string): RememberNoBalancer {
  return shownShort({ do: "remember-no-balancer", to: keyOf(service), reason, service })
}

/** Returns the operation that creates or updates the balancer. */
export function ensureBalancer(service: Service, nodes: readonly Node[], reason: string): EnsureBalancer {
  return shownShort({ do: "ensure-balancer", to: keyOf(service), reason, service, nodes })
}

/** Returns the operation that updates the nodes behind the balancer. */
export function updateBalancer(service: Service, nodes: readonly Node[], reason: string): UpdateBalancer {
  return shownShort({ do: "update-balancer", to: keyOf(service), reason, service, nodes })
}

/** Returns the operation that deletes the balancer. */
export function deleteBalancer(service: Service, reason: string): DeleteBalancer {
  return shownShort({ do: "delete-balancer", to: keyOf(service), reason, service })
}

/** In traces only the names appear: every node in every line would be unreadable. */
function shownShort<O extends { readonly service: Service; readonly nodes?: readonly Node[] }>(operation: O): O {
  const { service, nodes, ...rest } = operation
  const shown = { ...rest, service: keyOf(service), nodes: nodes?.map((node) => node.metadata.name) }
  return Object.defineProperty(operation, "toJSON", { value: () => shown, enumerable: false })
}

/** The outcome of an ensure or an update, for settle. */
export type BalancerAnswer =
  | ({ readonly is: "ensured"; readonly notices: readonly Notice[] } & Ensured)
  | { readonly is: "updated" }
  | { readonly is: "elsewhere" }
  | { readonly is: "missing" }

/** What executors of balancer operations use. */
export interface OperationsContext {
  readonly balancers: LoadBalancers
  readonly cache: ServiceCache
  readonly calls: CloudCalls
  readonly nodeSync: NodeSyncMetrics
}

/** Executes balancer operations, and keeps the cache in line with what the cloud has answered. */
export function balancerExecutors({ balancers, cache, calls, nodeSync }: OperationsContext): readonly Executor[] {
  const known = (key: string, answer: BalancerAnswer, ensured: EnsuredFor): BalancerAnswer => {
    cache.ensured(key, ensured)
    return answer
  }
  const ensure = async ({ service, nodes }: EnsureBalancer, outer: AbortSignal): Promise<BalancerAnswer> => {
    const key = keyOf(service)
    // Before the first call: a partial create has to be found when the Service is deleted.
    cache.begin(key, service, "ensure")
    // An answer can be lost after the work was done: a user who then reverts the change must be served as well.
    cache.doubt(key)
    const work = async () => {
      const made = await calls.run("ensure a load balancer", (signal) => balancers.ensure(service, nodes, signal), outer)
      const answer: BalancerAnswer = { is: "ensured", ...made, notices: made.notices ?? [] }
      // The annotations that are written because of this must not look like a change.
      return known(key, answer, { service: annotated(service, made.annotations), nodes, status: made.status })
    }
    return unlessElsewhere(work, () => known(key, { is: "elsewhere" }, { service, nodes }))
  }
  const update = async ({ service, nodes }: UpdateBalancer, outer: AbortSignal): Promise<BalancerAnswer> => {
    const key = keyOf(service)
    const now = { ...cache.get(key)?.ensured, service, nodes }
    // What cannot be given other nodes may need more than nodes: unless this succeeds, the balancer is ensured next.
    cache.doubt(key)
    const work = async () => {
      await nodeSync.update(() => calls.run("update a load balancer", (signal) => balancers.update(service, nodes, signal), outer))
      return known(key, { is: "updated" }, now)
    }
    try {
      return await unlessElsewhere(work, () => known(key, { is: "elsewhere" }, now))
    } catch (error) {
      if (error instanceof BalancerNotFound) return { is: "missing" }
      throw error
    }
  }
  const remove = async ({ service }: DeleteBalancer, outer: AbortSignal): Promise<true> => {
    const nothing = () => {}
    await unlessElsewhere(() => calls.run("delete a load balancer", (signal) => balancers.ensureDeleted(service, signal), outer), nothing)
    return true
  }
  return [
    executor<RememberService>("remember-service", async ({ service, task }) => {
      cache.begin(keyOf(service), service, task)
      return true
    }),
    executor<RememberNoBalancer>("remember-no-balancer", async ({ service }) => {
      cache.forget(keyOf(service))
      return true
    }),
    executor<EnsureBalancer>("ensure-balancer", ensure),
    executor<UpdateBalancer>("update-balancer", update),
    executor<DeleteBalancer>("delete-balancer", remove),
  ]
}

function annotated(service: Service, annotations: Ensured["annotations"] = {}): Service {
  return { ...service, metadata: { ...service.metadata, annotations: { ...service.metadata.annotations, ...annotations } } }
}

async function unlessElsewhere<T>(work: () => Promise<T>, elsewhere: () => T): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ImplementedElsewhere) return elsewhere()
    throw error
  }
}
