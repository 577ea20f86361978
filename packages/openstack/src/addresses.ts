import { parseRange } from "@pilothouse/cloud"

/** An address as a number. */
export function numberOf(address: string): bigint {
  const range = parseRange(address)
  if (range === undefined) throw new TypeError(`expected an address, found ${address}`)
  return range.first
}

export function addressOf(value: bigint, family: 4 | 6): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join(".")
  const groups = Array.from({ length: 8 }, (_, at) => ((value >> BigInt(16 * (7 - at))) & 0xffffn).toString(16))
  // The shortest way to write it, as everybody does.
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1)
}
