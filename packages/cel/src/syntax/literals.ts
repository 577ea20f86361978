import { int } from "../values/integers.ts"
import { encodeUtf8 } from "../values/text.ts"
import { double, Uint, type Value } from "../values/value.ts"

/** A literal that cannot be read; its message is upstream's. */
export class LiteralError extends Error {}

/** Returns the value of an int literal, decimal or hexadecimal. */
export function readInt(text: string): Value {
  const negative = text.startsWith("-")
  const magnitude = BigInt(negative ? text.slice(1) : text)
  const value = negative ? -magnitude : magnitude
  if (value >= 2n ** 63n || value < -(2n ** 63n)) throw new LiteralError("invalid int literal")
  return int(value)
}

/** Returns the value of an unsigned literal, which ends in `u`. */
export function readUint(text: string): Value {
  const value = BigInt(text.slice(0, -1))
  if (value >= 2n ** 64n) throw new LiteralError("invalid uint literal")
  return new Uint(value)
}

/** Returns the value of a literal with a fraction or an exponent. */
export function readDouble(text: string): Value {
  const value = Number(text)
  if (!Number.isFinite(value)) throw new LiteralError("invalid double literal")
  return double(value)
}

/** Returns the text of a string literal, quotes and escapes resolved. */
export function readString(literal: string): string {
  const { body, raw } = stripQuotes(literal)
  if (raw || !body.includes("\\")) return body
  return body.replace(escapes, (escape) => unescape(escape))
}

/** Returns the bytes of a literal that begins with `b`: escapes in it are bytes, everything else is UTF-8. */
export function readBytes(literal: string): Uint8Array {
  const { body, raw } = stripQuotes(literal.slice(1))
  if (raw || !body.includes("\\")) return encodeUtf8(body)
  const bytes: number[] = []
  let end = 0
  for (const match of body.matchAll(escapes)) {
    bytes.push(...encodeUtf8(body.slice(end, match.index)), unescapeByte(match[0]))
    end = match.index + match[0].length
  }
  bytes.push(...encodeUtf8(body.slice(end)))
  return Uint8Array.from(bytes)
}

/** The lexer lets no other escape through. */
const escapes = /\\(?:[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2}|.)/g

const simpleEscapes: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
}

function stripQuotes(literal: string): { readonly body: string; readonly raw: boolean } {
  const raw = /^[rR]/.test(literal)
  const quoted = raw ? literal.slice(1) : literal
  const width = /^(?:"""|''')/.test(quoted) && quoted.length >= 6 ? 3 : 1
  return { body: quoted.slice(width, -width), raw }
}

function unescape(escape: string): string {
  const code = numericEscape(escape)
  if (code === undefined) return simpleEscapes[escape[1] as string] ?? (escape[1] as string)
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw new LiteralError("invalid unicode code point")
  return String.fromCodePoint(code)
}

function unescapeByte(escape: string): number {
  if (/^\\[uU]/.test(escape)) throw new LiteralError("unable to unescape string")
  return numericEscape(escape) ?? unescape(escape).charCodeAt(0)
}

function numericEscape(escape: string): number | undefined {
  if (/^\\[xXuU]/.test(escape)) return Number.parseInt(escape.slice(2), 16)
  return /^\\[0-3]/.test(escape) ? Number.parseInt(escape.slice(1), 8) : undefined
}
