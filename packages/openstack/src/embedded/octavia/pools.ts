import type * as wire from "../../clients/octavia/types.ts"
import { octaviaProblem } from "../rest/problem.ts"
import { checkAttributes } from "./attributes.ts"
import { checkOctaviaQuota, type OctaviaState, type PoolRow } from "./state.ts"
import { changeBelow, refuseUnlessActive, type Touched, touched } from "./work.ts"

/** Which pools a listener can have. */
const fits: Readonly<Record<string, readonly string[]>> = {
  TCP: ["TCP", "HTTP", "HTTPS", "PROXY", "PROXYV2"],
  HTTP: ["HTTP", "PROXY", "PROXYV2"],
  HTTPS: ["HTTPS", "TCP", "PROXY", "PROXYV2"],
  TERMINATED_HTTPS: ["HTTP", "PROXY", "PROXYV2"],
  UDP: ["UDP"],
  SCTP: ["SCTP"],
}

export function createPool(state: OctaviaState, requested: wire.NewPool, project: string): PoolRow {
  const balancer = poolBalancer(state, requested)
  checkOctaviaQuota(state, "pool", project)
  checkPool(state, requested)
  refuseUnlessActive(state, balancer)
  const row = addPool(state, requested, project)
  changeBelow(state, balancer, [touched(state.pools, row.id, "PENDING_CREATE")], listenersOn(state, row.id))
  return row
}

function checkPool(state: OctaviaState, requested: wire.NewPool): void {
  checkAttributes("pool", requested)
  if (requested.listener_id === undefined) return
  const listener = state.listeners.get(requested.listener_id)
  if (!fits[listener.protocol]?.includes(requested.protocol)) {
    throw octaviaProblem(
      400,
      `Validation failure: The pool protocol '${requested.protocol}' is invalid while the listener protocol is '${listener.protocol}'.`,
    )
  }
  if (listener.default_pool_id !== null) throw octaviaProblem(409, "This listener already has a default pool")
}

function poolBalancer(state: OctaviaState, { listener_id, loadbalancer_id }: wire.NewPool): string {
  if (listener_id !== undefined) return state.listeners.get(listener_id).balancer
  if (loadbalancer_id !== undefined) return state.balancers.get(loadbalancer_id).id
  throw octaviaProblem(400, "Validation failure: Must provide at least one of: loadbalancer_id, listener_id")
}

/** Puts the row, without any work. */
export function addPool(state: OctaviaState, requested: wire.NewPool, project: string): PoolRow {
  checkPool(state, requested)
  const { listener_id, loadbalancer_id: _lb, project_id, protocol, lb_algorithm, session_persistence, ...rest } = requested
  const row = state.pools.put({
    ...state.fresh(project_id ?? project),
    ...rest,
    protocol,
    lb_algorithm,
    session_persistence: toPersistence(session_persistence),
    balancer: poolBalancer(state, requested),
  })
  if (listener_id !== undefined) state.listeners.change(listener_id, { default_pool_id: row.id })
  return row
}

/** Every member of it is there in an answer. */
function toPersistence(requested: wire.SessionPersistence | null | undefined): wire.SessionPersistence | null {
  return requested ? { cookie_name: null, persistence_timeout: null, persistence_granularity: null, ...requested } : null
}

export function listenersOn(state: OctaviaState, pool: string): readonly Touched[] {
  return state.listeners
    .where((listener) => listener.default_pool_id === pool)
    .map(({ id }) => touched(state.listeners, id, "PENDING_UPDATE"))
}

/** Changes a pool of a load balancer that is ACTIVE; both are pending until the configured delay has passed. */
export function updatePool(state: OctaviaState, id: string, change: wire.PoolSettings): PoolRow {
  const row = state.pools.get(id)
  checkAttributes("pool", change, true)
  refuseUnlessActive(state, row.balancer)
  const { session_persistence, ...rest } = change
  const persistence = session_persistence === undefined ? {} : { session_persistence: toPersistence(session_persistence) }
  state.pools.put({ ...row, ...rest, ...persistence })
  changeBelow(state, row.balancer, [touched(state.pools, id, "PENDING_UPDATE")], listenersOn(state, id))
  return state.pools.get(id)
}

/** Deletes a pool with its members and health monitor after the configured delay. */
export function deletePool(state: OctaviaState, id: string): void {
  const { balancer } = state.pools.get(id)
  refuseUnlessActive(state, balancer)
  const members = state.members.where((member) => member.pool === id)
  const monitors = state.monitors.where((monitor) => monitor.pool === id)
  const about = [
    touched(state.pools, id, "PENDING_DELETE"),
    ...members.map((member) => touched(state.members, member.id, "PENDING_DELETE")),
    ...monitors.map((monitor) => touched(state.monitors, monitor.id, "PENDING_DELETE")),
  ]
  const way = listenersOn(state, id)
  changeBelow(state, balancer, about, way, () => {
    if (!state.pools.rows.has(id)) for (const listener of way) state.listeners.change(listener.id, { default_pool_id: null })
  })
}
