/** An address, or the range of addresses that share its first bits. */
export interface Prefix {
  /** As text of 0 and 1: what a trie walks along. IPv4 and IPv6 never meet, because they stand in different tries. */
  readonly bits: string
  readonly family: 4 | 6
}

/** "10.0.0.1", "fd00::1", "::ffff:10.0.0.1" (which is IPv4); undefined: it is not an address. */
export function parseAddress(text: string): Prefix | undefined {
  const mapped = text.replace(/^::ffff:(?=\d+\.)/i, "")
  if (!mapped.includes(":")) return ipv4(mapped)
  return ipv6(mapped)
}

/** "10.0.0.0/8"; bits behind the prefix do not count. A single address is a range of one. */
export function parseRange(text: string): Prefix | undefined {
  const [address = "", length, more] = text.trim().split("/")
  const whole = parseAddress(address)
  if (whole === undefined || more !== undefined) return undefined
  if (length === undefined) return whole
  if (!/^\d{1,3}$/.test(length) || Number(length) > whole.bits.length) return undefined
  return { ...whole, bits: whole.bits.slice(0, Number(length)) }
}

function ipv4(text: string): Prefix | undefined {
  const parts = text.split(".")
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)) return undefined
  return { bits: parts.map((part) => Number(part).toString(2).padStart(8, "0")).join(""), family: 4 }
}

function ipv6(text: string): Prefix | undefined {
  const halves = text.split("::")
  if (halves.length > 2) return undefined
  const [head = [], tail = []] = halves.map((half) => (half === "" ? [] : half.split(":")))
  const missing = 8 - head.length - tail.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
  const parts = [...head, ...Array<string>(missing).fill("0"), ...tail]
  if (!parts.every((part) => /^[0-9a-f]{1,4}$/i.test(part))) return undefined
  return { bits: parts.map((part) => Number.parseInt(part, 16).toString(2).padStart(16, "0")).join(""), family: 6 }
}
