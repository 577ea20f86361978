import { readUtf8 } from "./utf8.ts"

/** A power of two: the low bits of a hash are the place. */
const places = 2048
/** Longer texts hardly ever come twice. */
const longest = 64
/** So many of the last bytes say where to look; all of them, whether it is the same. */
const hashed = 12

/**
 * Texts that were read lately: one that comes again is the same string, made and kept once.
 *
 * Invariant: a place holds one text at most, so nothing grows.
 */
export class RecentStrings {
  readonly #texts: (string | undefined)[] = new Array(places).fill(undefined)

  read(bytes: Uint8Array, start: number, end: number): string {
    if (end - start > longest) return readUtf8(bytes, start, end)
    let hash = end - start
    // Its end is what differs most: of a text that never comes again, such as a UID, little is lost.
    for (let at = Math.max(start, end - hashed); at < end; at++) hash = (Math.imul(hash, 31) + (bytes[at] as number)) | 0
    const place = (hash ^ (hash >>> 15)) & (places - 1)
    const known = this.#texts[place]
    if (known !== undefined && isText(known, bytes, start, end)) return known
    const text = readUtf8(bytes, start, end)
    this.#texts[place] = text
    return text
  }
}

/** Only ASCII is found again: a text with more has other codes than bytes. */
function isText(text: string, bytes: Uint8Array, start: number, end: number): boolean {
  if (text.length !== end - start) return false
  for (let at = start; at < end; at++) if (text.charCodeAt(at - start) !== bytes[at]) return false
  return true
}
