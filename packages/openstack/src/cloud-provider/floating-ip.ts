import type { Service } from "@pilothouse/api/core/v1"
import { CloudError } from "@pilothouse/cloud"
import type { OpenStack } from "../clients/cloud.ts"
import { isRefusal } from "../clients/errors.ts"
import type { FloatingIp } from "../clients/neutron/types.ts"
import type { LoadBalancer } from "../clients/octavia/types.ts"
import { floatingSubnets } from "./floating-subnets.ts"
import { addressDescription, isAddressOwnedBy } from "./names.ts"
import { findFloatingIp } from "./observe.ts"
import type { ServiceOptions } from "./service-options.ts"

export interface FloatingIpPlace {
  readonly cloud: OpenStack
  readonly cluster: string
  readonly service: Service
  readonly options: ServiceOptions
  readonly balancer: LoadBalancer
  /** Only who owns a balancer may show it to the world. */
  readonly isOwner?: boolean
  readonly signal: AbortSignal
}

export interface EnsuredAddress {
  readonly address: string
  readonly changed: boolean
}

/** The address that the world sees: the one on the VIP already, else the one that the Service names, else one of ours that is free, else a new one. */
export async function ensureAddress(place: FloatingIpPlace): Promise<EnsuredAddress> {
  const { cloud, options, balancer, service, signal } = place
  if (service.spec?.ipFamilies?.[0] === "IPv6") return { address: balancer.vip_address, changed: false }
  if (options.internal) return { address: balancer.vip_address, changed: await takeInside(place) }
  const there = await findFloatingIp(cloud, balancer, signal)
  if (there !== undefined) return { address: there.floating_ip_address, changed: false }
  if (place.isOwner === false)
    throw new CloudError(
      `cannot attach a floating IP to a load balancer for a shared Service ${service.metadata.namespace}/${service.metadata.name}, only owner Service can do that`,
      { retryable: false },
    )
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
  const desired = service.spec?.loadBalancerIP
  const filter = desired ? { floating_ip_address: desired } : { description: addressDescription(cluster, service) }
  const found = await cloud.neutron.floatingIps.list({ floating_network_id: network, ...filter }, { signal })
  const taken = found.find((one) => one.port_id !== null)
  if (desired && taken !== undefined) {
    throw new CloudError(
      `expected floating IP ${desired} to be free, found it at port ${taken.port_id}; choose another spec.loadBalancerIP`,
    )
  }
  return found.find((one) => one.port_id === null)
}

/** Each subnet that fits is tried: one that is full is no reason to give up. */
async function create(place: FloatingIpPlace, floating_network_id: string): Promise<FloatingIp> {
  const { cloud, cluster, service, options, balancer, signal } = place
  const desired = service.spec?.loadBalancerIP
  const subnets = await floatingSubnets(cloud, options, floating_network_id, signal)
  const one = (subnet_id: string | undefined) =>
    cloud.neutron.floatingIps.create(
      {
        floating_network_id,
        port_id: balancer.vip_port_id,
        description: addressDescription(cluster, service),
        ...(desired ? { floating_ip_address: desired } : {}),
        ...(subnet_id === undefined ? {} : { subnet_id }),
      },
      { signal },
    )
  for (const subnet of subnets.slice(0, -1)) {
    try {
      return await one(subnet)
    } catch (error) {
      if (!isRefusal(error, "no-address-left", "invalid")) throw error
    }
  }
  return one(subnets.at(-1))
}

/** An internal Service must not be reached from outside: a floating IP of ours goes, one of somebody else is let go. */
async function takeInside(place: FloatingIpPlace): Promise<boolean> {
  const { cloud, cluster, service, options, balancer, isOwner, signal } = place
  const there = isOwner === false ? undefined : await findFloatingIp(cloud, balancer, signal)
  if (there === undefined) return false
  const isOwned = there.description === addressDescription(cluster, service) && !options.keepFloatingIp
  if (isOwned) await cloud.neutron.floatingIps.delete(there.id, { signal })
  else await cloud.neutron.floatingIps.update(there.id, { port_id: null }, { signal })
  return true
}

function attach({ cloud, balancer, signal }: FloatingIpPlace, { id }: FloatingIp): Promise<FloatingIp> {
  return cloud.neutron.floatingIps.update(id, { port_id: balancer.vip_port_id }, { signal })
}

/** With a balancer goes what was made for it here, and nothing that a user made. */
export async function releaseAddress({ cloud, cluster, options, balancer, signal }: Omit<FloatingIpPlace, "service">): Promise<void> {
  if (options.keepFloatingIp) return
  const there = await findFloatingIp(cloud, balancer, signal)
  if (there !== undefined && isAddressOwnedBy(cluster, there.description)) await cloud.neutron.floatingIps.delete(there.id, { signal })
}
