import { type CloudProvider, createCloudControllers, isServiceControllerSelected, MemoryCloud, memoryProvider } from "@pilothouse/cloud"
import type { Controller } from "@pilothouse/runtime"
import type { Clock, Log } from "@pilothouse/seams"
import type { ClusterOptions } from "./cluster-options.ts"

/**
 * The controller of Services of type LoadBalancer, a new one at every start, for a cloud that outlives them all. Of the cloud's controllers only this one: a cloud
 * that is only remembered knows of no machine, and a controller that asked it for those of the nodes would take every node for one that is gone.
 */
export function balancerControllers(
  { controllers: select = ["*"], loadBalancers }: ClusterOptions,
  clock: Clock,
  log: Log,
): () => readonly Controller[] {
  if (loadBalancers === false || !isServiceControllerSelected(select)) return () => []
  let made: CloudProvider | undefined
  const provider = () => (made ??= loadBalancers?.(clock) ?? memoryProvider({ cloud: new MemoryCloud({ clock }) }))
  return () => createCloudControllers({ provider, clock, log, select: ["service"] }).controllers
}
