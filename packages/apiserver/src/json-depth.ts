const [openList, closeList, openMap, closeMap, quote, backslash] = [0x5b, 0x5d, 0x7b, 0x7d, 0x22, 0x5c]

/** No real object is a tenth as deep; everything that goes through one by calling itself gets to its end with this. */
const maximumDepth = 1000

/**
 * Whether a JSON text is nested too deep to be worked with, and the byte at which it is: undefined for one that is not. Upstream's limit is 10,000,
 * which is more than the stack of this process has room for.
 */
export function tooDeep(bytes: Uint8Array): string | undefined {
  // A text that is shorter than that many brackets cannot be.
  if (bytes.length <= maximumDepth) return undefined
  let depth = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) at = endOfText(bytes, at)
    else if (byte === closeList || byte === closeMap) depth--
    else if ((byte === openList || byte === openMap) && ++depth > maximumDepth) return String.fromCharCode(byte)
  }
  return undefined
}

/** Where the text that begins here ends; the end of the bytes where it does not. */
function endOfText(bytes: Uint8Array, start: number): number {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at
}
