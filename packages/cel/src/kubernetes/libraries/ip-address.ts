import { formatIp, parseIp } from "@pilothouse/api/net"
import { opaqueType } from "../../types/types.ts"
import { fail, Opaque } from "../../values/value.ts"
import { parseAddrFault } from "./parse-addr.ts"

export const ipType = opaqueType("net.IP")
export const cidrType = opaqueType("net.CIDR")

/** An IP address. Invariant: `value` fits the family, 32 or 128 bits. */
export class Ip extends Opaque {
  readonly type = ipType
  readonly family: 4 | 6
  readonly value: bigint

  constructor(family: 4 | 6, value: bigint) {
    super()
    this.family = family
    this.value = value
  }

  override get keyText(): string {
    return `IP ${this.family} ${this.value}`
  }

  /** How many bytes it has. */
  override get size(): number {
    return this.family === 4 ? 4 : 16
  }

  equals(other: Opaque): boolean {
    return other instanceof Ip && this.family === other.family && this.value === other.value
  }

  override toString(): string {
    return formatIp(this)
  }
}

/** Parses an address strictly: no zones, no IPv4 in IPv6, no leading zeros. Returns what is wrong otherwise. */
export function parseStrictIp(text: string): Ip | string {
  const fault = parseAddrFault(text)
  const address = fault === undefined ? parseIp(text.split("%")[0] as string) : undefined
  if (!address) return `IP Address ${JSON.stringify(text)} parse error during conversion from string: ${fault ?? "unable to parse IP"}`
  if (text.includes("%")) return `IP address ${JSON.stringify(text)} with zone value is not allowed`
  return address.mapped ? mappedFault(text) : new Ip(address.family, address.value)
}

function mappedFault(text: string): string {
  return `IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`
}

/** Parses an address; fails in upstream's words. */
export function ipFrom(text: string): Ip {
  const address = parseStrictIp(text)
  return typeof address === "string" ? fail(address) : address
}

/** A block of addresses, written with an address that may have bits beyond the prefix. */
export class Cidr extends Opaque {
  readonly type = cidrType
  readonly address: Ip
  readonly prefixLength: number

  constructor(address: Ip, prefixLength: number) {
    super()
    this.address = address
    this.prefixLength = prefixLength
  }

  override get keyText(): string {
    return `CIDR ${this.address.keyText} ${this.prefixLength}`
  }

  /** How many bytes the prefix has. */
  override get size(): number {
    return Math.ceil(this.prefixLength / 8)
  }

  equals(other: Opaque): boolean {
    return other instanceof Cidr && this.prefixLength === other.prefixLength && this.address.equals(other.address)
  }

  contains({ family, value }: Ip): boolean {
    return family === this.address.family && this.prefixOf(value) === this.prefixOf(this.address.value)
  }

  containsBlock(other: Cidr): boolean {
    return this.prefixLength <= other.prefixLength && this.contains(other.address)
  }

  /** The block with all bits beyond the prefix zero. */
  masked(): Cidr {
    const { family, value } = this.address
    return new Cidr(new Ip(family, this.prefixOf(value) << this.hostBits), this.prefixLength)
  }

  override toString(): string {
    return `${this.address}/${this.prefixLength}`
  }

  private get hostBits(): bigint {
    return BigInt((this.address.family === 4 ? 32 : 128) - this.prefixLength)
  }

  private prefixOf(value: bigint): bigint {
    return value >> this.hostBits
  }
}

/** Parses a block of addresses; returns what is wrong otherwise. */
export function parseStrictCidr(text: string): Cidr | string {
  const fault = (detail: string): string =>
    `network address parse error during conversion from string: netip.ParsePrefix(${JSON.stringify(text)}): ${detail}`
  const slash = text.lastIndexOf("/")
  if (slash < 0) return fault("no '/'")
  const [addressText, bits] = [text.slice(0, slash), text.slice(slash + 1)]
  if (addressText.includes("%")) return fault("IPv6 zones cannot be present in a prefix")
  const address = parseStrictIp(addressText)
  if (typeof address === "string") {
    return parseIp(addressText)?.mapped ? mappedFault(text) : fault(parseAddrFault(addressText) ?? "unable to parse IP")
  }
  if (!/^(?:0|[1-9][0-9]{0,2})$/.test(bits)) return fault(`bad bits after slash: ${JSON.stringify(bits)}`)
  const prefixLength = Number(bits)
  return prefixLength > address.size * 8 ? fault("prefix length out of range") : new Cidr(address, prefixLength)
}

/** Parses a block; fails in upstream's words. */
export function cidrFrom(text: string): Cidr {
  const block = parseStrictCidr(text)
  return typeof block === "string" ? fail(`network address parse error during conversion from string: ${block}`) : block
}
