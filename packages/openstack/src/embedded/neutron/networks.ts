import { type Cidr, formatIp, lastIn, parseCidrOrIp, parseIp } from "@pilothouse/api/net"
import type * as wire from "../../clients/neutron/types.ts"
import { neutronProblem } from "../rest/problem.ts"
import { checkQuota } from "./quotas.ts"
import type { NeutronState } from "./state.ts"

/** Creates a network within the quota of its project. */
export function createNetwork(state: NeutronState, requested: wire.NewNetwork, project: string): wire.Network {
  const owner = requested.project_id ?? project
  checkQuota(state, "network", owner)
  return state.networks.put({
    ...state.fresh(owner),
    name: "",
    status: "ACTIVE",
    admin_state_up: true,
    mtu: 1450,
    subnets: [],
    shared: false,
    "router:external": false,
    ...requested,
    project_id: owner,
  })
}

/** Deletes a network and its subnets; refused while ports are on it. */
export function deleteNetwork(state: NeutronState, id: string): void {
  const network = state.networks.get(id)
  const used = [...state.ports.values()].filter((port) => port.network_id === id)
  if (used.length > 0) {
    const ids = used.map((port) => port.id).join(",")
    throw neutronProblem(
      409,
      "NetworkInUse",
      `Unable to complete operation on network ${id}. There are one or more ports still in use on the network, id for these ports is: ${ids}.`,
    )
  }
  for (const subnet of network.subnets) state.subnets.delete(subnet)
  state.networks.delete(id)
}

/** Creates a subnet, with the first address of its range as the gateway by default. */
export function createSubnet(state: NeutronState, requested: wire.NewSubnet, project: string): wire.Subnet {
  const owner = requested.project_id ?? project
  checkQuota(state, "subnet", owner)
  const network = state.networks.get(requested.network_id)
  const range = parseCidrOrIp(requested.cidr)
  if (range === undefined)
    throw neutronProblem(400, "HTTPBadRequest", `Invalid input for cidr. Reason: '${requested.cidr}' is not a valid IP subnet.`)
  const gateway = requested.gateway_ip === undefined ? formatIp({ value: range.base + 1n, family: range.family }) : requested.gateway_ip
  const subnet = state.subnets.put({
    ...state.fresh(owner),
    name: "",
    enable_dhcp: true,
    dns_nameservers: [],
    host_routes: [],
    ...requested,
    project_id: owner,
    gateway_ip: gateway,
    allocation_pools: requested.allocation_pools ?? poolsBeside(range, gateway),
  })
  state.networks.change(network.id, { subnets: [...network.subnets, subnet.id] })
  return subnet
}

/** Everything but the network, the broadcast address and the gateway. */
function poolsBeside(range: Cidr, gateway: string | null): readonly wire.AllocationPool[] {
  const { family } = range
  const [start, end] = [range.base + 1n, family === 4 ? lastIn(range) - 1n : lastIn(range)]
  const hole = gateway === null ? undefined : parseIp(gateway)?.value
  const parts =
    hole === undefined || hole < start || hole > end
      ? [[start, end]]
      : [
          [start, hole - 1n],
          [hole + 1n, end],
        ]
  const address = (value: bigint) => formatIp({ value, family })
  return parts.flatMap(([from, to]) => (from! <= to! ? [{ start: address(from!), end: address(to!) }] : []))
}

/** Deletes a subnet; refused while one of its addresses is allocated. */
export function deleteSubnet(state: NeutronState, id: string): void {
  const subnet = state.subnets.get(id)
  if ((state.addresses.get(id)?.size ?? 0) > 0) {
    throw neutronProblem(
      409,
      "SubnetInUse",
      `Unable to complete operation on subnet ${id}: One or more ports have an IP allocation from this subnet.`,
    )
  }
  const network = state.networks.get(subnet.network_id)
  state.networks.change(network.id, { subnets: network.subnets.filter((one) => one !== id) })
  state.subnets.delete(id)
}
