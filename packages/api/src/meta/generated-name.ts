import type { Random } from "@pilothouse/seams"

/** So that the five letters still fit a DNS label of 63. */
const longestPrefix = 58

/** A name for an object with metadata.generateName: the prefix, cut if need be, and five letters. Another call gives another one. */
export function generatedName(prefix: string, random: Pick<Random, "letters">): string {
  return prefix.slice(0, longestPrefix) + random.letters(5)
}
