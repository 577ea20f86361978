import type * as wire from "../../clients/neutron/types.ts"
import { neutronProblem } from "../rest/problem.ts"
import type { Ports } from "./ports.ts"
import { checkQuota } from "./quotas.ts"
import type { NeutronState } from "./state.ts"

/** Creates a router within the quota of its project. */
export function createRouter(state: NeutronState, requested: wire.NewRouter, project: string): wire.Router {
  const owner = requested.project_id ?? project
  checkQuota(state, "router", owner)
  return state.routers.put({
    ...state.fresh(owner),
    name: "",
    status: "ACTIVE",
    external_gateway_info: null,
    ...requested,
    project_id: owner,
  })
}

/** The router takes the subnet's gateway address with a port of its own. */
export function addInterface(state: NeutronState, ports: Ports, router: string, subnet_id: string): unknown {
  const { project_id } = state.routers.get(router)
  const subnet = state.subnets.get(subnet_id)
  const joined = state.routerSubnets.get(router) ?? new Set<string>()
  if (joined.has(subnet_id)) {
    throw neutronProblem(400, "BadRequest", `Bad router request: Router already has a port on subnet ${subnet_id}.`)
  }
  const fixed_ips = [{ subnet_id, ...(subnet.gateway_ip === null ? {} : { ip_address: subnet.gateway_ip }) }]
  const port = ports.create(
    { network_id: subnet.network_id, fixed_ips, device_owner: "network:router_interface", device_id: router, security_groups: [] },
    project_id,
  )
  state.routerSubnets.set(router, joined.add(subnet_id))
  return { id: router, port_id: port.id, subnet_id }
}

/** Removes the interface of a router on a subnet, and releases its addresses. */
export function removeInterface(state: NeutronState, router: string, subnet_id: string): unknown {
  state.routers.get(router)
  const port = [...state.ports.values()].find((one) => one.device_id === router && one.fixed_ips.some((ip) => ip.subnet_id === subnet_id))
  if (port === undefined) {
    throw neutronProblem(404, "RouterInterfaceNotFoundForSubnet", `Router ${router} has no interface on subnet ${subnet_id}.`)
  }
  for (const { ip_address } of port.fixed_ips) state.addresses.get(subnet_id)?.delete(ip_address)
  state.ports.delete(port.id)
  state.routerSubnets.get(router)?.delete(subnet_id)
  return { id: router, port_id: port.id, subnet_id }
}

export function deleteRouter(state: NeutronState, id: string): void {
  state.routers.get(id)
  if ((state.routerSubnets.get(id)?.size ?? 0) > 0) throw neutronProblem(409, "RouterInUse", `Router ${id} still has ports`)
  state.routers.delete(id)
}
