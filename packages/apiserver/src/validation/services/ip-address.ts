import { type FieldError, fieldError } from "@pilothouse/api"
import { bitsIn, canonicalIp, formatCidr, formatIp, type IpAddress, isLoopbackIp, parseCidr, parseIp } from "@pilothouse/api/net"

const addressText = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
const rangeText = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"

/** Validates an IP address. One that the object had before is admitted: it was under older rules. */
export function ipErrors(address: string, field: string, before?: ReadonlySet<string>): readonly FieldError[] {
  if (before?.has(address) === true) return []
  const text = wrongInAddress(address)
  return text === undefined ? [] : [fieldError.invalid(field, address, text)]
}

function wrongInAddress(address: string): string | undefined {
  const parsed = parseIp(address)
  return parsed === undefined ? addressText : writtenBadly(address, parsed)
}

/** Returns what is wrong with an address that has to be written as Go writes it; undefined where nothing is. */
export function canonicalIpFault(address: string): string | undefined {
  return wrongInAddress(address) ?? formFault(address, canonicalIp(address))
}

/** The same of a range. */
export function canonicalCidrFault(range: string): string | undefined {
  const parsed = parseCidr(range)
  return wrongInRange(range) ?? formFault(range, parsed && formatCidr(parsed))
}

function formFault(text: string, canonical: string | undefined): string | undefined {
  return text === canonical ? undefined : `must be in canonical form (${JSON.stringify(canonical)})`
}

function writtenBadly(address: string, { mapped }: IpAddress): string | undefined {
  if (hasLeadingZero(address)) return "must not have leading 0s"
  return mapped ? "must not be an IPv4-mapped IPv6 address" : undefined
}

export function cidrErrors(range: string, field: string, before?: ReadonlySet<string>): readonly FieldError[] {
  if (before?.has(range) === true) return []
  const text = wrongInRange(range)
  return text === undefined ? [] : [fieldError.invalid(field, range, text)]
}

function wrongInRange(range: string): string | undefined {
  const [address = "", length = "", ...rest] = range.split("/")
  const ip = parseIp(address)
  const bits = ip === undefined || ip.mapped ? 128 : bitsIn(ip.family)
  if (ip === undefined || !/^\d{1,3}$/.test(length) || Number(length) > bits || rest.length > 0) return rangeText
  if (hasLeadingZero(address) || /^0\d/.test(length)) return "must not have leading 0s in IP or prefix length"
  if (ip.mapped) return "must not have an IPv4-mapped IPv6 address"
  return parseCidr(range)?.base === ip.value ? undefined : "must not have bits set beyond the prefix length"
}

/** What upstream forbids of endpoints, and a server may allow. */
export interface AllowedAddresses {
  /** For clusters whose pods are processes of this host. */
  readonly loopback?: boolean
}

/** Addresses that mean something else on every node. */
export function specialAddressErrors(address: string, field: string, { loopback = false }: AllowedAddresses = {}): readonly FieldError[] {
  const ip = parseIp(address)
  const text = ip === undefined || (loopback && isLoopbackIp(address)) ? undefined : meaning(ip, address)
  return text === undefined ? [] : [fieldError.invalid(field, address, text)]
}

function meaning({ family, value }: IpAddress, address: string): string | undefined {
  const starts = (bits: number) => value >> BigInt(bitsIn(family) - bits)
  const v4 = family === 4
  if (value === 0n) return `may not be unspecified (${address})`
  if (v4 ? starts(8) === 127n : value === 1n) return "may not be in the loopback range (127.0.0.0/8, ::1/128)"
  if (v4 ? starts(16) === 0xa9fen : starts(10) === 0x3fan) return "may not be in the link-local range (169.254.0.0/16, fe80::/10)"
  // Of IPv6 the third digit is a flag.
  const multicast = v4 ? starts(24) === 0xe00000n : (starts(16) & 0xff0fn) === 0xff02n
  return multicast ? "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)" : undefined
}

/** Reports whether the text is an IP address in a form that Kubernetes accepts. */
export function isIp(text: string): boolean {
  return parseIp(text) !== undefined
}

export function isIpv6(text: string): boolean {
  return parseIp(text)?.family === 6
}

/** The IPv6 address in the form of RFC 5952; undefined for IPv4 addresses, mapped or not, and for what is not an address. */
export function canonicalIpv6(address: string): string | undefined {
  const ip = parseIp(address)
  return ip?.family === 6 ? formatIp(ip) : undefined
}

/** The same of a range. */
export function canonicalCidr(range: string): string | undefined {
  const [address = "", bits] = range.split("/")
  const canonical = wrongInRange(range) === undefined ? canonicalIpv6(address) : undefined
  return canonical && `${canonical}/${bits}`
}

/** In an IPv4 address, where libraries disagree about what it means. */
function hasLeadingZero(address: string): boolean {
  return /(^|[.:])0\d+\.|\.0\d/.test(address)
}
