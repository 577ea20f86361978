import { CloudError } from "@pilothouse/cloud"
import type * as wire from "../clients/octavia/types.ts"
import type { DesiredListener } from "./desired-listeners.ts"

/** A listener as it is in the cloud, with all that hangs on it. */
export interface FoundListener {
  readonly listener: wire.Listener
  readonly pool?: wire.Pool
  readonly members: readonly wire.Member[]
  readonly monitor?: wire.HealthMonitor
}

/** One change of a balancer. They are carried out one after the other, because it takes one at a time. */
export type BalancerChange = { readonly reason: string } & (
  | { readonly do: "create-listener"; readonly desired: DesiredListener }
  | { readonly do: "update-listener"; readonly id: string; readonly change: wire.ListenerSettings }
  | { readonly do: "delete-listener"; readonly found: FoundListener }
  | { readonly do: "create-pool"; readonly listener: string; readonly desired: wire.NewPoolTree }
  | { readonly do: "update-pool"; readonly id: string; readonly change: wire.PoolSettings }
  | { readonly do: "replace-pool"; readonly listener: string; readonly old: string; readonly desired: wire.NewPoolTree }
  | { readonly do: "replace-members"; readonly pool: string; readonly members: readonly wire.NewMember[] }
  | { readonly do: "create-monitor"; readonly pool: string; readonly desired: Omit<wire.NewHealthMonitor, "pool_id"> }
  | { readonly do: "update-monitor"; readonly id: string; readonly change: wire.HealthMonitorSettings }
  | { readonly do: "delete-monitor"; readonly id: string }
)

/** The tags of own listeners; on an own balancer also untagged listeners are own ones. */
export interface BalancerOwnership {
  readonly own: readonly string[]
  readonly isOwner: boolean
}

export function isOwn({ tags }: Pick<wire.Listener, "tags">, { own, isOwner }: BalancerOwnership): boolean {
  return tags.length === 0 ? isOwner : own.some((tag) => tags.includes(tag))
}

/** Pure: the changes that give a balancer these listeners. Listeners of others on a shared balancer stay, and their ports are in use. */
export function decideBalancer(
  desired: readonly DesiredListener[],
  found: readonly FoundListener[],
  ownership: BalancerOwnership,
): readonly BalancerChange[] {
  const at = ({ protocol, protocol_port }: Pick<wire.Listener, "protocol" | "protocol_port">) => `${protocol} ${protocol_port}`
  const have = new Map(found.map((one) => [at(one.listener), one]))
  const desiredKeys = new Set(desired.map(at))
  const going = found.filter(({ listener }) => !desiredKeys.has(at(listener)) && isOwn(listener, ownership))
  const taken = desired.find((one) => have.has(at(one)) && !isOwn(have.get(at(one))!.listener, ownership))
  if (taken !== undefined) throw new CloudError(`the listener port ${taken.protocol_port} already exists`, { retryable: false })
  return [
    ...going.map(
      (one): BalancerChange => ({ do: "delete-listener", found: one, reason: `the Service has no port ${at(one.listener)} any more` }),
    ),
    ...desired.flatMap((one): readonly BalancerChange[] => {
      const existing = have.get(at(one))
      if (existing === undefined) return [{ do: "create-listener", desired: one, reason: `there is no listener for ${at(one)}` }]
      return [...listenerChanges(one, existing.listener), ...poolChanges(one.default_pool, existing)]
    }),
  ]
}

const listenerFields = [
  "connection_limit",
  "allowed_cidrs",
  "timeout_client_data",
  "timeout_member_connect",
  "timeout_member_data",
  "timeout_tcp_inspect",
  "default_tls_container_ref",
  "insert_headers",
  "tags",
] as const

function listenerChanges(desired: DesiredListener, found: wire.Listener): readonly BalancerChange[] {
  const change = differing(listenerFields, desired, found)
  if (change === undefined) return []
  return [{ do: "update-listener", id: found.id, change, reason: `${Object.keys(change).join(", ")} of listener ${found.name} differ` }]
}

