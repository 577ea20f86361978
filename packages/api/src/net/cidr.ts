import { formatIp, type IpAddress, parseIp } from "./ip-address.ts"

/** A block of addresses. Invariant: no bit of `base` is set beyond the first `prefixLength` ones. */
export interface Cidr {
  readonly family: 4 | 6
  readonly base: bigint
  /** 24 in 10.244.1.0/24. */
  readonly prefixLength: number
}

/** Parses "10.244.3.7/24" as 10.244.3.0/24: bits beyond the prefix are cleared. Returns undefined for anything else, a bare address included. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf("/")
  const address = slash < 0 ? undefined : parseIp(text.slice(0, slash))
  const length = text.slice(slash + 1)
  if (address === undefined || !/^\d{1,3}$/.test(length)) return undefined
  // The prefix of a mapped address counts the 96 bits before the IPv4 address.
  const prefixLength = Number(length) - (address.mapped ? 96 : 0)
  if (prefixLength < 0 || prefixLength > bitsIn(address.family)) return undefined
  return supernet({ family: address.family, base: address.value, prefixLength: bitsIn(address.family) }, prefixLength)
}

/** As parseCidr; a bare address is the block of that one address. */
export function parseCidrOrIp(text: string): Cidr | undefined {
  if (text.includes("/")) return parseCidr(text)
  const address = parseIp(text)
  return address && { family: address.family, base: address.value, prefixLength: bitsIn(address.family) }
}

/** Writes a range: "10.0.0.0/8". */
export function formatCidr({ family, base, prefixLength }: Cidr): string {
  return `${formatIp({ family, value: base })}/${prefixLength}`
}

/** The last address of the block; the first one is `base`. */
export function lastIn({ family, base, prefixLength }: Cidr): bigint {
  return base | ((1n << BigInt(bitsIn(family) - prefixLength)) - 1n)
}

/** Reports whether the address, parsed or as text, is in the block. False for text that is not an address. */
export function cidrContains(block: Cidr, address: string | IpAddress): boolean {
  const parsed = typeof address === "string" ? parseIp(address) : address
  if (parsed === undefined || parsed.family !== block.family) return false
  const host = BigInt(bitsIn(block.family) - block.prefixLength)
  return parsed.value >> host === block.base >> host
}

/** Reports whether all of `inner` is in `outer`. */
export function isSubnet(inner: Cidr, outer: Cidr): boolean {
  return inner.prefixLength >= outer.prefixLength && cidrsOverlap(inner, outer)
}

/** Reports whether the blocks share an address: then one of them contains the other. */
export function cidrsOverlap(a: Cidr, b: Cidr): boolean {
  if (a.family !== b.family) return false
  const length = Math.min(a.prefixLength, b.prefixLength)
  return supernet(a, length).base === supernet(b, length).base
}

/** The block with that shorter prefix which contains this one. */
export function supernet({ family, base }: Cidr, prefixLength: number): Cidr {
  const host = BigInt(bitsIn(family) - prefixLength)
  return { family, base: (base >> host) << host, prefixLength }
}

/** The block number `index` of all blocks with that longer prefix within this one. */
export function subnetAt({ family, base }: Cidr, prefixLength: number, index: number): Cidr {
  return { family, base: base + (BigInt(index) << BigInt(bitsIn(family) - prefixLength)), prefixLength }
}

/** Returns the length of addresses of a family in bits: 32 or 128. */
export function bitsIn(family: 4 | 6): 32 | 128 {
  return family === 4 ? 32 : 128
}

/** Unspecified, "this network", loopback, link-local (where clouds serve credentials of a machine), multicast, broadcast. */
const specialRanges = [
  "0.0.0.0/8",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "224.0.0.0/4",
  "255.255.255.255/32",
  "::/128",
  "::1/128",
  "fe80::/10",
  "ff00::/8",
].map((text) => parseCidr(text)!)

/** Reports whether a text is an address of one machine in some network, as Go's IsGlobalUnicast: private ones are. */
export function isGlobalUnicastIp(text: string): boolean {
  const parsed = parseIp(text)
  return parsed !== undefined && !specialRanges.some((cidr) => cidrContains(cidr, parsed))
}
