import type { Issues, Source } from "./source.ts"

/** What a token is; punctuation and the keywords `in`, `true`, `false`, `null` are their own text. */
export type TokenKind = "identifier" | "escaped" | "int" | "uint" | "double" | "string" | "bytes" | "end" | "symbol"

export interface Token {
  readonly kind: TokenKind
  readonly text: string
  readonly position: number
  /** White space and comments before it. */
  readonly hidden: string
}

const keywords: ReadonlySet<string> = new Set(["in", "true", "false", "null"])

const escape = /\\(?:[abfnrtv"'\\?`]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})/y

/** The grammar's tokens, in the order in which they are tried. */
const rules: readonly (readonly [TokenKind | "skip", RegExp])[] = [
  ["skip", /(?:[\t \r\n\f]+|\/\/[^\n]*)/y],
  ["double", /(?:[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)/y],
  ["uint", /(?:0x[0-9a-fA-F]+|[0-9]+)[uU]/y],
  ["int", /(?:0x[0-9a-fA-F]+|[0-9]+)/y],
  ["identifier", /[A-Za-z_][A-Za-z0-9_]*/y],
  ["escaped", /`[A-Za-z0-9_.\-/ ]+`/y],
  ["symbol", /(?:==|!=|<=|>=|&&|\|\||[[\]{}().,\-!?:+*/%<>])/y],
]

/** Splits an expression into tokens, the last of which is the end. Characters that begin no token are reported and skipped. */
export function tokenize(source: Source, issues: Issues): Token[] {
  const tokens: Token[] = []
  const { text } = source
  let offset = 0
  // Code points before `offset`: positions count them, the text is indexed by UTF-16 units.
  let position = 0
  let hidden = ""
  while (offset < text.length) {
    const { kind, length } = matchAt(text, offset)
    const lexeme = text.slice(offset, offset + length)
    if (kind === undefined) issues.report(position, `Syntax error: token recognition error at: '${lexeme}'`)
    else if (kind === "skip") hidden += lexeme
    else {
      tokens.push(tokenOf(kind, lexeme, position, hidden))
      hidden = ""
    }
    position += Array.from(lexeme).length
    offset += length
  }
  tokens.push({ kind: "end", text: "<EOF>", position, hidden })
  return tokens
}

function tokenOf(kind: TokenKind, text: string, position: number, hidden: string): Token {
  return { kind: kind === "identifier" && keywords.has(text) ? "symbol" : kind, text, position, hidden }
}

interface Match {
  readonly kind: TokenKind | "skip" | undefined
  readonly length: number
}

function matchAt(text: string, offset: number): Match {
  const string = matchString(text, offset)
  if (string) return string
  for (const [kind, pattern] of rules) {
    pattern.lastIndex = offset
    const match = pattern.exec(text)
    if (match) return { kind, length: match[0].length }
  }
  return { kind: undefined, length: brokenLength(text, offset) }
}

const quotedField = /`[A-Za-z0-9_.\-/ ]*/y

/** What begins an operator of two characters, or a quoted field, takes the character that does not fit along; else one character is broken. */
function brokenLength(text: string, offset: number): number {
  quotedField.lastIndex = offset
  const quoted = quotedField.exec(text)?.[0]
  if (quoted !== undefined) return Math.min(quoted.length + 1, text.length - offset)
  const first = String.fromCodePoint(text.codePointAt(offset) as number)
  const second = text.codePointAt(offset + 1)
  return "=|&".includes(first) && second !== undefined ? 1 + String.fromCodePoint(second).length : first.length
}

const opening = /[bB]?[rR]?["']/y

/** Matches a string or bytes literal; one that does not end is broken up to the character that does not fit. */
function matchString(text: string, offset: number): Match | undefined {
  opening.lastIndex = offset
  const prefix = opening.exec(text)?.[0]
  if (prefix === undefined) return undefined
  const kind = /^[bB]/.test(prefix) ? "bytes" : "string"
  const raw = /[rR]/.test(prefix)
  const quote = prefix.slice(-1)
  const start = offset + prefix.length - 1
  const triple = text.startsWith(quote.repeat(3), start) ? stringEnd(text, start + 3, quote.repeat(3), raw) : undefined
  const { end, closed } = triple?.closed ? triple : stringEnd(text, start + 1, quote, raw)
  if (closed) return { kind, length: end - offset }
  return prefix.length > 1 ? undefined : { kind: undefined, length: end - offset }
}

/** Finds where a literal ends: after its closing quotes, or after the first character that cannot be in it. */
function stringEnd(text: string, start: number, close: string, raw: boolean): { readonly end: number; readonly closed: boolean } {
  let at = start
  while (at < text.length) {
    if (text.startsWith(close, at)) return { end: at + close.length, closed: true }
    const character = text[at] as string
    if (close.length === 1 && (character === "\n" || character === "\r")) return { end: at + 1, closed: false }
    const length = raw || character !== "\\" ? 1 : escapeLength(text, at)
    if (length === 0) return { end: Math.min(at + brokenEscapeLength(text, at), text.length), closed: false }
    at += length
  }
  return { end: text.length, closed: false }
}

function escapeLength(text: string, at: number): number {
  escape.lastIndex = at
  return escape.exec(text)?.[0].length ?? 0
}

const beginningOfEscape = /\\(?:[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[0-3][0-7]?)?/y

/** What of an escape fits, and the character that does not. */
function brokenEscapeLength(text: string, at: number): number {
  beginningOfEscape.lastIndex = at
  return (beginningOfEscape.exec(text)?.[0].length ?? 0) + 1
}