function poolChanges(desired: wire.NewPoolTree, { listener, pool, members, monitor }: FoundListener): readonly BalancerChange[] {
  if (pool === undefined) return [{ do: "create-pool", listener: listener.id, desired, reason: `listener ${listener.name} has no pool` }]
  if (pool.protocol !== desired.protocol) {
    const reason = `pool ${pool.name} speaks ${pool.protocol}, and ${desired.protocol} is wanted`
    return [{ do: "replace-pool", listener: listener.id, old: pool.id, desired, reason }]
  }
  const settings = { lb_algorithm: desired.lb_algorithm, session_persistence: desired.session_persistence ?? null }
  const persistence = pool.session_persistence?.type === settings.session_persistence?.type
  const same = persistence && pool.lb_algorithm === settings.lb_algorithm
  return [
    ...(same ? [] : [{ do: "update-pool" as const, id: pool.id, change: settings, reason: `pool ${pool.name} balances in another way` }]),
    ...memberChanges(desired.members ?? [], members, pool.id),
    ...monitorChanges(desired.healthmonitor, monitor, pool.id),
  ]
}

/** Members are compared as a set: a needless batch would interrupt traffic. */
export function memberChanges(desired: readonly wire.NewMember[], found: readonly wire.Member[], pool: string): readonly BalancerChange[] {
  const key = (member: Pick<wire.NewMember, "name" | "address" | "protocol_port"> & { readonly monitor_port?: number | null }) =>
    `${member.name}-${member.address}-${member.protocol_port}-${member.monitor_port ?? 0}`
  const [desiredKeys, have] = [new Set(desired.map(key)), new Set(found.map(key))]
  const [more, gone] = [[...desiredKeys].filter((one) => !have.has(one)), [...have].filter((one) => !desiredKeys.has(one))]
  if (more.length === 0 && gone.length === 0) return []
  return [{ do: "replace-members", pool, members: desired, reason: `${more.length} members are missing and ${gone.length} are too many` }]
}

/** Returns the changes of a pool's health monitor: create, update or delete. */
export function monitorChanges(
  desired: Omit<wire.NewHealthMonitor, "pool_id"> | undefined,
  found: wire.HealthMonitor | undefined,
  pool: string,
): readonly BalancerChange[] {
  if (desired === undefined)
    return found === undefined ? [] : [{ do: "delete-monitor", id: found.id, reason: "no health monitor is wanted" }]
  if (found === undefined) return [{ do: "create-monitor", pool, desired, reason: "there is no health monitor" }]
  if (found.type !== desired.type) {
    const reason = `the health monitor is of type ${found.type}, and ${desired.type} is wanted`
    return [
      { do: "delete-monitor", id: found.id, reason },
      { do: "create-monitor", pool, desired, reason },
    ]
  }
  const change = differing(["delay", "timeout", "max_retries", "max_retries_down", "url_path"], desired, found)
  return change === undefined
    ? []
    : [{ do: "update-monitor", id: found.id, change, reason: `${Object.keys(change).join(", ")} of the health monitor differ` }]
}

/** Returns the desired fields that differ; fields without a desired value are left alone. */
function differing<Name extends string, Value extends Partial<Record<Name, unknown>>>(
  names: readonly Name[],
  desired: Value,
  found: object,
): Partial<Value> | undefined {
  const own = found as Partial<Record<Name, unknown>>
  const changed = names.filter(
    (name) => desired[name] !== undefined && JSON.stringify(sorted(desired[name])) !== JSON.stringify(sorted(own[name])),
  )
  return changed.length === 0 ? undefined : (Object.fromEntries(changed.map((name) => [name, desired[name]])) as unknown as Partial<Value>)
}

function sorted(value: unknown): unknown {
  return Array.isArray(value) ? value.map(String).sort() : value
}
