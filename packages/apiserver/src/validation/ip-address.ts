import { type FieldError, fieldError } from "@pilothouse/api"
import { parseIpv4 } from "../ipv4.ts"

const addressText = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
const rangeText = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"

/** Those that an object had before stay as they are: they were let in under older rules. */
export function ipErrors(address: string, field: string, before: readonly string[] = []): readonly FieldError[] {
  if (before.includes(address)) return []
  const parsed = parseIp(address)
  const text = parsed === undefined ? addressText : writtenBadly(address, parsed)
  return text === undefined ? [] : [fieldError.invalid(field, address, text)]
}

function writtenBadly(address: string, { mapped }: Ip): string | undefined {
  if (hasLeadingZero(address)) return "must not have leading 0s"
  return mapped ? "must not be an IPv4-mapped IPv6 address" : undefined
}

export function cidrErrors(range: string, field: string, before: readonly string[] = []): readonly FieldError[] {
  if (before.includes(range)) return []
  const text = wrongInRange(range)
  return text === undefined ? [] : [fieldError.invalid(field, range, text)]
}

function wrongInRange(range: string): string | undefined {
  const [address = "", bits = "", ...rest] = range.split("/")
  const ip = parseIp(address)
  if (ip === undefined || !/^\d{1,3}$/.test(bits) || Number(bits) > ip.width || rest.length > 0) return rangeText
  if (hasLeadingZero(address) || /^0\d/.test(bits)) return "must not have leading 0s in IP or prefix length"
  if (ip.mapped) return "must not have an IPv4-mapped IPv6 address"
  const host = (1n << BigInt(ip.width - Number(bits))) - 1n
  return (ip.number & host) === 0n ? undefined : "must not have bits set beyond the prefix length"
}

/** Addresses that mean something else on every node. */
export function specialAddressErrors(address: string, field: string): readonly FieldError[] {
  const ip = parseIp(address)
  const text = ip && meaning(ip, address)
  return text === undefined ? [] : [fieldError.invalid(field, address, text)]
}

function meaning({ width, number }: Ip, address: string): string | undefined {
  const starts = (bits: number) => number >> BigInt(width - bits)
  const v4 = width === 32
  if (number === 0n) return `may not be unspecified (${address})`
  if (v4 ? starts(8) === 127n : number === 1n) return "may not be in the loopback range (127.0.0.0/8, ::1/128)"
  if (v4 ? starts(16) === 0xa9fen : starts(10) === 0x3fan) return "may not be in the link-local range (169.254.0.0/16, fe80::/10)"
  // Of IPv6 the third digit is a flag.
  const multicast = v4 ? starts(24) === 0xe00000n : (starts(16) & 0xff0fn) === 0xff02n
  return multicast ? "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)" : undefined
}

export function isIp(text: string): boolean {
  return parseIp(text) !== undefined
}

export function isIpv6(text: string): boolean {
  return parseIp(text)?.width === 128
}

/** The one way of writing an address of IPv6 (RFC 5952); undefined for what is none, or holds one of IPv4. */
export function canonicalIp(address: string): string | undefined {
  const ip = parseIp(address)
  if (ip?.width !== 128 || ip.mapped) return undefined
  const groups = ip.number.toString(16).padStart(32, "0").match(/.{4}/g)!
  const text = groups.map((group) => group.replace(/^0{1,3}/, "")).join(":")
  // The first of the longest runs of zeros, if it is longer than one.
  const [longest = ""] = (text.match(/\b0(:0)+\b/g) ?? []).toSorted((one, other) => other.length - one.length)
  return longest === "" ? text : text.replace(new RegExp(`(^|:)${longest}(:|$)`), "::")
}

/** The same of a range. */
export function canonicalCidr(range: string): string | undefined {
  const [address = "", bits] = range.split("/")
  const canonical = wrongInRange(range) === undefined ? canonicalIp(address) : undefined
  return canonical && `${canonical}/${bits}`
}

interface Ip {
  readonly width: 32 | 128
  readonly number: bigint
  /** An IPv4 address that is written as one of IPv6. */
  readonly mapped: boolean
}

function parseIp(text: string): Ip | undefined {
  const v4 = parseIpv4(text)
  if (v4 !== undefined) return { width: 32, number: BigInt(v4), mapped: false }
  const number = parseIpv6(text)
  return number === undefined ? undefined : { width: 128, number, mapped: number >> 32n === 0xffffn }
}

/** In an IPv4 address, where libraries disagree about what it means. */
function hasLeadingZero(address: string): boolean {
  return /(^|[.:])0\d+\.|\.0\d/.test(address)
}

/** Eight groups, of which "::" stands for one or more; the last two may be written as an IPv4 address. */
function parseIpv6(text: string): bigint | undefined {
  const halves = text.split("::").map((half, index, { length }) => groupsOf(half, index === length - 1))
  const [front = [], back] = halves
  const missing = 8 - halves.flat().length
  if (halves.length > 2 || (back === undefined ? missing !== 0 : missing < 1)) return undefined
  const groups = back === undefined ? front : [...front, ...Array<string>(missing).fill("0"), ...back]
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined
  return groups.reduce((sum, group) => (sum << 16n) + BigInt(`0x${group}`), 0n)
}

function groupsOf(half: string, isLast: boolean): readonly string[] {
  if (half === "") return []
  const groups = half.split(":")
  const v4 = isLast ? parseIpv4(groups.at(-1)!) : undefined
  return v4 === undefined ? groups : [...groups.slice(0, -1), (v4 >>> 16).toString(16), (v4 & 0xffff).toString(16)]
}
