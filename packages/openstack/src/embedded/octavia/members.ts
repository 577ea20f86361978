import type * as wire from "../../clients/octavia/types.ts"
import { octaviaProblem } from "../rest/problem.ts"
import { checkAttributes } from "./attributes.ts"
import { listenersOn } from "./pools.ts"
import { checkOctaviaQuota, type MemberRow, type OctaviaState } from "./state.ts"
import { changeBelow, refuseUnlessActive, type Touched, touched } from "./work.ts"

type Place = Pick<wire.NewMember, "address" | "protocol_port">

export function createMember(state: OctaviaState, pool: string, requested: wire.NewMember, project: string): MemberRow {
  const { balancer } = state.pools.get(pool)
  checkMember(state, requested)
  checkOctaviaQuota(state, "member", project)
  refuseUnlessActive(state, balancer)
  const row = addMember(state, pool, requested, project)
  change(state, pool, [touched(state.members, row.id, "PENDING_CREATE")])
  return row
}

/** Puts the row, without any work. */
export function addMember(state: OctaviaState, pool: string, requested: wire.NewMember, project: string): MemberRow {
  checkMember(state, requested)
  if (poolMembers(state, pool).some((member) => memberKey(member) === memberKey(requested))) throw duplicate(requested)
  const { subnet_id = null, monitor_address = null, monitor_port = null, weight = 1, backup = false, project_id, ...rest } = requested
  const { description: _none, ...fresh } = state.fresh(project_id ?? project)
  const operating_status = state.monitors.where((monitor) => monitor.pool === pool).length > 0 ? "OFFLINE" : "NO_MONITOR"
  return state.members.put({ ...fresh, operating_status, subnet_id, monitor_address, monitor_port, weight, backup, ...rest, pool })
}

export function updateMember(state: OctaviaState, pool: string, id: string, requested: wire.MemberChange): MemberRow {
  const row = findMember(state, pool, id)
  checkAttributes("member", requested, true)
  refuseUnlessActive(state, state.pools.get(pool).balancer)
  state.members.put({ ...row, ...requested })
  change(state, pool, [touched(state.members, id, "PENDING_UPDATE")])
  return state.members.get(id)
}

export function deleteMember(state: OctaviaState, pool: string, id: string): void {
  findMember(state, pool, id)
  refuseUnlessActive(state, state.pools.get(pool).balancer)
  change(state, pool, [touched(state.members, id, "PENDING_DELETE")])
}

/** The whole set at once: what is named stays or comes, what is not named goes, unless only more are wanted. */
export function replaceMembers(
  state: OctaviaState,
  pool: string,
  requested: readonly wire.NewMember[],
  additive: boolean,
  project: string,
): void {
  const { balancer } = state.pools.get(pool)
  for (const member of requested) checkMember(state, member)
  const repeated = requested.find((member, at) => requested.findIndex((other) => memberKey(other) === memberKey(member)) !== at)
  if (repeated !== undefined) throw duplicate(repeated)
  const have = new Map(poolMembers(state, pool).map((member) => [memberKey(member), member]))
  const fresh = requested.filter((member) => !have.has(memberKey(member)))
  checkOctaviaQuota(state, "member", project, fresh.length)
  refuseUnlessActive(state, balancer)
  const named = new Set(requested.map(memberKey))
  const about: Touched[] = []
  for (const [key, member] of have) {
    if (!named.has(key) && !additive) about.push(touched(state.members, member.id, "PENDING_DELETE"))
  }
  for (const member of requested) about.push(putOne(state, pool, member, have.get(memberKey(member)), project))
  change(state, pool, about)
}

function putOne(state: OctaviaState, pool: string, requested: wire.NewMember, found: MemberRow | undefined, project: string): Touched {
  if (found === undefined) return touched(state.members, addMember(state, pool, requested, project).id, "PENDING_CREATE")
  const { project_id: _project, subnet_id: _subnet, ...settings } = requested
  state.members.put({ ...found, ...settings })
  return touched(state.members, found.id, "PENDING_UPDATE")
}

function change(state: OctaviaState, pool: string, about: readonly Touched[]): void {
  changeBelow(state, state.pools.get(pool).balancer, about, [touched(state.pools, pool, "PENDING_UPDATE"), ...listenersOn(state, pool)])
}

export function findMember(state: OctaviaState, pool: string, id: string): MemberRow {
  const row = state.members.get(id)
  if (row.pool !== pool) throw octaviaProblem(404, `Member ${id} not found.`)
  return row
}

export function poolMembers(state: OctaviaState, pool: string): readonly MemberRow[] {
  return state.members.where((member) => member.pool === pool)
}

function checkMember(state: OctaviaState, requested: wire.NewMember): void {
  checkAttributes("member", requested)
  const { subnet_id } = requested
  if (subnet_id && state.around.neutron.subnets.find(subnet_id) === undefined) throw octaviaProblem(400, `Subnet ${subnet_id} not found.`)
}

function memberKey({ address, protocol_port }: Place): string {
  return `${address} ${protocol_port}`
}

function duplicate({ address, protocol_port }: Place): Error {
  return octaviaProblem(409, `Another member on this pool is already using ip ${address} on protocol_port ${protocol_port}`)
}
