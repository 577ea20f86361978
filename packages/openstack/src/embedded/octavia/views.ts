import type * as wire from "../../clients/octavia/types.ts"
import type { BalancerRow, ListenerRow, MemberRow, MonitorRow, OctaviaState, PoolRow } from "./state.ts"

/** The rows as they are on the wire: with the ids of what is above and below them. */
export function showBalancer(state: OctaviaState, { keepsPort: _, ...row }: BalancerRow): wire.LoadBalancer {
  return {
    ...row,
    listeners: refs(state.listeners.where((listener) => listener.balancer === row.id)),
    pools: refs(state.pools.where((pool) => pool.balancer === row.id)),
  }
}

export function showListener({ balancer, ...row }: ListenerRow): wire.Listener {
  return { ...row, loadbalancers: [{ id: balancer }] }
}

export function showPool(state: OctaviaState, { balancer, ...row }: PoolRow): wire.Pool {
  return {
    ...row,
    loadbalancers: [{ id: balancer }],
    listeners: refs(state.listeners.where((listener) => listener.default_pool_id === row.id)),
    members: refs(state.members.where((member) => member.pool === row.id)),
    healthmonitor_id: poolMonitor(state, row.id)?.id ?? null,
  }
}

export function showMember({ pool: _, ...row }: MemberRow): wire.Member {
  return row
}

export function showMonitor({ pool, ...row }: MonitorRow): wire.HealthMonitor {
  return { ...row, pools: [{ id: pool }] }
}

export function poolMonitor(state: OctaviaState, pool: string): MonitorRow | undefined {
  return state.monitors.where((monitor) => monitor.pool === pool)[0]
}

function refs(rows: readonly wire.IdRef[]): readonly wire.IdRef[] {
  return rows.map(({ id }) => ({ id }))
}

/** Returns the status tree of a load balancer: listeners, their pools, members and health monitors. */
export function statusTree(state: OctaviaState, balancer: BalancerRow): wire.StatusTree {
  const pools = new Map(state.pools.where((pool) => pool.balancer === balancer.id).map((pool) => [pool.id, poolStatus(state, pool)]))
  const listeners = state.listeners
    .where((listener) => listener.balancer === balancer.id)
    .map((listener) => {
      const pool = pools.get(listener.default_pool_id ?? "")
      return { ...node(listener), pools: pool === undefined ? [] : [pool] }
    })
  return { loadbalancer: { ...node(balancer), listeners } }
}

function poolStatus(state: OctaviaState, pool: PoolRow): wire.PoolStatus {
  const members = state.members.where((member) => member.pool === pool.id)
  return { ...node(pool), members: members.map((one) => ({ ...node(one), address: one.address, protocol_port: one.protocol_port })) }
}

function node({ id, name, provisioning_status, operating_status }: wire.StatusNode): wire.StatusNode {
  return { id, name, provisioning_status, operating_status }
}
