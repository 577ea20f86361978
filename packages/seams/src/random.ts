import { PilothouseError } from "./errors.ts"

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
  const bytes = (count: number) => Uint8Array.from({ length: count }, () => bits() & 0xff)
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

function formatUuid(bytes: Uint8Array): string {
  const versioned = Uint8Array.from(bytes)
  versioned[6] = (bytes[6]! & 0x0f) | 0x40
  versioned[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = Array.from(versioned, (byte) => byte.toString(16).padStart(2, "0")).join("")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
