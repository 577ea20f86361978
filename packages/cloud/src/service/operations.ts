import { keyOf } from "@pilothouse/api"
import type { Node, Service } from "@pilothouse/api/core/v1"
import { type CustomOperation, type Executor, executor } from "@pilothouse/runtime"
import type { CloudCalls } from "../provider/cloud-calls.ts"
import { BalancerNotFound, ImplementedElsewhere } from "../provider/cloud-errors.ts"
import type { Ensured, LoadBalancers, Notice } from "../provider/provider.ts"
import type { NodeSyncMetrics } from "./metrics.ts"
import type { EnsuredFor, ServiceCache, Task } from "./service-cache.ts"

export interface RememberService extends CustomOperation {
  readonly do: "remember-service"
  readonly service: Service
  readonly task: Task
}

export interface RememberNoBalancer extends CustomOperation {
  readonly do: "remember-no-balancer"
  readonly service: Service
}

export interface EnsureBalancer extends CustomOperation {
  readonly do: "ensure-balancer"
  readonly service: Service
  readonly nodes: readonly Node[]
}

export interface UpdateBalancer extends CustomOperation {
  readonly do: "update-balancer"
  readonly service: Service
  readonly nodes: readonly Node[]
}

export interface DeleteBalancer extends CustomOperation {
  readonly do: "delete-balancer"
  readonly service: Service
}

export type BalancerOperation = RememberService | RememberNoBalancer | EnsureBalancer | UpdateBalancer | DeleteBalancer

export function rememberService(service: Service, task: Task, reason: string): RememberService {
  return shownShort({ do: "remember-service", to: keyOf(service), reason, service, task })
}

export function rememberNoBalancer(service: Service, reason: string): RememberNoBalancer {
  return shownShort({ do: "remember-no-balancer", to: keyOf(service), reason, service })
}

export function ensureBalancer(service: Service, nodes: readonly Node[], reason: string): EnsureBalancer {
  return shownShort({ do: "ensure-balancer", to: keyOf(service), reason, service, nodes })
}

export function updateBalancer(service: Service, nodes: readonly Node[], reason: string): UpdateBalancer {
  return shownShort({ do: "update-balancer", to: keyOf(service), reason, service, nodes })
}

export function deleteBalancer(service: Service, reason: string): DeleteBalancer {
  return shownShort({ do: "delete-balancer", to: keyOf(service), reason, service })
}

/** A trace that had every node in every line would be read by nobody. */
function shownShort<O extends { readonly service: Service; readonly nodes?: readonly Node[] }>(operation: O): O {
  const { service, nodes, ...rest } = operation
  const shown = { ...rest, service: keyOf(service), nodes: nodes?.map((node) => node.metadata.name) }
  return Object.defineProperty(operation, "toJSON", { value: () => shown, enumerable: false })
}

/** What became of an ensure or an update, for settle. */
export type BalancerAnswer =
  | ({ readonly is: "ensured"; readonly notices: readonly Notice[] } & Ensured)
  | { readonly is: "updated" }
  | { readonly is: "elsewhere" }
  | { readonly is: "missing" }

export interface OperationsContext {
  readonly balancers: LoadBalancers
  readonly cache: ServiceCache
  readonly calls: CloudCalls
  readonly nodeSync: NodeSyncMetrics
}

export function balancerExecutors({ balancers, cache, calls, nodeSync }: OperationsContext): readonly Executor[] {
  const known = (key: string, answer: BalancerAnswer, ensured: EnsuredFor): BalancerAnswer => {
    cache.ensured(key, ensured)
    return answer
  }
  const ensure = async ({ service, nodes }: EnsureBalancer, outer: AbortSignal): Promise<BalancerAnswer> => {
    const key = keyOf(service)
    // Before the first call: what is half made has to be found when the Service goes.
    cache.begin(key, service, "ensure")
    // An answer can be lost after the work was done: who then takes back what he has changed has to be served as well.
    cache.doubt(key)
    const work = async () => {
      const made = await calls.run("ensure a load balancer", (signal) => balancers.ensure(service, nodes, signal), outer)
      const answer: BalancerAnswer = { is: "ensured", ...made, notices: made.notices ?? [] }
      // What is written on the Service because of this is no news.
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
