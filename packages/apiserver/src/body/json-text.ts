const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder("utf-8", { ignoreBOM: true })

/** A backslash and what belongs to it: both halves of a surrogate pair, a half without the other, or any letter. */
const escape = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(u[dD][89a-fA-F][\da-fA-F]{2})|.)/gs
const mayBeHalf = /\\u[dD][89a-fA-F]/

/** Returns the text of a JSON body as Go's decoder reads it: a byte that is no part of a character, and half a surrogate pair, stand for U+FFFD. */
export function jsonTextOf(bytes: Uint8Array): string {
  const text = textOf(bytes)
  if (!mayBeHalf.test(text)) return text
  return text.replace(escape, (found, half: string | undefined) => (half === undefined ? found : "\\ufffd"))
}

function textOf(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes)
  } catch {
    // Some byte is no part of a character.
    return lenient.decode(withReplacements(bytes))
  }
}

/** Each byte that is no part of a character becomes U+FFFD by itself; the decoder would take several for one. */
function withReplacements(bytes: Uint8Array): Uint8Array {
  const made = new Uint8Array(bytes.length * 3)
  let end = 0
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at)
    const character = length === 0 ? replacement : bytes.subarray(at, at + length)
    made.set(character, end)
    end += character.length
    at += Math.max(1, length)
  }
  return made.subarray(0, end)
}

const replacement = Uint8Array.of(0xef, 0xbf, 0xbd)

/** The bytes of the character that begins at a place; 0 where none does. */
function characterLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!
  if (first < 0x80) return 1
  const length = first >= 0xc2 && first <= 0xdf ? 2 : first >= 0xe0 && first <= 0xef ? 3 : first >= 0xf0 && first <= 0xf4 ? 4 : 0
  if (length === 0 || at + length > bytes.length) return 0
  // Too many bytes for the character, half a surrogate pair, and what is beyond Unicode.
  const [least, most] = secondBytes.get(first) ?? [0x80, 0xbf]
  if (bytes[at + 1]! < least || bytes[at + 1]! > most) return 0
  for (let next = at + 2; next < at + length; next++) if ((bytes[next]! & 0xc0) !== 0x80) return 0
  return length
}

const secondBytes: ReadonlyMap<number, readonly [least: number, most: number]> = new Map([
  [0xe0, [0xa0, 0xbf]],
  [0xed, [0x80, 0x9f]],
  [0xf0, [0x90, 0xbf]],
  [0xf4, [0x80, 0x8f]],
])
