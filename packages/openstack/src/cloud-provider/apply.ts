import { CloudError } from "@pilothouse/cloud"
import type { OpenStack } from "../clients/cloud.ts"
import type { LoadBalancer, NewPoolTree } from "../clients/octavia/types.ts"
import { type BalancerChange, type FoundListener, isOwn } from "./decide.ts"
import { findListeners } from "./observe.ts"
import { type Sharing, writeTags } from "./sharing.ts"

export interface ApplyPlace {
  readonly cloud: OpenStack
  /** Of the balancer. */
  readonly id: string
  readonly signal: AbortSignal
}

/** Carries changes out, each when the balancer takes changes again, and waits for the last one. */
export async function applyChanges(place: ApplyPlace, changes: readonly BalancerChange[]): Promise<void> {
  for (const change of changes) await applyOne(place, change)
  if (changes.length > 0) await place.cloud.polls.untilActive(place.id, { signal: place.signal })
}

async function applyOne(place: ApplyPlace, change: BalancerChange): Promise<void> {
  const { octavia } = place.cloud
  const { signal } = place
  switch (change.do) {
    case "create-listener": {
      const { default_pool, ...listener } = change.desired
      const made = await next(place, () => octavia.listeners.create({ ...listener, loadbalancer_id: place.id }, { signal }))
      return createPool(place, made.id, default_pool)
    }
    case "update-listener":
      return void (await next(place, () => octavia.listeners.update(change.id, change.change, { signal })))
    case "delete-listener":
      return deleteListener(place, change.found)
    case "create-pool":
      return createPool(place, change.listener, change.desired)
    case "update-pool":
      return void (await next(place, () => octavia.pools.update(change.id, change.change, { signal })))
    case "replace-pool":
      await next(place, () => octavia.pools.delete(change.old, { signal }))
      return createPool(place, change.listener, change.desired)
    case "replace-members":
      return next(place, () => octavia.members(change.pool).replaceAll(change.members, { signal }))
    case "create-monitor":
      return void (await next(place, () => octavia.healthMonitors.create({ ...change.desired, pool_id: change.pool }, { signal })))
    case "update-monitor":
      return void (await next(place, () => octavia.healthMonitors.update(change.id, change.change, { signal })))
    case "delete-monitor":
      return void (await next(place, () => octavia.healthMonitors.delete(change.id, { signal })))
  }
}

async function createPool(place: ApplyPlace, listener: string, tree: NewPoolTree): Promise<void> {
  const { octavia } = place.cloud
  const { signal } = place
  const { members = [], healthmonitor, ...pool } = tree
  const { id } = await next(place, () => octavia.pools.create({ ...pool, listener_id: listener }, { signal }))
  if (members.length > 0) await next(place, () => octavia.members(id).replaceAll(members, { signal }))
  if (healthmonitor !== undefined) await next(place, () => octavia.healthMonitors.create({ ...healthmonitor, pool_id: id }, { signal }))
}

export async function deleteListener(place: ApplyPlace, { listener, pool, monitor }: FoundListener): Promise<void> {
  const { octavia } = place.cloud
  const { signal } = place
  if (monitor !== undefined) await next(place, () => octavia.healthMonitors.delete(monitor.id, { signal }))
  if (pool !== undefined) await next(place, () => octavia.pools.delete(pool.id, { signal }))
  await next(place, () => octavia.listeners.delete(listener.id, { signal }))
}

async function next<T>({ cloud, id, signal }: ApplyPlace, work: () => Promise<T>): Promise<T> {
  await cloud.polls.untilActive(id, { signal })
  return work()
}

/** With everything below it: in one call, or piece by piece where the provider cannot do that. One in ERROR takes no change but that it goes. */
export async function deleteBalancer(place: ApplyPlace, cascade = true): Promise<void> {
  const { cloud, id, signal } = place
  const settled = await cloud.polls.untilChangeable(id, { signal })
  if (settled === undefined) return
  const atOnce = cascade || settled.provisioning_status === "ERROR"
  if (!atOnce) {
    for (const one of await findListeners(cloud, place, signal)) await deleteListener(place, one)
    await cloud.polls.untilActive(id, { signal })
  }
  await cloud.octavia.loadBalancers.delete(id, { cascade: atOnce, signal })
  await cloud.polls.untilGone(id, { signal })
  if ((await cloud.octavia.loadBalancers.find(id, { signal })) !== undefined)
    throw new CloudError(`expected load balancer ${settled.name} to be gone`)
}

/** A balancer that others use: only the Service's own listeners go, and its tag. */
export async function leaveBalancer(place: ApplyPlace, { own }: Pick<Sharing, "own">): Promise<void> {
  for (const one of await findListeners(place.cloud, place, place.signal))
    if (isOwn(one.listener, { own, isOwner: false })) await deleteListener(place, one)
  await writeTags(place, ({ tags }: LoadBalancer) => {
    const rest = tags.filter((tag) => !own.includes(tag))
    return rest.length < tags.length ? rest : undefined
  })
}
