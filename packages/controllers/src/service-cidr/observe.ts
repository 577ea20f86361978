import { keyOf } from "@pilothouse/api"
import type { Service } from "@pilothouse/api/core/v1"
import { type Cidr, cidrContains, cidrsOverlap, isSubnet, lastIn, parseCidr, parseIp } from "@pilothouse/api/net"
import { ipAddresses, type ServiceCIDR, serviceCIDRs } from "@pilothouse/api/networking/v1"
import type { Reader } from "@pilothouse/runtime"

const managedByLabel = "ipaddress.kubernetes.io/managed-by"
const allocator = "ipallocator.k8s.io"

export interface Observed {
  readonly cidr: ServiceCIDR
  /** Of one that is deleted: an address that Services have from it and from no other. */
  readonly blockedBy: string | undefined
}

/** Lists addresses from the API server for a deleted ServiceCIDR that no other one contains. */
export async function observe(key: string, read: Reader): Promise<Observed | undefined> {
  const cidr = read.get(serviceCIDRs, key)
  if (cidr === undefined) return undefined
  if (cidr.metadata.deletionTimestamp === undefined) return { cidr, blockedBy: undefined }
  // One that is deleted too keeps no addresses: two of the same range would let each other go.
  const others = read
    .list(serviceCIDRs)
    .filter(({ metadata }) => metadata.name !== cidr.metadata.name && metadata.deletionTimestamp === undefined)
    .flatMap(rangesOf)
  const own = rangesOf(cidr)
  if (areContained(own, others)) return { cidr, blockedBy: undefined }
  const addresses = await read.liveList(ipAddresses)
  const orphan = addresses.find(
    ({ metadata: { labels, name = "" } }) => labels?.[managedByLabel] === allocator && hasHost(own, name) && !hasHost(others, name),
  )
  return { cidr, blockedBy: orphan?.metadata.name }
}

/** The keys of deleted ServiceCIDRs that share addresses with this one. */
export function deletingRangesWith(cidr: ServiceCIDR, read: Reader): readonly string[] {
  const ranges = rangesOf(cidr)
  return deleting(read).flatMap((other) => (overlap(ranges, rangesOf(other)) ? [keyOf(other)] : []))
}

/** The keys of deleted ServiceCIDRs that one of the Service's addresses may hold. */
export function deletingRangesOf(_service: Service, read: Reader): readonly string[] {
  return deleting(read).map(keyOf)
}

function deleting(read: Reader): readonly ServiceCIDR[] {
  return read.list(serviceCIDRs).filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
}

export function rangesOf({ spec }: ServiceCIDR): readonly Cidr[] {
  return (spec?.cidrs ?? []).flatMap((text) => parseCidr(text) ?? [])
}

/** Reports whether a Service may have the address from these ranges: the one of the network is left out, and IPv4's for broadcasts. */
export function hasHost(ranges: readonly Cidr[], address: string): boolean {
  const parsed = parseIp(address)
  if (parsed === undefined) return false
  return ranges.some((range) => {
    const isEdge = parsed.value === range.base || (range.family === 4 && parsed.value === lastIn(range))
    return cidrContains(range, parsed) && !isEdge
  })
}

export function overlap(one: readonly Cidr[], other: readonly Cidr[]): boolean {
  return one.some((range) => other.some((same) => cidrsOverlap(range, same)))
}

/** Reports whether each of the ranges is in one of the others. */
export function areContained(ranges: readonly Cidr[], others: readonly Cidr[]): boolean {
  return ranges.every((range) => others.some((other) => other.family === range.family && isSubnet(range, other)))
}
