/**
 * An IP address.
 *
 * Invariant: `value` fits the family (32 or 128 bits). An IPv4 address in IPv6 form (::ffff:10.0.0.1) has family 4 and `mapped`, as in Go.
 */
export interface IpAddress {
  readonly family: 4 | 6
  readonly value: bigint
  readonly mapped?: boolean
}

/** The longest text that is read: 39 characters hold every IPv6 address; the rest is room for leading zeros. */
const maxLength = 64

/**
 * Parses an address as Kubernetes' components do (ParseIPSloppy): leading zeros are decimal, the last 32 bits of an IPv6 address may be written as IPv4.
 * Returns undefined for anything else: names, zones (fe80::1%eth0), short forms (10.1), ports and brackets.
 */
export function parseIp(text: string): IpAddress | undefined {
  if (text.length > maxLength) return undefined
  if (!text.includes(":")) {
    const value = parseIpv4(text)
    return value === undefined ? undefined : { family: 4, value: BigInt(value) }
  }
  const value = parseIpv6(text)
  if (value === undefined) return undefined
  return value >> 32n === 0xffffn ? { family: 4, value: value & 0xffff_ffffn, mapped: true } : { family: 6, value }
}

/** Writes an address as RFC 5952 and Go do: lower case, the first of the longest runs of two or more zero groups is "::". */
export function formatIp({ family, value }: IpAddress): string {
  if (family === 4) return [24, 16, 8, 0].map((shift) => (Number(value) >>> shift) & 255).join(".")
  const groups = Array.from({ length: 8 }, (_, at) => Number((value >> BigInt(112 - 16 * at)) & 0xffffn))
  const { start, length } = longestZeroRun(groups)
  const hex = (part: readonly number[]) => part.map((group) => group.toString(16)).join(":")
  return length < 2 ? hex(groups) : `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`
}

/** The address in the form of formatIp, or undefined if the text is not an address. A mapped address becomes the IPv4 address. */
export function canonicalIp(text: string): string | undefined {
  const address = parseIp(text)
  return address && formatIp(address)
}

/** Reports whether both texts are the same address, however written: fd00::1 and FD00:0::1. False if either is not an address. */
export function isSameIp(one: string, other: string): boolean {
  const canonical = canonicalIp(one)
  return canonical !== undefined && canonical === canonicalIp(other)
}

/** Reports whether the text is an address in 127.0.0.0/8 or ::1. Names are not: "localhost" is what the resolver makes of it. */
export function isLoopbackIp(text: string): boolean {
  const address = parseIp(text)
  return address !== undefined && (address.family === 4 ? address.value >> 24n === 127n : address.value === 1n)
}

function parseIpv4(text: string): number | undefined {
  const parts = text.split(".")
  if (parts.length !== 4 || !parts.every((part) => /^\d+$/.test(part) && Number(part) < 256)) return undefined
  return parts.reduce((sum, part) => sum * 256 + Number(part), 0)
}

/** Eight groups, of which "::" stands for one or more. */
function parseIpv6(text: string): bigint | undefined {
  const halves = text.split("::").map((half, index, { length }) => groupsIn(half, index === length - 1))
  const [front = [], back] = halves
  const missing = 8 - halves.flat().length
  if (halves.length > 2 || (back === undefined ? missing !== 0 : missing < 1)) return undefined
  const groups = back === undefined ? front : [...front, ...Array<string>(missing).fill("0"), ...back]
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined
  return groups.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n)
}

function groupsIn(half: string, isLast: boolean): readonly string[] {
  if (half === "") return []
  const groups = half.split(":")
  const v4 = isLast && half.includes(".") ? parseIpv4(groups.at(-1)!) : undefined
  return v4 === undefined ? groups : [...groups.slice(0, -1), (v4 >>> 16).toString(16), (v4 & 0xffff).toString(16)]
}

function longestZeroRun(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let [best, run] = [{ start: 0, length: 0 }, 0]
  for (const [at, group] of groups.entries()) {
    run = group === 0 ? run + 1 : 0
    if (run > best.length) best = { start: at - run + 1, length: run }
  }
  return best
}
