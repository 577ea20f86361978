import type { Issues, Source } from "./source.ts"

/** What a token is; punctuation and the keywords `in`, `true`, `false`, `null` are their own text. */
export type TokenKind = "identifier" | "escaped" | "int" | "uint" | "double" | "string" | "bytes" | "end" | "symbol"

export interface Token {
  readonly kind: TokenKind
  readonly text: string
  readonly position: number
}

const keywords: ReadonlySet<string> = new Set(["in", "true", "false", "null"])

const escape = String.raw`\\(?:[abfnrtv"'\\?${"`"}]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})`

/** The forms of a string literal, longest first: a triple quote must not be read as an empty string. */
const string = [
  String.raw`[rR]"""[^]*?"""`,
  String.raw`[rR]'''[^]*?'''`,
  String.raw`[rR]"[^"\n\r]*"`,
  String.raw`[rR]'[^'\n\r]*'`,
  String.raw`"""(?:${escape}|[^\\])*?"""`,
  String.raw`'''(?:${escape}|[^\\])*?'''`,
  String.raw`"(?:${escape}|[^\\"\n\r])*"`,
  String.raw`'(?:${escape}|[^\\'\n\r])*'`,
].join("|")

/** The grammar's tokens, in the order in which they are tried. */
const rules: readonly (readonly [TokenKind | "skip", RegExp])[] = [
  ["skip", /(?:[\t \r\n\f]+|\/\/[^\n]*)/y],
  ["bytes", new RegExp(`[bB](?:${string})`, "y")],
  ["string", new RegExp(`(?:${string})`, "y")],
  ["double", /(?:[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)/y],
  ["uint", /(?:0x[0-9a-fA-F]+|[0-9]+)[uU]/y],
  ["int", /(?:0x[0-9a-fA-F]+|[0-9]+)/y],
  ["identifier", /[A-Za-z_][A-Za-z0-9_]*/y],
  ["escaped", /`[A-Za-z0-9_.\-/ ]+`/y],
  ["symbol", /(?:==|!=|<=|>=|&&|\|\||[[\]{}().,\-!?:+*/%<>])/y],
]

/** What begins a token and does not end one, up to the character that does not fit; else one character. */
const broken = new RegExp(String.raw`^(?:"(?:${escape}|[^\\"\n\r])*(?:\\?[^])?|'(?:${escape}|[^\\'\n\r])*(?:\\?[^])?|[=|&][^]|[^])`, "u")

/** Splits an expression into tokens, the last of which is the end. Characters that begin no token are reported and skipped. */
export function tokenize(source: Source, issues: Issues): Token[] {
  const tokens: Token[] = []
  const { text } = source
  let offset = 0
  // Code points before `offset`: positions count them, the text is indexed by UTF-16 units.
  let position = 0
  while (offset < text.length) {
    const { kind, length } = matchAt(text, offset)
    const lexeme = text.slice(offset, offset + length)
    if (kind === undefined) issues.report(position, `Syntax error: token recognition error at: '${lexeme}'`)
    else if (kind !== "skip") tokens.push(tokenOf(kind, lexeme, position))
    position += Array.from(lexeme).length
    offset += length
  }
  tokens.push({ kind: "end", text: "<EOF>", position })
  return tokens
}

function tokenOf(kind: TokenKind, text: string, position: number): Token {
  return { kind: kind === "identifier" && keywords.has(text) ? "symbol" : kind, text, position }
}

function matchAt(text: string, offset: number): { readonly kind: TokenKind | "skip" | undefined; readonly length: number } {
  for (const [kind, pattern] of rules) {
    pattern.lastIndex = offset
    const match = pattern.exec(text)
    if (match) return { kind, length: match[0].length }
  }
  return { kind: undefined, length: (broken.exec(text.slice(offset))?.[0] ?? "").length }
}
