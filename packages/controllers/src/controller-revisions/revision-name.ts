import { safeLetters } from "../shared/template-hash.ts"
import { goText } from "./revision-data.ts"

const longestPrefix = 223

/** The same as upstream's for the same data (32-bit FNV-1), so that both find the revision that the other has made. */
export function revisionHash(data: unknown, collisionCount: number): string {
  let value = 0x811c9dc5
  for (const byte of new TextEncoder().encode(`${goText(data)}${collisionCount}`)) value = Math.imul(value, 0x01000193) ^ byte
  return safeLetters(String(value >>> 0))
}

/** At most 253 characters, whatever the owner is called. */
export function revisionName(owner: string, hash: string): string {
  return `${owner.slice(0, longestPrefix)}-${hash}`
}
