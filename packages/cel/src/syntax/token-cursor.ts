import type { Token } from "./lexer.ts"
import type { Issues } from "./source.ts"

/** What can begin an operand, as ANTLR lists it. */
export const operandStart =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"

/** Ends parsing after a fault was reported. */
export class ParseStop extends Error {}

/** Reads tokens one by one. Invariant: `next` is the index of the first token that is not consumed; the end is never consumed. */
export class TokenCursor {
  private readonly tokens: readonly Token[]
  private readonly issues: Issues
  private next = 0

  constructor(tokens: readonly Token[], issues: Issues) {
    this.tokens = tokens
    this.issues = issues
  }

  /** The token after the next one. */
  second(): Token | undefined {
    return this.tokens[this.next + 1]
  }

  peek(): Token {
    return this.tokens[this.next] as Token
  }

  take(): Token {
    const token = this.peek()
    if (token.kind !== "end") this.next++
    return token
  }

  isSymbol(text: string): boolean {
    const token = this.peek()
    return token.kind === "symbol" && token.text === text
  }

  accept(text: string): Token | undefined {
    if (!this.isSymbol(text)) return undefined
    return this.take()
  }

  expect(text: string): Token {
    return this.accept(text) ?? this.missing(text)
  }

  /** Names a token that is missing if what is there could follow it; otherwise what is there is wrong. */
  private missing(text: string): never {
    const token = this.peek()
    const isNext = (other: Token): boolean => other.kind === "symbol" && other.text === text
    if (!isNext(this.tokens[this.next + 1] ?? token) && (text === ":" ? startsOperand(token) : followsOperand(token))) {
      this.stop(token.position, `Syntax error: missing '${text}' at '${token.text}'`)
    }
    return this.unexpected(`'${text}'`, isNext)
  }

  /** Reports the next token: it is one too many if the one after it is what is expected. */
  unexpected(expected: string, isExpected: (token: Token) => boolean = startsOperand): never {
    const token = this.peek()
    const after = this.tokens[this.next + 1]
    const fault = token.kind !== "end" && after && isExpected(after) ? "extraneous" : "mismatched"
    this.stop(token.position, `Syntax error: ${fault} input '${token.text}' expecting ${expected}`)
  }

  stop(position: number, message: string): never {
    this.issues.report(position, message)
    throw new ParseStop(message)
  }
  /** After a dot, ANTLR names a keyword as a mismatch and anything else together with the dot. */
  notAnIdentifier(token: Token): never {
    const keyword = token.text === "true" || token.text === "false" || token.text === "null"
    const shown = token.kind === "end" ? "" : token.text
    const fault = keyword ? `mismatched input '${token.text}' expecting IDENTIFIER` : `no viable alternative at input '.${shown}'`
    return this.stop(token.position, `Syntax error: ${fault}`)
  }

  /** Consumes `.b.c` if a `{` follows, which makes it the name of an object type. */
  takeTypeNameRest(): string | undefined {
    let index = this.next
    let name = ""
    while (this.tokens[index]?.text === "." && this.tokens[index + 1]?.kind === "identifier") {
      name += `.${this.tokens[index + 1]?.text}`
      index += 2
    }
    const open = this.tokens[index]
    if (open?.kind !== "symbol" || open.text !== "{") return undefined
    this.next = index
    return name
  }
}

/** Reports whether an operand can begin with a token. */
function startsOperand({ kind, text }: Token): boolean {
  return kind === "symbol" ? /^(?:[[{(.!-]|true|false|null)$/.test(text) : kind !== "end" && kind !== "escaped"
}

/** Reports whether a token can stand after a complete operand. */
function followsOperand({ kind, text }: Token): boolean {
  return kind === "end" || (kind === "symbol" && !/^(?:!|true|false|null)$/.test(text))
}
