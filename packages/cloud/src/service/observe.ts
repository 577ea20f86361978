import { type Node, nodes, type Service, services } from "@pilothouse/api/core/v1"
import type { Reader } from "@pilothouse/runtime"
import type { CloudCalls } from "../cloud-calls.ts"
import type { LoadBalancers } from "../provider.ts"
import { balancedNodes } from "./node-set.ts"
import type { Remembered, RememberedServices } from "./remembered.ts"
import { needsCleanup } from "./wanted.ts"

export interface Observed {
  /** Undefined: it is gone. */
  readonly service?: Service
  readonly remembered?: Remembered
  readonly nodes: readonly Node[]
  /** Whether the cloud has a balancer that has to go; undefined where nobody asked, or the cloud did not answer. */
  readonly exists?: boolean
}

export interface ObserveContext {
  readonly balancers: LoadBalancers
  readonly remembered: RememberedServices
  readonly calls: CloudCalls
}

export async function observe(key: string, read: Reader, signal: AbortSignal, context: ObserveContext): Promise<Observed | undefined> {
  const going = read.get(services, key)
  const exists = going !== undefined && isNewlyGoing(going, context.remembered.get(key)) ? await asked(going, context, signal) : undefined
  const service = read.get(services, key)
  const remembered = context.remembered.get(key)
  if (service === undefined && remembered === undefined) return undefined
  return { service, remembered, nodes: balancedNodes(read.list(nodes)), exists }
}

function isNewlyGoing(service: Service, remembered: Remembered | undefined): boolean {
  return needsCleanup(service) && remembered?.task !== "delete"
}

/** Only for what people are told. A balancer that was half made may not be found, so it is deleted whatever the answer. */
async function asked(service: Service, { balancers, calls }: ObserveContext, outer: AbortSignal): Promise<boolean | undefined> {
  try {
    return (await calls.run("find a load balancer", (signal) => balancers.get(service, signal), outer)) !== undefined
  } catch {
    return undefined
  }
}
