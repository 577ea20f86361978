import { Composer, type CST, type Document, Lexer, type LineCounter, Parser, type YAMLError } from "yaml"
import type { Pause } from "../request/turns.ts"
import { syntaxFault, YamlFault } from "./yaml-fault.ts"

/**
 * Tokens of the lexer in one text, without space: a field has six. What they are composed into is made in one go, and 80,000 aliases took half a second.
 */
export const maxTokens = 150_000

/** Go's library refuses deeper ones in these words. */
const maxDepth = 10_000

/** The refusal of a text because of its tokens. */
export class TooManyTokens extends Error {}

/**
 * The first document of a text, or undefined where there is none. Throws YamlFault for its first fault; what follows it is not read.
 * Reads in slices, because the library needs microseconds for each character, and in linear time: the library's own way keeps every fault with
 * the line it is in, which took 25 s for 256 KiB of "&a &a …".
 */
export async function firstDocument(text: string, lines: LineCounter, pause: Pause): Promise<Document.Parsed | undefined> {
  lines.addNewLine(0)
  const parser = new Parser(lines.addNewLine)
  const composer = composerWith(lines)
  let tokens = 0
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme !== " " && ++tokens > maxTokens) throw new TooManyTokens()
    for (const token of parser.next(lexeme)) {
      const document = nextDocument(composer, token, lines)
      if (document !== undefined) return document
    }
    if (parser.stack.length > maxDepth) throw new YamlFault(`yaml: exceeded max depth of ${maxDepth}`)
    const others = pause()
    if (others !== undefined) await others
  }
  for (const token of parser.end()) {
    const document = nextDocument(composer, token, lines)
    if (document !== undefined) return document
  }
  for (const document of composer.end()) return sound(document, lines)
  return undefined
}

function nextDocument(composer: Composer, token: CST.Token, lines: LineCounter): Document.Parsed | undefined {
  for (const document of composer.next(token)) return sound(document as Document.Parsed, lines)
  return undefined
}

function sound(document: Document.Parsed, lines: LineCounter): Document.Parsed {
  const [fault] = document.errors
  if (fault !== undefined) throw refused(fault, lines)
  return document
}

/** What the library calls for each fault and warning: a place, or a token that has one. */
type OnError = (source: FaultSource, code: YAMLError["code"], message: string, warning?: boolean) => void
type FaultSource = number | readonly [number, number] | { readonly offset: number }

/** Without a schema of the library's: what a scalar means is said by the reader. The first fault ends it: a text can have one at each character. */
function composerWith(lines: LineCounter): Composer {
  const composer = new Composer({ schema: "failsafe", uniqueKeys: false, lineCounter: lines, logLevel: "silent", prettyErrors: false })
  let first: YamlFault | undefined
  const onError: OnError = (source, code, message, warning) => {
    if (warning === true) return
    // The library catches it, and calls again with the message of it.
    first ??= refused({ code, message, pos: [offsetOf(source)] }, lines)
    throw first
  }
  return Object.assign(composer, { onError })
}

function offsetOf(source: FaultSource): number {
  if (typeof source === "number") return source
  return "offset" in source ? source.offset : source[0]
}

function refused(
  { code, message, pos }: { code: YAMLError["code"]; message: string; pos: readonly number[] },
  lines: LineCounter,
): YamlFault {
  const { line, col } = lines.linePos(pos[0] ?? 0)
  return new YamlFault(`yaml: ${syntaxFault(code, `${message} at line ${line}, column ${col}`, line)}`)
}
