import type { Node, Service } from "@pilothouse/api/core/v1"
import { CloudError } from "@pilothouse/cloud"
import type { OpenStack } from "../clients/cloud.ts"
import type { FloatingIp } from "../clients/neutron/types.ts"
import type { LoadBalancer } from "../clients/octavia/types.ts"
import type { FoundListener } from "./decide.ts"
import { nodeAddress } from "./desired-listeners.ts"
import { balancerName, plainName } from "./names.ts"
import type { ServiceOptions } from "./service-options.ts"

export interface FindBalancer {
  readonly cloud: OpenStack
  readonly cluster: string
  readonly service: Service
  /** The id that an annotation gives. */
  readonly id?: string
  readonly signal: AbortSignal
}

/**
 * The balancer of a Service: by the id that its annotation gives, else by our name, else the one that cloud-provider-openstack left under its
 * own name, if the Service says that it has its address. One that is being deleted does not count.
 */
export async function findBalancer(find: FindBalancer): Promise<LoadBalancer | undefined> {
  const { cloud, cluster, service, id, signal } = find
  if (id !== undefined) {
    const named = await cloud.octavia.loadBalancers.find(id, { signal })
    if (named !== undefined && isThere(named)) return named
  }
  const own = await onlyNamed(find, balancerName(cluster, service))
  if (own !== undefined) return own
  const reportedIps = new Set((service.status?.loadBalancer?.ingress ?? []).map((ingress) => ingress.ip))
  if (reportedIps.size === 0) return undefined
  const left = await onlyNamed(find, plainName(cluster, service))
  if (left === undefined) return undefined
  const floating = await findFloatingIp(cloud, left, signal)
  return reportedIps.has(left.vip_address) || (floating !== undefined && reportedIps.has(floating.floating_ip_address)) ? left : undefined
}

async function onlyNamed({ cloud, signal }: FindBalancer, name: string): Promise<LoadBalancer | undefined> {
  const found = (await cloud.octavia.loadBalancers.list({ name }, { signal })).filter(isThere)
  if (found.length > 1) throw new CloudError(`expected one load balancer ${name}, found ${found.length}; delete what is too much`)
  return found[0]
}

function isThere({ provisioning_status }: LoadBalancer): boolean {
  return provisioning_status !== "DELETED" && provisioning_status !== "PENDING_DELETE"
}

export async function findFloatingIp(
  { neutron }: OpenStack,
  { vip_port_id }: LoadBalancer,
  signal: AbortSignal,
): Promise<FloatingIp | undefined> {
  return (await neutron.floatingIps.list({ port_id: vip_port_id }, { signal }))[0]
}

/** Everything below a balancer, in as many calls as it has pools and a few more. */
export async function findListeners(
  { octavia }: OpenStack,
  { id }: Pick<LoadBalancer, "id">,
  signal: AbortSignal,
): Promise<readonly FoundListener[]> {
  const options = { signal }
  const listeners = await octavia.listeners.list({ loadbalancer_id: id }, options)
  const pools = new Map((await octavia.pools.list({ loadbalancer_id: id }, options)).map((pool) => [pool.id, pool]))
  return Promise.all(
    listeners.map(async (listener) => {
      const pool = pools.get(listener.default_pool_id ?? "")
      if (pool === undefined) return { listener, members: [] }
      const members = await octavia.members(pool.id).list({}, options)
      const monitor = pool.healthmonitor_id ? await octavia.healthMonitors.find(pool.healthmonitor_id, options) : undefined
      return { listener, pool, members, ...(monitor === undefined ? {} : { monitor }) }
    }),
  )
}

export interface BalancerNetworks {
  readonly vip: { readonly vip_subnet_id: string } | { readonly vip_network_id: string } | { readonly vip_port_id: string }
  readonly memberSubnet?: string
}

/** Returns the network and subnet of a new balancer: those that the Service requests, else the subnet of the first node's port. */
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
