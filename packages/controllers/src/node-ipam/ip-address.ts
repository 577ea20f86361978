export interface Address {
  readonly family: 4 | 6
  readonly value: bigint
}

/** Undefined if the text is no address. */
export function parseAddress(text: string): Address | undefined {
  const value = text.includes(":") ? parseV6(text) : parseV4(text)
  return value === undefined ? undefined : { family: text.includes(":") ? 6 : 4, value }
}

/** As Go writes it: the longest run of two zero groups or more is "::". */
export function formatAddress(family: 4 | 6, value: bigint): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".")
  const groups = Array.from({ length: 8 }, (_, at) => Number((value >> BigInt(112 - 16 * at)) & 0xffffn))
  const { start, length } = longestZeros(groups)
  const text = (part: readonly number[]) => part.map((group) => group.toString(16)).join(":")
  return length < 2 ? text(groups) : `${text(groups.slice(0, start))}::${text(groups.slice(start + length))}`
}

function parseV4(text: string): bigint | undefined {
  const parts = text.split(".")
  if (parts.length !== 4 || parts.some((part) => !/^\d{1,3}$/.test(part) || Number(part) > 255)) return undefined
  return parts.reduce((sum, part) => (sum << 8n) | BigInt(part), 0n)
}

function parseV6(text: string): bigint | undefined {
  const halves = text.split("::")
  if (halves.length > 2) return undefined
  const [head = [], tail = []] = halves.map((half) => (half === "" ? [] : half.split(":")))
  const missing = 8 - head.length - tail.length
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined
  const groups = [...head, ...Array.from({ length: missing }, () => "0"), ...tail]
  if (groups.some((group) => !/^[0-9a-f]{1,4}$/i.test(group))) return undefined
  return groups.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n)
}

function longestZeros(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let [best, run] = [{ start: 0, length: 0 }, 0]
  for (const [at, group] of groups.entries()) {
    run = group === 0 ? run + 1 : 0
    if (run > best.length) best = { start: at - run + 1, length: run }
  }
  return best
}
