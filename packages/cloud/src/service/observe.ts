import { type Node, nodes, type Service, services } from "@pilothouse/api/core/v1"
import type { Reader } from "@pilothouse/runtime"
import type { CloudCalls } from "../provider/cloud-calls.ts"
import type { LoadBalancers } from "../provider/provider.ts"
import { balancedNodes } from "./node-set.ts"
import type { CachedService, ServiceCache } from "./service-cache.ts"
import { needsCleanup } from "./wants-load-balancer.ts"

/** A Service, what this process knows about its balancer, and the nodes for it. */
export interface Observed {
  /** Undefined: it is gone. */
  readonly service?: Service
  readonly cached?: CachedService
  readonly nodes: readonly Node[]
  /** Whether the cloud has the balancer that is to be deleted; undefined where the cloud was not read, or did not answer. */
  readonly exists?: boolean
}

/** What `observe` uses besides the cache of objects. */
export interface ObserveContext {
  readonly balancers: LoadBalancers
  readonly cache: ServiceCache
  readonly calls: CloudCalls
}

/** Reads the Service and its nodes; also the cloud, where the deletion of a balancer begins. Undefined: there is nothing to do. */
export async function observe(key: string, read: Reader, signal: AbortSignal, context: ObserveContext): Promise<Observed | undefined> {
  const before = read.get(services, key)
  const exists =
    before !== undefined && isNewlyDeleted(before, context.cache.get(key)) ? await existsInCloud(before, context, signal) : undefined
  const service = read.get(services, key)
  const cached = context.cache.get(key)
  if (service === undefined && cached === undefined) return undefined
  return { service, cached, nodes: balancedNodes(read.list(nodes)), exists }
}

function isNewlyDeleted(service: Service, cached: CachedService | undefined): boolean {
  return needsCleanup(service) && cached?.task !== "delete"
}

/** Only decides about the event. A partially created balancer may not be found, so it is deleted whatever the answer. */
async function existsInCloud(service: Service, { balancers, calls }: ObserveContext, outer: AbortSignal): Promise<boolean | undefined> {
  try {
    return (await calls.run("find a load balancer", (signal) => balancers.get(service, signal), outer)) !== undefined
  } catch {
    return undefined
  }
}
