import type { EndpointAddress, EndpointPort, EndpointSubset, Endpoints } from "@pilothouse/api/core/v1"
import type { Endpoint, EndpointPort as SlicePort } from "@pilothouse/api/discovery/v1"
import { formatIp, parseIp } from "@pilothouse/api/net"
import { repack } from "../endpoints/subsets.ts"
import { endpointKey, portsKey } from "../endpointslice/endpoint.ts"
import type { Family } from "../service-endpoints/addresses.ts"

/** What one slice should hold. */
export interface MirroredGroup {
  readonly addressType: Family
  readonly ports: readonly SlicePort[]
  readonly endpoints: readonly Endpoint[]
}

export interface Mirrored {
  /** By address family and ports; groups without endpoints are left out. */
  readonly groups: ReadonlyMap<string, MirroredGroup>
  /** Addresses that are no IP addresses. */
  readonly invalid: number
  /** Invalid addresses, and those beyond the limit of a subset. */
  readonly skipped: number
}

/**
 * Turns subsets into groups of endpoints, ready addresses before those that are not, at most `max` valid ones of each subset.
 * Example: 1,001 ready IPv4 addresses of one subset give one group of 1,000, and one address is skipped.
 */
export function mirror({ subsets = [] }: Endpoints, max: number): Mirrored {
  const groups = new Map<string, MirroredGroup & { readonly byKey: Map<string, Endpoint> }>()
  let invalid = 0
  let skipped = 0
  for (const subset of repack(subsets)) {
    const ports = (subset.ports ?? []).map(slicePort)
    const keys = { IPv4: groupKey("IPv4", ports), IPv6: groupKey("IPv6", ports) }
    let added = 0
    for (const { address, ready } of addressesOf(subset)) {
      if (added >= max) break
      const parsed = parseIp(address.ip)
      if (parsed === undefined) {
        invalid++
        continue
      }
      const addressType: Family = parsed.family === 4 ? "IPv4" : "IPv6"
      const endpoint = toEndpoint(address, formatIp(parsed), ready)
      const key = keys[addressType]
      const group = groups.get(key) ?? emptyGroup(addressType, ports)
      groups.set(key, group)
      group.byKey.set(endpointKey(endpoint), endpoint)
      added++
    }
    skipped += addressCount(subset) - added
  }
  const filled = [...groups].map(([key, { byKey, ...group }]) => [key, { ...group, endpoints: [...byKey.values()] }] as const)
  return { groups: new Map(filled), invalid, skipped }
}

function emptyGroup(addressType: Family, ports: readonly SlicePort[]): MirroredGroup & { readonly byKey: Map<string, Endpoint> } {
  return { addressType, ports, endpoints: [], byKey: new Map() }
}

/** Returns the key that slices of one group share. */
export function groupKey(addressType: string, ports: readonly SlicePort[] | undefined): string {
  return `${addressType} ${portsKey(ports)}`
}

function* addressesOf({ addresses = [], notReadyAddresses = [] }: EndpointSubset): Iterable<{
  readonly address: EndpointAddress
  readonly ready: boolean
}> {
  for (const address of addresses) yield { address, ready: true }
  for (const address of notReadyAddresses) yield { address, ready: false }
}

function addressCount({ addresses = [], notReadyAddresses = [] }: EndpointSubset): number {
  return addresses.length + notReadyAddresses.length
}

function toEndpoint({ hostname, nodeName, targetRef }: EndpointAddress, ip: string, ready: boolean): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname && { hostname }),
    ...(targetRef !== undefined && { targetRef }),
    ...(nodeName !== undefined && { nodeName }),
  }
}

function slicePort({ name = "", port, protocol = "TCP", appProtocol }: EndpointPort): SlicePort {
  return { name, port, protocol, ...(appProtocol !== undefined && { appProtocol }) }
}
