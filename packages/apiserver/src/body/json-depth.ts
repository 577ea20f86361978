const [openList, closeList, openMap, closeMap, quote, backslash] = [0x5b, 0x5d, 0x7b, 0x7d, 0x22, 0x5c]

/** Upstream's, for a text. */
const maximumDepth = 10_000

/** Of what is worked with and kept: no real object is a tenth as deep, and everything that goes through one by calling itself gets to its end. */
export const workableDepth = 1000

/** Whether a JSON text is nested too deep, and the byte at which it is: undefined for one that is not. */
export function tooDeep(bytes: Uint8Array, maximum = maximumDepth): string | undefined {
  // A text that is shorter than that many brackets cannot be.
  if (bytes.length <= maximum) return undefined
  let depth = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) at = endOfText(bytes, at)
    else if (byte === closeList || byte === closeMap) depth--
    else if ((byte === openList || byte === openMap) && ++depth > maximum) return String.fromCharCode(byte)
  }
  return undefined
}

/** Where the text that begins here ends; the end of the bytes where it does not. */
function endOfText(bytes: Uint8Array, start: number): number {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at
}

/**
 * Removes what is nested deeper than the limit and one level more, so that the decoder still sees that the value was too deep. Unknown
 * fields are pruned later, however deep they were. The value belongs to the caller; the function is not recursive.
 */
export function cutDeep(value: unknown): void {
  const open: { readonly inner: unknown; readonly depth: number }[] = [{ inner: value, depth: 0 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { inner, depth } = next
    if (typeof inner !== "object" || inner === null) continue
    if (depth > workableDepth) empty(inner)
    else for (const one of Object.values(inner)) open.push({ inner: one, depth: depth + 1 })
  }
}

function empty(container: object): void {
  if (Array.isArray(container)) container.length = 0
  else for (const key of Object.keys(container)) Reflect.deleteProperty(container, key)
}
