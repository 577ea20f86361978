interface Address {
  readonly bits: 32 | 128
  readonly value: bigint
}

/** An IPv4 or IPv6 address, without brackets; undefined for a name. The URL parser knows every way to write one, and writes it in one way. */
export function parseAddress(text: string): Address | undefined {
  const host = URL.parse(`http://${text.includes(":") ? `[${text}]` : text}`)?.hostname
  if (host === undefined) return undefined
  if (host.startsWith("[")) return { bits: 128, value: joined(ipv6Groups(host.slice(1, -1)), 16) }
  return /^\d+(\.\d+){3}$/.test(host) ? { bits: 32, value: joined(host.split(".").map(Number), 8) } : undefined
}

/** Whether an address is in a block such as "10.0.0.0/8" or "fd00::/8". */
export function inBlock(address: Address, block: string): boolean {
  const [text = "", length = ""] = block.split("/")
  const base = parseAddress(text)
  if (base === undefined || base.bits !== address.bits || !/^\d+$/.test(length) || Number(length) > base.bits) return false
  const rest = BigInt(base.bits - Number(length))
  return base.value >> rest === address.value >> rest
}

/** "fd00::1" has eight groups, of which the zeros between the two colons are left out. */
function ipv6Groups(text: string): readonly number[] {
  const [before = [], after = []] = text
    .split("::")
    .map((part) => (part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16))))
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after]
}

function joined(parts: readonly number[], bits: number): bigint {
  return parts.reduce((value, part) => (value << BigInt(bits)) | BigInt(part), 0n)
}
