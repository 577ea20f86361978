import type { Service } from "@pilothouse/api/core/v1"
import { CloudError } from "@pilothouse/cloud"
import type { OpenStack } from "../clients/cloud.ts"
import type { FloatingIp } from "../clients/neutron/types.ts"
import type { LoadBalancer } from "../clients/octavia/types.ts"
import { addressDescription } from "./names.ts"
import { floatingIpOf } from "./observe.ts"
import type { ServiceOptions } from "./service-options.ts"

export interface FloatingIpPlace {
  readonly cloud: OpenStack
  readonly cluster: string
  readonly service: Service
  readonly options: ServiceOptions
  readonly balancer: LoadBalancer
  readonly signal: AbortSignal
}

export interface EnsuredAddress {
  readonly address: string
  readonly changed: boolean
}

/** The address that the world sees: the one on the VIP already, else the one that the Service names, else one of ours that is free, else a new one. */
export async function ensureAddress(place: FloatingIpPlace): Promise<EnsuredAddress> {
  const { cloud, options, balancer, service, signal } = place
  if (options.internal || service.spec?.ipFamilies?.[0] === "IPv6") return { address: balancer.vip_address, changed: false }
  const there = await floatingIpOf(cloud, balancer, signal)
  if (there !== undefined) return { address: there.floating_ip_address, changed: false }
  const network = options.floatingNetworkId ?? (await externalNetwork(cloud, signal))
  if (network === undefined) return { address: balancer.vip_address, changed: false }
  const free = await freeAddress(place, network)
  const made = free === undefined ? await create(place, network) : await attach(place, free)
  return { address: made.floating_ip_address, changed: true }
}

/** The one there is. Several would be a choice that nobody made. */
async function externalNetwork({ neutron }: OpenStack, signal: AbortSignal): Promise<string | undefined> {
  const found = await neutron.networks.list({ "router:external": true }, { signal })
  if (found.length > 1)
    throw new CloudError(`expected one external network, found ${found.length}; set floating-network-id`, { retryable: false })
  return found[0]?.id
}

/** A lost answer leaves one of ours that is not attached: it is found again by its description. */
async function freeAddress({ cloud, cluster, service, signal }: FloatingIpPlace, network: string): Promise<FloatingIp | undefined> {
  const wanted = service.spec?.loadBalancerIP
  const filter = wanted ? { floating_ip_address: wanted } : { description: addressDescription(cluster, service) }
  const found = await cloud.neutron.floatingIps.list({ floating_network_id: network, ...filter }, { signal })
  const taken = found.find((one) => one.port_id !== null)
  if (wanted && taken !== undefined) {
    throw new CloudError(`expected floating IP ${wanted} to be free, found it at port ${taken.port_id}; choose another spec.loadBalancerIP`)
  }
  return found.find((one) => one.port_id === null)
}

function create({ cloud, cluster, service, options, balancer, signal }: FloatingIpPlace, floating_network_id: string): Promise<FloatingIp> {
  const wanted = service.spec?.loadBalancerIP
  return cloud.neutron.floatingIps.create(
    {
      floating_network_id,
      port_id: balancer.vip_port_id,
      description: addressDescription(cluster, service),
      ...(wanted ? { floating_ip_address: wanted } : {}),
      ...(options.floatingSubnetId === undefined ? {} : { subnet_id: options.floatingSubnetId }),
    },
    { signal },
  )
}

function attach({ cloud, balancer, signal }: FloatingIpPlace, { id }: FloatingIp): Promise<FloatingIp> {
  return cloud.neutron.floatingIps.update(id, { port_id: balancer.vip_port_id }, { signal })
}

/** Only what was made for the Service goes: its description is the proof. */
export async function releaseAddress(place: Omit<FloatingIpPlace, "balancer"> & { readonly balancer?: LoadBalancer }): Promise<void> {
  const { cloud, cluster, service, options, balancer, signal } = place
  if (options.keepFloatingIp) return
  const description = addressDescription(cluster, service)
  const there = balancer === undefined ? undefined : await floatingIpOf(cloud, balancer, signal)
  if (there?.description === description) await cloud.neutron.floatingIps.delete(there.id, { signal })
}
