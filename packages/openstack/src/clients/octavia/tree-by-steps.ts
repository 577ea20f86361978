import type { CallOptions } from "../calls/collection.ts"
import type { LoadBalancerPolls } from "./load-balancer-polls.ts"
import type { Octavia } from "./octavia.ts"
import type * as wire from "./types.ts"

interface Place {
  readonly octavia: Octavia
  readonly polls: LoadBalancerPolls
  /** Of the load balancer. */
  readonly id: string
  /** Of the whole tree. */
  readonly project?: string
  readonly options?: CallOptions
}

/** What one populated POST does, in single calls: between any two the load balancer has to be ACTIVE again. */
export async function buildTree(place: Place, listeners: readonly wire.NewListenerTree[]): Promise<void> {
  for (const listener of listeners) await buildListener(place, listener)
}

async function buildListener({ octavia, polls, id, project, options }: Place, tree: wire.NewListenerTree): Promise<void> {
  const { default_pool, ...listener } = tree
  const owner = project === undefined ? {} : { project_id: project }
  await polls.untilActive(id, options)
  const made = await octavia.listeners.create({ ...listener, ...owner, loadbalancer_id: id }, options)
  if (default_pool === undefined) return
  const { members = [], healthmonitor, ...pool } = default_pool
  await polls.untilActive(id, options)
  const { id: poolId } = await octavia.pools.create({ ...pool, ...owner, listener_id: made.id }, options)
  for (const member of members) {
    await polls.untilActive(id, options)
    await octavia.members(poolId).create({ ...member, ...owner }, options)
  }
  if (healthmonitor === undefined) return
  await polls.untilActive(id, options)
  await octavia.healthMonitors.create({ ...healthmonitor, ...owner, pool_id: poolId }, options)
}

/** Deletes as a cascade does, from the leaves up. What another client has deleted in the meantime counts as deleted. */
export async function removeTree({ octavia, polls, id, options }: Place): Promise<void> {
  const balancer = await octavia.loadBalancers.find(id, options)
  if (balancer === undefined) return
  const remove = async (work: () => Promise<boolean>) => {
    await polls.untilChangeable(id, options)
    await work()
  }
  for (const pool of balancer.pools) {
    const found = await octavia.pools.find(pool.id, options)
    const monitor = found?.healthmonitor_id
    if (monitor) await remove(() => octavia.healthMonitors.delete(monitor, options))
    await remove(() => octavia.pools.delete(pool.id, options))
  }
  for (const listener of balancer.listeners) await remove(() => octavia.listeners.delete(listener.id, options))
  await polls.untilChangeable(id, options)
}
