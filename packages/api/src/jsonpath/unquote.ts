/** The escapes of one letter in a string of Go. */
export const namedEscapes: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
}

/** A quote, or an escape of a Go string: one character, three octal digits, or hexadecimal digits. */
const special = /["']|\\(?:([abfnrtv\\'"])|([0-7]{3})|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|)/g

/**
 * Returns the text between two quotes, its escapes resolved as in a string of Go; undefined where one of them is none. The quote around the text is
 * escaped in it, the other one is not.
 */
export function unquote(text: string): string | undefined {
  const quote = text.charAt(0)
  let valid = true
  const plain = text.slice(1, -1).replace(special, (...[written = "", escape, octal, short, middle, long]: string[]) => {
    const digits = short ?? middle ?? long
    const found =
      escape === undefined ? (written.length === 1 ? otherQuote(written, quote) : character(octal, digits)) : namedEscapes[escape]
    const resolved = found ?? (escape === quote ? quote : undefined)
    valid &&= resolved !== undefined
    return resolved ?? ""
  })
  return valid ? plain : undefined
}

function otherQuote(written: string, quote: string): string | undefined {
  return written === quote || written === "\\" ? undefined : written
}

function character(octal: string | undefined, hexadecimal: string | undefined): string | undefined {
  const code = octal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number.parseInt(octal, 8)
  const isCharacter = code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) && (octal === undefined || code <= 0xff)
  return isCharacter ? String.fromCodePoint(code) : undefined
}
