import type * as wire from "../../clients/octavia/types.ts"
import { octaviaProblem } from "../rest/problem.ts"
import { checkAttributes } from "./attributes.ts"
import { checkOctaviaQuota, type ListenerRow, type OctaviaState } from "./state.ts"
import { guardVip } from "./vip-port.ts"
import { changeBelow, refuseUnlessActive, touched } from "./work.ts"

export function createListener(state: OctaviaState, requested: wire.NewListener, project: string): ListenerRow {
  const balancer = state.balancers.get(requested.loadbalancer_id)
  checkAttributes("listener", requested)
  checkOctaviaQuota(state, "listener", project)
  refuseUnlessActive(state, balancer.id)
  const row = addListener(state, requested, project)
  changeBelow(state, balancer.id, [touched(state.listeners, row.id, "PENDING_CREATE")], [], () => guardVip(state, balancer.id))
  return row
}

/** Puts the row, without any work: as a part of a new load balancer or of its own. */
export function addListener(state: OctaviaState, requested: wire.NewListener, project: string): ListenerRow {
  checkAttributes("listener", requested)
  const { loadbalancer_id: balancer, protocol, protocol_port } = requested
  // One port may be used twice: once by TCP's family and once by UDP's.
  const family = (name: string) => (name === "UDP" || name === "SCTP" ? name : "TCP")
  const samePort = state.listeners.where((one) => one.balancer === balancer && one.protocol_port === protocol_port)
  if (samePort.some((one) => family(one.protocol) === family(protocol))) {
    throw octaviaProblem(
      409,
      `Another Listener on this Load Balancer is already using protocol ${protocol} and protocol_port ${protocol_port}`,
    )
  }
  return state.listeners.put({
    ...state.fresh(requested.project_id ?? project),
    ...defaults,
    ...listenerSettings(requested),
    protocol,
    protocol_port,
    balancer,
  })
}

const defaults = {
  default_pool_id: null,
  connection_limit: -1,
  allowed_cidrs: null,
  insert_headers: {},
  timeout_client_data: 50_000,
  timeout_member_connect: 5_000,
  timeout_member_data: 50_000,
  timeout_tcp_inspect: 0,
  default_tls_container_ref: null,
}

function listenerSettings(requested: wire.NewListener): wire.ListenerSettings {
  const { loadbalancer_id: _lb, protocol: _protocol, protocol_port: _port, project_id: _project, ...settings } = requested
  return settings
}

export function updateListener(state: OctaviaState, id: string, change: wire.ListenerSettings): ListenerRow {
  const row = state.listeners.get(id)
  checkAttributes("listener", change, true)
  if (change.default_pool_id) state.pools.get(change.default_pool_id)
  refuseUnlessActive(state, row.balancer)
  state.listeners.put({ ...row, ...change })
  changeBelow(state, row.balancer, [touched(state.listeners, id, "PENDING_UPDATE")], [], () => guardVip(state, row.balancer))
  return state.listeners.get(id)
}

export function deleteListener(state: OctaviaState, id: string): void {
  const { balancer } = state.listeners.get(id)
  refuseUnlessActive(state, balancer)
  changeBelow(state, balancer, [touched(state.listeners, id, "PENDING_DELETE")], [], () => guardVip(state, balancer))
}
