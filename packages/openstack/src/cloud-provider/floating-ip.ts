import type { Service } from "@pilothouse/api/core/v1"
import { CloudError } from "@pilothouse/cloud"
import { isRefusal } from "../clients/calls/errors.ts"
import type { OpenStack } from "../clients/cloud.ts"
import type { FloatingIp, Subnet } from "../clients/neutron/types.ts"
import type { LoadBalancer } from "../clients/octavia/types.ts"
import { namePattern } from "./name-pattern.ts"
import { addressDescription, isAddressOwnedBy } from "./names.ts"
import { findFloatingIp } from "./observe.ts"
import type { ServiceOptions } from "./service-options.ts"

/** The Service and the load balancer between which an external address is settled. */
export interface FloatingIpPlace {
  readonly cloud: OpenStack
  readonly cluster: string
  readonly service: Service
  readonly options: ServiceOptions
  readonly balancer: LoadBalancer
  /** Only the owner of a balancer may expose it. */
  readonly isOwner?: boolean
  readonly signal: AbortSignal
}

export interface EnsuredAddress {
  readonly address: string
  readonly changed: boolean
}

/** Returns the external address: the one on the VIP already, else the one that the Service names, else a free own one, else a new one. */
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

/** Returns the only one. Among several the configuration has to choose. */
async function externalNetwork({ neutron }: OpenStack, signal: AbortSignal): Promise<string | undefined> {
  const found = await neutron.networks.list({ "router:external": true }, { signal })
  if (found.length > 1)
    throw new CloudError(`expected one external network, found ${found.length}; set floating-network-id`, { retryable: false })
  return found[0]?.id
}

/** A lost response leaves an own address that is not attached: it is found again by its description. */
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

/** An internal Service must not be reached from outside: an own floating IP is deleted, another one is detached. */
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

/** Which subnets of the network outside an address may come from; undefined in all: any. */
interface FloatingSubnetRequest {
  readonly floatingSubnetId?: string
  /** A name with * and ?, or a regular expression behind a ~; a ! in front turns it round. */
  readonly floatingSubnet?: string
  /** Tags with commas between: one of them, with & in front all of them; a ! before that turns it round. */
  readonly floatingSubnetTags?: string
}

/** The subnets to try, one after the other; one undefined: the cloud may choose. */
async function floatingSubnets(
  { neutron }: OpenStack,
  request: FloatingSubnetRequest,
  network: string,
  signal: AbortSignal,
): Promise<readonly (string | undefined)[]> {
  const { floatingSubnetId: id } = request
  if (id === undefined && request.floatingSubnet === undefined && request.floatingSubnetTags === undefined) return [undefined]
  const all = await neutron.subnets.list({ network_id: network }, { signal })
  const matches = all.filter((subnet) => (id === undefined ? isMatch(subnet, request) : subnet.id === id))
  if (matches.length > 0) return matches.map((subnet) => subnet.id)
  const desired = id ?? [request.floatingSubnet, request.floatingSubnetTags].filter(Boolean).join(" with the tags ")
  const known = all.map(({ name, id: its }) => name || its).join(", ") || "none"
  throw new CloudError(`expected the subnet ${desired} in the floating network ${network}, found ${known}`, { retryable: false })
}

/** Pure. */
function isMatch(
  subnet: Pick<Subnet, "name"> & { readonly tags?: readonly string[] },
  { floatingSubnet: name, floatingSubnetTags: tags }: FloatingSubnetRequest,
): boolean {
  return (name === undefined || hasName(subnet.name, name)) && (tags === undefined || hasTags(subnet.tags ?? [], tags))
}

function hasName(name: string, pattern: string): boolean {
  if (pattern.startsWith("!")) return !hasName(name, pattern.slice(1))
  const expression = pattern.startsWith("~") ? pattern.slice(1) : globbed(pattern)
  try {
    return namePattern(expression)(name)
  } catch (cause) {
    throw new CloudError(`expected a regular expression as floating-subnet, found "${expression}"`, { retryable: false, cause })
  }
}

function globbed(pattern: string): string {
  return pattern
    .replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll("*", ".*")
    .replaceAll("?", ".")
}

function hasTags(have: readonly string[], desired: string): boolean {
  if (desired.startsWith("!")) return !hasTags(have, desired.slice(1))
  const all = desired.startsWith("&")
  const tags = desired
    .slice(all ? 1 : 0)
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "")
  return all ? tags.every((tag) => have.includes(tag)) : tags.some((tag) => have.includes(tag))
}
