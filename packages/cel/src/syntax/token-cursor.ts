import type { Token } from "./lexer.ts"
import type { Issues } from "./source.ts"

/** Ends parsing: after a fault that was reported, or because the text is no expression. */
export class ParseStop extends Error {
  /** Whether the syntax is wrong; such faults are reported by a pass of their own. */
  readonly isSyntax: boolean

  constructor(isSyntax: boolean) {
    super()
    this.isSyntax = isSyntax
  }
}

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

  /** Takes a symbol that stands right before another: a list without elements may have a comma. */
  acceptBefore(text: string, following: string): void {
    const second = this.second()
    if (second?.kind === "symbol" && second.text === following) this.accept(text)
  }

  expect(text: string): Token {
    return this.accept(text) ?? this.unexpected()
  }

  stop(position: number, message: string): never {
    this.issues.report(position, message)
    throw new ParseStop(false)
  }

  /** Ends parsing at a token that does not fit. */
  unexpected(): never {
    throw new ParseStop(true)
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
