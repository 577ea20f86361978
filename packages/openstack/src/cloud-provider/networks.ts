import type { Node, Service } from "@pilothouse/api/core/v1"
import { CloudError } from "@pilothouse/cloud"
import type { OpenStack } from "../clients/cloud.ts"
import type { ServiceOptions } from "./service-options.ts"
import { nodeAddress } from "./wanted-balancer.ts"

export interface BalancerNetworks {
  readonly vip: { readonly vip_subnet_id: string } | { readonly vip_network_id: string } | { readonly vip_port_id: string }
  readonly memberSubnet?: string
}

/** Where the address of a new balancer comes from: what is asked for, else the subnet of the first node's port. */
export async function networksFor(
  cloud: OpenStack,
  options: ServiceOptions,
  nodes: readonly Node[],
  service: Service,
  signal: AbortSignal,
): Promise<BalancerNetworks> {
  const { subnetId, networkId, portId, memberSubnetId } = options
  const members = memberSubnetId === undefined ? {} : { memberSubnet: memberSubnetId }
  if (portId !== undefined) return { vip: { vip_port_id: portId }, ...members }
  if (subnetId !== undefined) return { vip: { vip_subnet_id: subnetId }, memberSubnet: memberSubnetId ?? subnetId }
  if (networkId !== undefined) return { vip: { vip_network_id: networkId }, ...members }
  const found = await subnetOfNode(cloud, nodes, service, signal)
  return { vip: { vip_subnet_id: found }, memberSubnet: memberSubnetId ?? found }
}

async function subnetOfNode({ neutron }: OpenStack, nodes: readonly Node[], { spec }: Service, signal: AbortSignal): Promise<string> {
  const address = nodes.map((node) => nodeAddress(node, spec?.ipFamilies?.[0])).find((one) => one !== undefined)
  const [port] = address === undefined ? [] : await neutron.ports.list({ fixed_ips: [`ip_address=${address}`] }, { signal })
  const subnet = port?.fixed_ips.find(({ ip_address }) => ip_address === address)?.subnet_id
  if (subnet !== undefined) return subnet
  throw new CloudError(
    "expected a subnet for the load balancer, found neither subnet-id, network-id nor a port of a node; set the annotation loadbalancer.openstack.org/subnet-id or the option",
    { retryable: false },
  )
}
