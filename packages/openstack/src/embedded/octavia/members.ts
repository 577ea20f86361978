import type * as wire from "../../clients/octavia/types.ts"
import { octaviaProblem } from "../problem.ts"
import { checkAttributes } from "./attributes.ts"
import { listenersOn } from "./pools.ts"
import { checkOctaviaQuota, type MemberRow, type OctaviaState } from "./state.ts"
import { changeBelow, refuseUnlessActive, type Touched, touched } from "./work.ts"

type Place = Pick<wire.NewMember, "address" | "protocol_port">

export function createMember(state: OctaviaState, pool: string, wanted: wire.NewMember, project: string): MemberRow {
  const { balancer } = state.pools.get(pool)
  checkMember(state, wanted)
  checkOctaviaQuota(state, "member", project)
  refuseUnlessActive(state, balancer)
  const row = addMember(state, pool, wanted, project)
  change(state, pool, [touched(state.members, row.id, "PENDING_CREATE")])
  return row
}

/** Puts the row, without any work. */
export function addMember(state: OctaviaState, pool: string, wanted: wire.NewMember, project: string): MemberRow {
  checkMember(state, wanted)
  if (membersOf(state, pool).some((member) => keyOf(member) === keyOf(wanted))) throw duplicate(wanted)
  const { subnet_id = null, monitor_address = null, monitor_port = null, weight = 1, backup = false, project_id, ...rest } = wanted
  const { description: _none, ...fresh } = state.fresh(project_id ?? project)
  const operating_status = state.monitors.where((monitor) => monitor.pool === pool).length > 0 ? "OFFLINE" : "NO_MONITOR"
  return state.members.put({ ...fresh, operating_status, subnet_id, monitor_address, monitor_port, weight, backup, ...rest, pool })
}

export function updateMember(state: OctaviaState, pool: string, id: string, wanted: wire.MemberChange): MemberRow {
  const row = memberOf(state, pool, id)
  checkAttributes("member", wanted, true)
  refuseUnlessActive(state, state.pools.get(pool).balancer)
  state.members.put({ ...row, ...wanted })
  change(state, pool, [touched(state.members, id, "PENDING_UPDATE")])
  return state.members.get(id)
}

export function deleteMember(state: OctaviaState, pool: string, id: string): void {
  memberOf(state, pool, id)
  refuseUnlessActive(state, state.pools.get(pool).balancer)
  change(state, pool, [touched(state.members, id, "PENDING_DELETE")])
}

/** The whole set at once: what is named stays or comes, what is not named goes, unless only more are wanted. */
export function replaceMembers(
  state: OctaviaState,
  pool: string,
  wanted: readonly wire.NewMember[],
  additive: boolean,
  project: string,
): void {
  const { balancer } = state.pools.get(pool)
  for (const member of wanted) checkMember(state, member)
  const twin = wanted.find((member, at) => wanted.findIndex((other) => keyOf(other) === keyOf(member)) !== at)
  if (twin !== undefined) throw duplicate(twin)
  const have = new Map(membersOf(state, pool).map((member) => [keyOf(member), member]))
  const fresh = wanted.filter((member) => !have.has(keyOf(member)))
  checkOctaviaQuota(state, "member", project, fresh.length)
  refuseUnlessActive(state, balancer)
  const named = new Set(wanted.map(keyOf))
  const about: Touched[] = []
  for (const [key, member] of have) {
    if (!named.has(key) && !additive) about.push(touched(state.members, member.id, "PENDING_DELETE"))
  }
  for (const member of wanted) about.push(putOne(state, pool, member, have.get(keyOf(member)), project))
  change(state, pool, about)
}

function putOne(state: OctaviaState, pool: string, wanted: wire.NewMember, found: MemberRow | undefined, project: string): Touched {
  if (found === undefined) return touched(state.members, addMember(state, pool, wanted, project).id, "PENDING_CREATE")
  const { project_id: _project, subnet_id: _subnet, ...settings } = wanted
  state.members.put({ ...found, ...settings })
  return touched(state.members, found.id, "PENDING_UPDATE")
}

function change(state: OctaviaState, pool: string, about: readonly Touched[]): void {
  changeBelow(state, state.pools.get(pool).balancer, about, [touched(state.pools, pool, "PENDING_UPDATE"), ...listenersOn(state, pool)])
}

export function memberOf(state: OctaviaState, pool: string, id: string): MemberRow {
  const row = state.members.get(id)
  if (row.pool !== pool) throw octaviaProblem(404, `Member ${id} not found.`)
  return row
}

export function membersOf(state: OctaviaState, pool: string): readonly MemberRow[] {
  return state.members.where((member) => member.pool === pool)
}

function checkMember(state: OctaviaState, wanted: wire.NewMember): void {
  checkAttributes("member", wanted)
  const { subnet_id } = wanted
  if (subnet_id && state.around.neutron.subnets.find(subnet_id) === undefined) throw octaviaProblem(400, `Subnet ${subnet_id} not found.`)
}

function keyOf({ address, protocol_port }: Place): string {
  return `${address} ${protocol_port}`
}

function duplicate({ address, protocol_port }: Place): Error {
  return octaviaProblem(409, `Another member on this pool is already using ip ${address} on protocol_port ${protocol_port}`)
}
