import { YamlFault } from "./yaml-fault.ts"

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** What YAML has no place for; halves of surrogate pairs are part of whole ones here. */
const forbidden = /[^\t\n\r -~\u0085\u00a0-\ufffd]/
const nextLine = "\u0085"

/**
 * Returns the text that Go's YAML library reads. It ends a line at "next line", which makes a space of it in a quoted text: so it is read everywhere. Throws
 * YamlFault in its words.
 */
export function yamlTextOf(bytes: Uint8Array): string {
  const text = decoded(bytes)
  if (text === undefined || forbidden.test(text)) throw new YamlFault(`yaml: ${firstFault(bytes)}`)
  return text.replaceAll(nextLine, " ")
}

/** Returns the text where YAML reads each character of it, and each escape of a JSON text, as JSON does; undefined elsewhere. */
export function commonTextOf(bytes: Uint8Array): string | undefined {
  const text = decoded(bytes)
  return text === undefined || forbidden.test(text) || text.includes(nextLine) || surrogateEscape.test(text) ? undefined : text
}

/** YAML's escapes name whole characters. */
export const surrogateEscape: RegExp = /\\u[dD][89a-fA-F]/

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    // Why is said by `firstFault`.
    return undefined
  }
}

function firstFault(bytes: Uint8Array): string {
  for (let at = 0; at < bytes.length; ) {
    const length = lengthSaidBy(bytes[at]!)
    if (length === 0) return "invalid leading UTF-8 octet"
    if (at + length > bytes.length) return "incomplete UTF-8 octet sequence"
    const rest = bytes.subarray(at + 1, at + length)
    if (rest.some((byte) => (byte & 0xc0) !== 0x80)) return "invalid trailing UTF-8 octet"
    const code = rest.reduce((before, byte) => before * 64 + (byte & 0x3f), bytes[at]! & (0xff >> (length === 1 ? 1 : length + 1)))
    if (code < minCharacters[length]!) return "invalid length of a UTF-8 sequence"
    if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) return "invalid Unicode character"
    if (forbidden.test(String.fromCodePoint(code))) return "control characters are not allowed"
    at += length
  }
  return "control characters are not allowed"
}

/** Bytes of a character by the first of them; 0 where none begins so. */
function lengthSaidBy(byte: number): number {
  if (byte < 0x80) return 1
  if (byte < 0xc0 || byte >= 0xf8) return 0
  return byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
}

/** The lowest character of each number of bytes. */
const minCharacters = [0, 0, 0x80, 0x800, 0x10000]
