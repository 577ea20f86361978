import { PilothouseError } from "../errors/errors.ts"

/** Numbers and ids, passed in and never reached for. */
export interface Random {
  /** In [0, 1). */
  next(): number
  /** A whole number in [0, below), where below is a whole number from 1 to 2³² (else INVALID). */
  int(below: number): number
  /** A version 4 UUID. */
  uuid(): string
  /** Letters and digits that Kubernetes appends to generated names: no vowels, so no words; none that look alike. */
  letters(count: number): string
  bytes(count: number): Uint8Array
}

const alphabet = "bcdfghjklmnpqrstvwxz2456789"

/** Everything of Random in terms of 32 random bits. */
export function randomFrom(bits: () => number): Random {
  const next = () => bits() / 2 ** 32
  const int = (below: number) => Math.floor(next() * checkedBound(below))
  const bytes = (count: number) => {
    const made = new Uint8Array(count)
    for (let at = 0; at < count; at++) made[at] = bits() & 0xff
    return made
  }
  return {
    next,
    int,
    bytes,
    letters: (count) => Array.from({ length: count }, () => alphabet[int(alphabet.length)]).join(""),
    uuid: () => formatUuid(bytes(16)),
  }
}

function checkedBound(below: number): number {
  if (Number.isInteger(below) && below >= 1 && below <= 2 ** 32) return below
  throw new PilothouseError("INVALID", `expected a whole number from 1 to 2^32 as the bound of a random number, found ${below}`)
}

const digits: readonly number[] = Array.from("0123456789abcdef", (digit) => digit.charCodeAt(0))
const dash = "-".charCodeAt(0)

/** One text and no chain of its parts, as `+=` makes it: a server keeps one with every object (65 bytes in place of 489), and makes two for each request. */
function formatUuid(bytes: Uint8Array): string {
  const letters: number[] = []
  for (let at = 0; at < 16; at++) {
    if (at === 4 || at === 6 || at === 8 || at === 10) letters.push(dash)
    const drawn = bytes[at]!
    const byte = at === 6 ? (drawn & 0x0f) | 0x40 : at === 8 ? (drawn & 0x3f) | 0x80 : drawn
    letters.push(digits[byte >> 4]!, digits[byte & 0x0f]!)
  }
  return String.fromCharCode(...letters)
}
