import { formatCidr, formatIp, lastIn, parseCidr, parseIp } from "@pilothouse/api/net"
import { PilothouseError } from "@pilothouse/seams"

/** A block of IPv4 addresses, as numbers: most of them are counted in, and none is above 2^32. */
export interface Ipv4Range {
  readonly first: number
  readonly size: number
}

/** Returns the range of a CIDR; undefined for text that is none, and for IPv6. */
export function parseIpv4Range(text: string): Ipv4Range | undefined {
  const block = parseCidr(text)
  return block?.family === 4 ? { first: Number(block.base), size: Number(lastIn(block) - block.base) + 1 } : undefined
}

function serviceRange(text: string): Ipv4Range {
  const range = parseIpv4Range(text)
  if (range !== undefined && range.size >= 4) return range
  throw new PilothouseError("INVALID", `expected an IPv4 range such as "10.96.0.0/12", found ${JSON.stringify(text)}`)
}

export function ipv4Text(number: number): string {
  return formatIp({ family: 4, value: BigInt(number) })
}

/** Returns an IPv4 address as a number; undefined for other text. */
export function ipv4Number(address: string): number | undefined {
  const parsed = parseIp(address)
  return parsed?.family === 4 ? Number(parsed.value) : undefined
}

/** Whether a Service may have the address: the one of the network and the one for broadcasts are left out. */
export function hasHost({ first, size }: Ipv4Range, number: number): boolean {
  return number > first && number < first + size - 1
}

/**
 * Returns how many of the first addresses are left to Services that ask for a certain one, while there are others: 256 of 10.96.0.0/12, 16 of a /24.
 */
export function staticAddresses({ size }: Ipv4Range): number {
  return size <= 16 ? 0 : Math.min(Math.max(16, Math.floor(size / 16)), 256)
}

/** Returns the range in the form that a ServiceCIDR has: "10.96.0.0/12" for "10.96.0.1/12". */
export function canonicalRange(range: string): string {
  const block = parseCidr(range)
  return block === undefined ? range : formatCidr(block)
}

/** The address by which pods reach the API: the first one of the range of Services. */
export function firstServiceAddress(range: string): string {
  return ipv4Text(serviceRange(range).first + 1)
}
