/** A range of addresses: "10.0.0.0/8", "fd00::/8". */
export interface AddressRange {
  readonly first: bigint
  readonly last: bigint
  readonly family: 4 | 6
}

/** Undefined: it is not a range. Bits behind the prefix do not count. */
export function parseRange(text: string): AddressRange | undefined {
  const [address = "", bits] = text.trim().split("/")
  const found = parseAddress(address)
  if (found === undefined || (bits !== undefined && !/^\d{1,3}$/.test(bits))) return undefined
  const width = found.family === 4 ? 32 : 128
  const prefix = bits === undefined ? width : Number(bits)
  if (prefix > width) return undefined
  const mask = (1n << BigInt(width - prefix)) - 1n
  const first = found.value & ~mask
  return { first, last: first | mask, family: found.family }
}

export function contains(range: AddressRange, address: string): boolean {
  const found = parseAddress(unmapped(address))
  return found !== undefined && found.family === range.family && found.value >= range.first && found.value <= range.last
}

/** Whether all of the one lies in the other. */
export function isWithin(inner: AddressRange, outer: AddressRange): boolean {
  return inner.family === outer.family && outer.first <= inner.first && inner.last <= outer.last
}

/** However they are written: fd00::1 and fd00:0:0::1 are one. What is no address is the same as none. */
export function isSameAddress(one: string, other: string): boolean {
  const [found, second] = [one, other].map((text) => parseAddress(unmapped(text)))
  return found !== undefined && found.family === second?.family && found.value === second.value
}

/** An IPv4 address that is written as IPv6 (::ffff:10.0.0.1), as sockets do, is the IPv4 address. */
function unmapped(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "")
}

function parseAddress(text: string): { readonly value: bigint; readonly family: 4 | 6 } | undefined {
  const value = text.includes(":") ? parseIpv6(text) : parseIpv4(text)
  return value === undefined ? undefined : { value, family: text.includes(":") ? 6 : 4 }
}

function parseIpv4(text: string): bigint | undefined {
  const parts = text.split(".")
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)) return undefined
  return parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n)
}

function parseIpv6(text: string): bigint | undefined {
  const halves = text.split("::")
  if (halves.length > 2) return undefined
  const [head = [], tail = []] = halves.map((half) => (half === "" ? [] : half.split(":")))
  const missing = 8 - head.length - tail.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
  const parts = [...head, ...Array<string>(missing).fill("0"), ...tail]
  if (!parts.every((part) => /^[0-9a-f]{1,4}$/i.test(part))) return undefined
  return parts.reduce((sum, part) => sum * 65_536n + BigInt(`0x${part}`), 0n)
}
