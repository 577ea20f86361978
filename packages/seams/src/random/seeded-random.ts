import { PilothouseError } from "../errors/errors.ts"
import { type Random, randomFrom } from "./random.ts"

/** A Random whose numbers depend on its seed alone. */
export interface SeededRandom extends Random {
  readonly seed: number
  /**
   * A stream of its own, so that one user drawing more numbers does not change what another draws.
   * It depends on the seed and the name alone, not on what was drawn before: the same name gives the same stream again.
   */
  fork(name: string): SeededRandom
}

/** The same seed (a safe integer, else INVALID) gives the same numbers on every machine. */
export function seededRandom(seed: number): SeededRandom {
  if (!Number.isSafeInteger(seed)) throw new PilothouseError("INVALID", `expected a whole number as a seed, found ${seed}`)
  return { ...randomFrom(sfc32(seed)), seed, fork: (name) => seededRandom(hash(`${seed}/${name}`)) }
}

/** Chris Doty-Humphrey's small fast counter generator: 128 bits of state, passes PractRand. */
function sfc32(seed: number): () => number {
  let [a, b, c, counter] = [0x9e3779b9, 0x243f6a88 ^ Math.floor(seed / 2 ** 32), seed | 0, 1]
  const draw = () => {
    const result = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + result) | 0
    return result >>> 0
  }
  // The first draws still show the seed; twelve rounds mix it in.
  for (let round = 0; round < 12; round++) draw()
  return draw
}

/** FNV-1a over UTF-16 code units. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return value >>> 0
}
