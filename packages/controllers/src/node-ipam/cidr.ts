import { formatAddress, parseAddress } from "./ip-address.ts"

/** A block of addresses. Always true: no bit of the base is set beyond the first `size` ones. */
export interface Cidr {
  readonly family: 4 | 6
  readonly base: bigint
  /** 24 in 10.244.1.0/24. */
  readonly size: number
}

/** Undefined if the text is none. Bits beyond the mask are cut off: 10.0.0.7/24 is 10.0.0.0/24. */
export function parseCidr(text: string): Cidr | undefined {
  const [address = "", bits = "", ...more] = text.trim().split("/")
  const parsed = parseAddress(address)
  if (parsed === undefined || more.length > 0 || !/^\d{1,3}$/.test(bits)) return undefined
  const size = Number(bits)
  return size > bitsOf(parsed.family)
    ? undefined
    : widened({ family: parsed.family, base: parsed.value, size: bitsOf(parsed.family) }, size)
}

export function formatCidr({ family, base, size }: Cidr): string {
  return `${formatAddress(family, base)}/${size}`
}

/** The block of that size in which this one is. */
export function widened({ family, base }: Cidr, size: number): Cidr {
  const shift = BigInt(bitsOf(family) - size)
  return { family, base: (base >> shift) << shift, size }
}

/** Whether they share an address: then one of them is inside the other. */
export function overlap(a: Cidr, b: Cidr): boolean {
  if (a.family !== b.family) return false
  const size = Math.min(a.size, b.size)
  return widened(a, size).base === widened(b, size).base
}

/** The block of that size and number within this one. */
export function subBlock({ family, base }: Cidr, size: number, number: number): Cidr {
  return { family, base: base + (BigInt(number) << BigInt(bitsOf(family) - size)), size }
}

function bitsOf(family: 4 | 6): number {
  return family === 4 ? 32 : 128
}
