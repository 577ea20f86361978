import type * as wire from "../../clients/octavia/types.ts"
import { octaviaProblem } from "../rest/problem.ts"
import { checkAttributes } from "./attributes.ts"
import { listenersOn } from "./pools.ts"
import { checkOctaviaQuota, type MonitorRow, type OctaviaState } from "./state.ts"
import { changeBelow, refuseUnlessActive, type Touched, touched } from "./work.ts"

export function createMonitor(state: OctaviaState, requested: wire.NewHealthMonitor, project: string): MonitorRow {
  const { balancer } = state.pools.get(requested.pool_id)
  checkOctaviaQuota(state, "health_monitor", project)
  refuseUnlessActive(state, balancer)
  const row = addMonitor(state, requested, project)
  work(state, row, "PENDING_CREATE")
  return row
}

/** Puts the row, without any work. */
export function addMonitor(state: OctaviaState, requested: wire.NewHealthMonitor, project: string): MonitorRow {
  checkAttributes("healthmonitor", requested)
  if (state.monitors.where((monitor) => monitor.pool === requested.pool_id).length > 0) {
    throw octaviaProblem(409, "This pool already has a health monitor")
  }
  const { pool_id: pool, project_id, ...rest } = requested
  const { description: _none, ...fresh } = state.fresh(project_id ?? project)
  return state.monitors.put({ ...fresh, max_retries_down: 3, url_path: null, ...rest, pool })
}

export function updateMonitor(state: OctaviaState, id: string, change: wire.HealthMonitorSettings): MonitorRow {
  const row = state.monitors.get(id)
  checkAttributes("healthmonitor", change, true)
  refuseUnlessActive(state, state.pools.get(row.pool).balancer)
  state.monitors.put({ ...row, ...change })
  work(state, row, "PENDING_UPDATE")
  return state.monitors.get(id)
}

export function deleteMonitor(state: OctaviaState, id: string): void {
  const row = state.monitors.get(id)
  refuseUnlessActive(state, state.pools.get(row.pool).balancer)
  work(state, row, "PENDING_DELETE")
}

function work(state: OctaviaState, { id, pool }: MonitorRow, becomes: Touched["becomes"]): void {
  const way = [touched(state.pools, pool, "PENDING_UPDATE"), ...listenersOn(state, pool)]
  changeBelow(state, state.pools.get(pool).balancer, [touched(state.monitors, id, becomes)], way)
}
