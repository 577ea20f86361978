import { keyOf } from "@pilothouse/api"
import type { Node, Service } from "@pilothouse/api/core/v1"
import { type CustomOperation, type Executor, executor } from "@pilothouse/runtime"
import type { CloudCalls } from "../cloud-calls.ts"
import { BalancerNotFound, ImplementedElsewhere } from "../cloud-errors.ts"
import type { Ensured, LoadBalancers, Notice } from "../provider.ts"
import type { NodeSyncMetrics } from "./metrics.ts"
import type { EnsuredFor, RememberedServices, Task } from "./remembered.ts"

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

/** What became of an ensure or an update, for settle. */
export type BalancerAnswer =
  | ({ readonly is: "ensured"; readonly notices: readonly Notice[] } & Ensured)
  | { readonly is: "updated" }
  | { readonly is: "elsewhere" }
  | { readonly is: "missing" }

export interface OperationsContext {
  readonly balancers: LoadBalancers
  readonly remembered: RememberedServices
  readonly calls: CloudCalls
  readonly nodeSync: NodeSyncMetrics
}

export function balancerExecutors({ balancers, remembered, calls, nodeSync }: OperationsContext): readonly Executor[] {
  const known = (key: string, answer: BalancerAnswer, ensured: EnsuredFor): BalancerAnswer => {
    remembered.ensured(key, ensured)
    return answer
  }
  const ensure = async ({ service, nodes }: EnsureBalancer, outer: AbortSignal): Promise<BalancerAnswer> => {
    const key = keyOf(service)
    // Before the first call: what is half made has to be found when the Service goes.
    remembered.begin(key, service, "ensure")
    // An answer can be lost after the work was done: who then takes back what he has changed has to be served as well.
    remembered.doubt(key)
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
    const now = { ...remembered.get(key)?.ensured, service, nodes }
    // What cannot be given other nodes may need more than nodes: unless this succeeds, the balancer is ensured next.
    remembered.doubt(key)
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
      remembered.begin(keyOf(service), service, task)
      return true
    }),
    executor<RememberNoBalancer>("remember-no-balancer", async ({ service }) => {
      remembered.forget(keyOf(service))
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
