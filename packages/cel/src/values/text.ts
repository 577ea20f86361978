import { countText } from "./work.ts"

/** Reports whether every code point of a text is one UTF-16 unit, so that indexes agree. A text of Latin letters is known to be without reading it. */
function isPlain(text: string): boolean {
  return !/[\ud800-\udfff]/.test(text)
}

/** Returns how many code points a text has. */
export function codePointLength(text: string): number {
  if (isPlain(text)) return text.length
  let length = text.length
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text.charCodeAt(index + 1))) length--
  }
  return length
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}

/** Returns the code points of a text; a plain text is its own array. */
export function codePoints(text: string): string | readonly string[] {
  if (isPlain(text)) return text
  countText(text.length)
  return Array.from(text)
}

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Returns the UTF-8 bytes of a text. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text)
}

/** Returns the text of UTF-8 bytes, or undefined if they are no UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

/** Returns digits without the zeros at their end. */
export function withoutTrailingZeros(digits: string): string {
  let end = digits.length
  while (end > 0 && digits[end - 1] === "0") end--
  return digits.slice(0, end)
}
