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
  return shortened(groups.join(":"))
}

/** The longest run of zeros becomes "::". */
function shortened(text: string): string {
  const runs = text.match(/(^|:)0(:0)+(?=:|$)/g) ?? []
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), "")
  return longest === ""
    ? text
    : text.replace(longest, longest.startsWith(":") ? ":" : "").replace(/^(?=:[^:])|:$/, (edge) => (edge === "" ? ":" : "::"))
}
