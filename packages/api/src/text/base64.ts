// Standard base64 with padding, as JSON holds bytes. Uint8Array's own toBase64 is not in Node 24.

const alphabet = new TextEncoder().encode("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
const padding = 61
const decoder = new TextDecoder()

/** Encodes bytes in standard base64 with padding; runs in browsers too. */
export function toBase64(bytes: Uint8Array): string {
  const text = new Uint8Array(Math.ceil(bytes.length / 3) * 4)
  let out = 0
  for (let index = 0; index < bytes.length; index += 3) {
    const first = bytes[index] as number
    const next = bytes[index + 1] ?? 0
    const last = bytes[index + 2] ?? 0
    text[out++] = alphabet[first >>> 2] as number
    text[out++] = alphabet[((first & 3) << 4) | (next >>> 4)] as number
    text[out++] = alphabet[((next & 15) << 2) | (last >>> 6)] as number
    text[out++] = alphabet[last & 63] as number
  }
  if (bytes.length % 3 !== 0) text[out - 1] = padding
  if (bytes.length % 3 === 1) text[out - 2] = padding
  return decoder.decode(text)
}

/** undefined if the text is not base64. */
export function fromBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined
  const binary = atob(text)
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}
