import type * as wire from "../../clients/neutron/types.ts"
import { neutronProblem } from "../rest/problem.ts"
import { allocate, release } from "./allocate.ts"
import { checkQuota } from "./quotas.ts"
import type { NeutronState } from "./state.ts"

type Attachment = Pick<wire.FloatingIp, "port_id" | "fixed_ip_address" | "router_id">

const detached: Attachment = { port_id: null, fixed_ip_address: null, router_id: null }

/** Creates a floating IP on an external network, attached to a port where one is named; refused as Neutron refuses it. */
export function createFloatingIp(state: NeutronState, requested: wire.NewFloatingIp, project: string): wire.FloatingIp {
  const owner = requested.project_id ?? project
  const { floating_network_id, floating_ip_address, subnet_id } = requested
  if (!state.networks.get(floating_network_id)["router:external"]) {
    throw neutronProblem(400, "BadRequest", `Bad floatingip request: Network ${floating_network_id} is not a valid external network.`)
  }
  checkQuota(state, "floatingip", owner)
  const attachment = attach(state, { ...requested, floating_network_id }, undefined)
  const [address] = allocate(state, floating_network_id, [{ ip_address: floating_ip_address, subnet_id }])
  return state.floatingIps.put({
    ...state.fresh(owner),
    floating_network_id,
    floating_ip_address: address?.ip_address ?? "",
    status: "DOWN",
    ...attachment,
    description: requested.description ?? "",
  })
}

export function updateFloatingIp(state: NeutronState, id: string, change: Partial<wire.NewFloatingIp>): wire.FloatingIp {
  const found = state.floatingIps.get(id)
  const words = change.description === undefined ? {} : { description: change.description }
  if (change.port_id === undefined) return state.floatingIps.change(id, words)
  return state.floatingIps.change(id, { ...words, ...attach(state, { ...change, floating_network_id: found.floating_network_id }, id) })
}

export function deleteFloatingIp(state: NeutronState, id: string): void {
  const { floating_network_id, floating_ip_address } = state.floatingIps.get(id)
  const subnets = state.networks.find(floating_network_id)?.subnets ?? []
  release(
    state,
    subnets.map((subnet_id) => ({ subnet_id, ip_address: floating_ip_address })),
  )
  state.floatingIps.delete(id)
}

function attach(state: NeutronState, requested: Partial<wire.NewFloatingIp>, own: string | undefined): Attachment {
  const { port_id, floating_network_id = "" } = requested
  if (port_id === undefined || port_id === null) return detached
  const port = state.ports.get(port_id)
  const fixed = port.fixed_ips.find(
    ({ ip_address }) => requested.fixed_ip_address === undefined || ip_address === requested.fixed_ip_address,
  )
  if (fixed === undefined) throw neutronProblem(400, "BadRequest", `Bad floatingip request: Port ${port_id} does not have fixed IP.`)
  const router = [...state.routers.values()].find((one) => {
    return one.external_gateway_info?.network_id === floating_network_id && state.routerSubnets.get(one.id)?.has(fixed.subnet_id)
  })
  if (router === undefined) {
    throw neutronProblem(
      404,
      "ExternalGatewayForFloatingIPNotFound",
      `External network ${floating_network_id} is not reachable from subnet ${fixed.subnet_id}.  Therefore, cannot associate Port ${port_id} with a Floating IP.`,
    )
  }
  refuseSecond(state, { port_id, fixed: fixed.ip_address, network: floating_network_id, own })
  return { port_id, fixed_ip_address: fixed.ip_address, router_id: router.id }
}

function refuseSecond(state: NeutronState, at: { port_id: string; fixed: string; network: string; own: string | undefined }): void {
  for (const other of state.floatingIps.values()) {
    if (other.id === at.own || other.port_id !== at.port_id || other.fixed_ip_address !== at.fixed) continue
    throw neutronProblem(
      409,
      "FloatingIPPortAlreadyAssociated",
      `Cannot associate floating IP with port ${at.port_id} using fixed IP ${at.fixed}, as that fixed IP already has a floating IP on external network ${at.network}.`,
    )
  }
}
