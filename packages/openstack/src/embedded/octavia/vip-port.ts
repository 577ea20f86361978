import type { NewLoadBalancer } from "../../clients/octavia/types.ts"
import { createGroup, createRule, deleteGroup } from "../neutron/security-groups.ts"
import { octaviaProblem, Problem } from "../rest/problem.ts"
import type { BalancerRow, OctaviaState } from "./state.ts"

type Vip = Pick<BalancerRow, "vip_address" | "vip_port_id" | "vip_subnet_id" | "vip_network_id" | "keepsPort">

/** Finds or makes the port with the address of a load balancer. A refusal of Neutron is a 500 here. */
export function createVip(state: OctaviaState, id: string, requested: NewLoadBalancer, project: string): Vip {
  const { neutron } = state.around
  if (requested.vip_port_id !== undefined) {
    const port = neutron.ports.find(requested.vip_port_id)
    if (port === undefined) throw octaviaProblem(400, `Port ${requested.vip_port_id} not found.`)
    const [fixed] = port.fixed_ips
    return vip(port.id, port.network_id, fixed?.subnet_id ?? "", fixed?.ip_address ?? "", true)
  }
  const subnet_id = requested.vip_subnet_id ?? firstSubnet(state, requested.vip_network_id)
  const subnet = neutron.subnets.find(subnet_id)
  if (subnet === undefined) throw octaviaProblem(400, `Subnet ${subnet_id} not found.`)
  const port = asProvider(requested.provider ?? "amphora", () =>
    state.around.ports.create(
      {
        network_id: subnet.network_id,
        name: `octavia-lb-${id}`,
        device_owner: "Octavia",
        device_id: `lb-${id}`,
        admin_state_up: false,
        fixed_ips: [{ subnet_id, ...(requested.vip_address === undefined ? {} : { ip_address: requested.vip_address }) }],
      },
      project,
    ),
  )
  return vip(port.id, port.network_id, subnet_id, port.fixed_ips[0]?.ip_address ?? "", false)
}

function vip(vip_port_id: string, vip_network_id: string, vip_subnet_id: string, vip_address: string, keepsPort: boolean): Vip {
  return { vip_port_id, vip_network_id, vip_subnet_id, vip_address, keepsPort }
}

function firstSubnet(state: OctaviaState, network: string | undefined): string {
  if (network === undefined) {
    throw octaviaProblem(400, "Validation failure: VIP must contain one of: vip_port_id, vip_network_id, vip_subnet_id.")
  }
  const found = state.around.neutron.networks.find(network)?.subnets[0]
  if (found === undefined) throw octaviaProblem(400, `Network ${network} not found.`)
  return found
}

function asProvider<T>(provider: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof Problem) throw octaviaProblem(500, `Provider '${provider}' reports error: ${error.message}`)
    throw error
  }
}

/** The group of the VIP port lets in what the listeners listen to. Made and kept up while Octavia works on the load balancer. */
export function guardVip(state: OctaviaState, id: string): void {
  const { neutron, serviceProject } = state.around
  const balancer = state.balancers.rows.get(id)
  if (balancer === undefined || neutron.ports.find(balancer.vip_port_id) === undefined) return
  removeGuard(state, balancer)
  const group = createGroup(neutron, { name: `lb-${id}` }, serviceProject)
  const rules = state.listeners
    .where((listener) => listener.balancer === id)
    .flatMap((listener) => {
      const prefixes = listener.allowed_cidrs?.length ? listener.allowed_cidrs : [null]
      const protocol = listener.protocol === "UDP" || listener.protocol === "SCTP" ? listener.protocol.toLowerCase() : "tcp"
      return prefixes.map((remote_ip_prefix) => ({ protocol, port: listener.protocol_port, remote_ip_prefix }))
    })
  const seen = new Set<string>()
  for (const { protocol, port, remote_ip_prefix } of [...rules, { protocol: "tcp", port: 1025, remote_ip_prefix: null }]) {
    const key = `${protocol} ${port} ${remote_ip_prefix}`
    if (seen.has(key)) continue
    seen.add(key)
    const range = { port_range_min: port, port_range_max: port }
    createRule(neutron, { security_group_id: group.id, direction: "ingress", protocol, remote_ip_prefix, ...range }, serviceProject)
  }
  const others = neutron.ports.get(balancer.vip_port_id).security_groups.filter((one) => !isOwnDefault(state, balancer, one))
  neutron.ports.change(balancer.vip_port_id, { security_groups: [...others, group.id] })
}

function isOwnDefault(state: OctaviaState, { keepsPort }: BalancerRow, group: string): boolean {
  return !keepsPort && state.around.neutron.securityGroups.find(group)?.name === "default"
}

function removeGuard(state: OctaviaState, { id, vip_port_id }: BalancerRow): void {
  const { neutron } = state.around
  const old = [...neutron.securityGroups.values()].find((group) => group.name === `lb-${id}`)
  if (old === undefined) return
  const port = neutron.ports.find(vip_port_id)
  if (port !== undefined) neutron.ports.change(port.id, { security_groups: port.security_groups.filter((one) => one !== old.id) })
  deleteGroup(neutron, old.id)
}

export function releaseVip(state: OctaviaState, balancer: BalancerRow): void {
  removeGuard(state, balancer)
  const { neutron, ports } = state.around
  if (!balancer.keepsPort && neutron.ports.find(balancer.vip_port_id) !== undefined) ports.delete(balancer.vip_port_id)
}
