import type * as wire from "../../clients/octavia/types.ts"
import { octaviaProblem } from "../rest/problem.ts"
import { checkAttributes, checkTreePart } from "./attributes.ts"
import { addMonitor } from "./health-monitors.ts"
import { addListener } from "./listeners.ts"
import { addMember } from "./members.ts"
import { addPool } from "./pools.ts"
import { type BalancerRow, checkOctaviaQuota, type OctaviaState } from "./state.ts"
import { createVip, guardVip, releaseVip } from "./vip-port.ts"

const providers = ["amphora", "stuck"]

/** Creates a load balancer, with the listeners, pools and members of the request; it is ACTIVE after the configured delay. */
export function createBalancer(state: OctaviaState, requested: wire.NewLoadBalancer, project: string): BalancerRow {
  checkAttributes("load_balancer", requested)
  const owner = requested.project_id ?? project
  const provider = requested.provider ?? "amphora"
  if (!providers.includes(provider)) throw octaviaProblem(400, `Provider '${provider}' is not enabled.`)
  checkOctaviaQuota(state, "load_balancer", owner)
  checkTreeQuota(state, requested.listeners ?? [], owner)
  const fresh = state.fresh(owner)
  const { name = "", description = "", tags = [], flavor_id = null, availability_zone = null, admin_state_up = true } = requested
  const attributes = { name, description, tags, flavor_id, availability_zone, admin_state_up, provider }
  const row = state.balancers.put({ ...fresh, ...attributes, ...createVip(state, fresh.id, requested, owner) })
  try {
    for (const listener of requested.listeners ?? []) addTree(state, row, listener)
  } catch (error) {
    removeRows(state, row)
    throw error
  }
  if (provider !== "stuck") finishCreate(state, row.id)
  return row
}

/** A flow of Octavia: everything of the tree is ACTIVE at once, or the load balancer is in ERROR. */
function finishCreate(state: OctaviaState, id: string): void {
  const { clock, knobs } = state.around
  clock.timer(knobs.loadBalancerDelay, `create of load balancer ${id}`, () => {
    const provisioning_status = knobs.loadBalancerFails ? "ERROR" : "ACTIVE"
    if (!knobs.loadBalancerFails) {
      guardVip(state, id)
      for (const part of below(state, id)) part.change("ACTIVE")
    }
    state.balancers.change(id, { provisioning_status })
  })
}

function addTree(state: OctaviaState, { id, project_id }: BalancerRow, tree: wire.NewListenerTree): void {
  const { default_pool, ...listener } = tree
  checkTreePart("listener", tree)
  const made = addListener(state, { ...listener, loadbalancer_id: id }, project_id)
  if (default_pool === undefined) return
  const { members = [], healthmonitor, ...pool } = default_pool
  checkTreePart("pool", pool)
  for (const member of members) checkTreePart("member", member)
  const { id: poolId } = addPool(state, { ...pool, listener_id: made.id }, project_id)
  for (const member of members) addMember(state, poolId, member, project_id)
  if (healthmonitor !== undefined) addMonitor(state, { ...healthmonitor, pool_id: poolId }, project_id)
}

function checkTreeQuota(state: OctaviaState, listeners: readonly wire.NewListenerTree[], project: string): void {
  const pools = listeners.flatMap(({ default_pool }) => default_pool ?? [])
  checkOctaviaQuota(state, "listener", project, listeners.length)
  checkOctaviaQuota(state, "pool", project, pools.length)
  checkOctaviaQuota(state, "member", project, pools.flatMap(({ members }) => members ?? []).length)
}

/** Changes a load balancer that is ACTIVE; it is PENDING_UPDATE until the configured delay has passed. */
export function updateBalancer(state: OctaviaState, id: string, change: wire.LoadBalancerChange): BalancerRow {
  const row = state.balancers.get(id)
  checkAttributes("load_balancer", change, true)
  if (row.provisioning_status !== "ACTIVE") throw invalidState(row)
  const pending = state.balancers.put({ ...row, ...change, provisioning_status: "PENDING_UPDATE" })
  const { clock, knobs } = state.around
  clock.timer(knobs.loadBalancerDelay, `update of load balancer ${id}`, () => {
    state.balancers.change(id, { provisioning_status: knobs.loadBalancerFails ? "ERROR" : "ACTIVE" })
  })
  return pending
}

/** Deletes a load balancer after the configured delay; refused where it has children, unless `cascade`. */
export function deleteBalancer(state: OctaviaState, id: string, cascade: boolean): void {
  const row = state.balancers.get(id)
  if (!cascade && below(state, id).length > 0) {
    throw octaviaProblem(400, `Validation failure: Cannot delete Load Balancer ${id} - it has children`)
  }
  if (row.provisioning_status !== "ACTIVE" && row.provisioning_status !== "ERROR") throw invalidState(row)
  state.balancers.put({ ...row, provisioning_status: "PENDING_DELETE" })
  const { clock, knobs } = state.around
  clock.timer(knobs.loadBalancerDelay, `delete of load balancer ${id}`, () => {
    if (knobs.loadBalancerFails) state.balancers.change(id, { provisioning_status: "ERROR" })
    else removeRows(state, row)
  })
}

/** Takes a load balancer away without asking, and everything that belongs to it. */
export function removeRows(state: OctaviaState, row: BalancerRow): void {
  for (const part of below(state, row.id)) part.remove()
  state.balancers.rows.delete(row.id)
  releaseVip(state, row)
}

function invalidState({ id, provisioning_status }: BalancerRow): Error {
  return octaviaProblem(409, `Invalid state ${provisioning_status} of loadbalancer resource ${id}`)
}

interface Below {
  change(provisioning_status: wire.ProvisioningStatus): void
  remove(): void
}

function below(state: OctaviaState, id: string): readonly Below[] {
  const pools = new Set(state.pools.where((pool) => pool.balancer === id).map((pool) => pool.id))
  const of = [
    [state.listeners, state.listeners.where((listener) => listener.balancer === id)],
    [state.pools, state.pools.where((pool) => pools.has(pool.id))],
    [state.members, state.members.where((member) => pools.has(member.pool))],
    [state.monitors, state.monitors.where((monitor) => pools.has(monitor.pool))],
  ] as const
  return of.flatMap(([parts, rows]) =>
    rows.map((row) => ({
      change: (provisioning_status) => parts.change(row.id, { provisioning_status }),
      remove: () => void parts.rows.delete(row.id),
    })),
  )
}
