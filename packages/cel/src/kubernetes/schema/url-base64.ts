import { fail } from "../../values/value.ts"

const digits: ReadonlySet<number> = new Set(new TextEncoder().encode("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"))
const newlines: ReadonlySet<number> = new Set(new TextEncoder().encode("\r\n"))
const padding = "=".charCodeAt(0)

/**
 * Returns the bytes of a text in the alphabet of base64 for URLs. Upstream reads fields of format byte so, though it checks the format with the standard
 * alphabet: a value with + or / is accepted, and no rule can read it. Fails in Go's words.
 */
export function readUrlBase64(text: string): Uint8Array {
  const fault = faultAt(new TextEncoder().encode(text))
  if (fault !== undefined) return fail(`Invalid byte formatted string ${text}: illegal base64 data at input byte ${fault}`)
  const standard = text
    .replace(/[\r\n=]/g, "")
    .replaceAll("-", "+")
    .replaceAll("_", "/")
  return Uint8Array.from(atob(standard), (character) => character.charCodeAt(0))
}

/** Returns the byte that Go's decoder stops at. Four digits make three bytes; the last ones can be padded. */
function faultAt(bytes: Uint8Array): number | undefined {
  let [at, inGroup] = [0, 0]
  while (at < bytes.length) {
    const byte = bytes[at++] as number
    if (newlines.has(byte)) continue
    if (digits.has(byte)) inGroup = (inGroup + 1) % 4
    else return byte === padding && inGroup >= 2 ? faultOfPadding(bytes, at, inGroup) : at - 1
  }
  return inGroup === 0 ? undefined : at - inGroup
}

/** `at` is behind the first character of the padding. */
function faultOfPadding(bytes: Uint8Array, at: number, inGroup: number): number | undefined {
  let next = behindNewlines(bytes, at)
  if (inGroup === 2) {
    if (next === bytes.length) return next
    if (bytes[next] !== padding) return next - 1
    next = behindNewlines(bytes, next + 1)
  }
  return next < bytes.length ? next : undefined
}

function behindNewlines(bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length && newlines.has(bytes[at] as number)) at++
  return at
}
