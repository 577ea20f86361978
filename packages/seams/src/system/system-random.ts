import { randomFillSync } from "node:crypto"
import { type Random, randomFrom } from "../random/random.ts"

/** Random bits of the operating system, drawn 1024 words at a time: one system call each would cost more than all else. */
export function systemRandom(): Random {
  const words = new Uint32Array(1024)
  let used = words.length
  return randomFrom(() => {
    if (used === words.length) {
      randomFillSync(words)
      used = 0
    }
    return words[used++]!
  })
}
