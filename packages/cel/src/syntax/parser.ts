import type { Value } from "../values/value.ts"
import type { Call, Expression, FieldEntry, Identifier, MapEntry } from "./ast.ts"
import { type Token, tokenize } from "./lexer.ts"
import { LiteralError, readBytes, readDouble, readInt, readString, readUint } from "./literals.ts"
import { type Macro, MacroError } from "./macros.ts"
import { type Issues, noPosition, type Source } from "./source.ts"

/** How deep expressions nest: calls, operators and selections all count. */
export const maxRecursion = 250

/** How many code points an expression may have. */
export const maxExpressionLength = 100_000

const reservedWords =
  "as break const continue else false for function if import in let loop package namespace null return true var void while" // upstream's words
const reserved: ReadonlySet<string> = new Set(reservedWords.split(" "))

/** What can begin an operand, as ANTLR lists it. */
const operandStart = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"

const relations: Readonly<Record<string, string>> = {
  "<": "_<_",
  "<=": "_<=_",
  ">": "_>_",
  ">=": "_>=_",
  "==": "_==_",
  "!=": "_!=_",
  in: "@in",
}

/** Arithmetic by precedence: products bind tighter than sums. */
const arithmetic: Readonly<Record<string, { readonly name: string; readonly precedence: number }>> = {
  "+": { name: "_+_", precedence: 1 },
  "-": { name: "_-_", precedence: 1 },
  "*": { name: "_*_", precedence: 2 },
  "/": { name: "_/_", precedence: 2 },
  "%": { name: "_%_", precedence: 2 },
}

/** The rules of the grammar that nest; each has a limit of its own, as in cel-go. */
type NestingRule = "expression" | "relation" | "calculation" | "member"

/** Ends parsing after a fault was reported. */
class ParseStop extends Error {}

/** What the grammar depends on. */
export interface ParseOptions {
  readonly macros: readonly Macro[]
  /** Whether a field may be quoted with backticks. */
  readonly quotedFields: boolean
}

/** Parses an expression and expands its macros; returns undefined if issues were reported. */
export function parse(source: Source, options: ParseOptions, issues: Issues): Expression | undefined {
  if (source.characters.length > maxExpressionLength) {
    const size = `size: ${source.characters.length}, limit ${maxExpressionLength}`
    issues.report(noPosition, `expression code point size exceeds limit: ${size}`)
    return undefined
  }
  const parser = new Parser(tokenize(source, issues), options, issues)
  try {
    const expression = parser.parseAll()
    return issues.size === 0 ? expression : undefined
  } catch (error) {
    if (error instanceof ParseStop) return undefined
    throw error
  }
}

/** A recursive descent over the tokens. Invariant: `next` is the index of the first token that is not consumed. */
class Parser {
  private readonly tokens: readonly Token[]
  private readonly macros: ReadonlyMap<string, Macro>
  private readonly quotedFields: boolean
  private readonly issues: Issues
  private next = 0
  private readonly depth: Record<NestingRule, number> = { expression: 0, relation: 0, calculation: 0, member: 0 }

  constructor(tokens: readonly Token[], { macros, quotedFields }: ParseOptions, issues: Issues) {
    this.tokens = tokens
    this.macros = new Map(macros.map((macro) => [macroKey(macro.function, macro.argumentCount, macro.receiver), macro]))
    this.quotedFields = quotedFields
    this.issues = issues
  }

  parseAll(): Expression {
    const expression = this.parseExpression()
    if (this.peek().kind !== "end") this.unexpected("<EOF>", (token) => token.kind === "end")
    return expression
  }

  private parseExpression(): Expression {
    return this.nested("expression", () => {
      const condition = this.parseLogic("||", "_||_", () => this.parseLogic("&&", "_&&_", () => this.parseRelation()))
      const question = this.accept("?")
      if (!question) return condition
      const whenTrue = this.parseLogic("||", "_||_", () => this.parseLogic("&&", "_&&_", () => this.parseRelation()))
      this.expect(":")
      return this.call(question.position, "_?_:_", undefined, [condition, whenTrue, this.parseExpression()])
    })
  }

  /** `a || b || c` is one call with three arguments: the operators are associative and absorb errors in any order. */
  private parseLogic(symbol: string, name: string, parseTerm: () => Expression): Expression {
    const first = parseTerm()
    if (!this.isSymbol(symbol)) return first
    const { position } = this.peek()
    const args = [first]
    while (this.accept(symbol)) args.push(parseTerm())
    return { kind: "call", position, function: name, args }
  }

  private parseRelation(): Expression {
    return this.nested("relation", () => {
      let left = this.parseCalculation(1)
      for (;;) {
        const token = this.peek()
        const name = token.kind === "symbol" ? relations[token.text] : undefined
        if (name === undefined) return left
        this.next++
        this.enter("relation")
        left = this.call(token.position, name, undefined, [left, this.nested("relation", () => this.parseCalculation(1))])
      }
    })
  }

  /** Operators of at least one precedence, from left to right; each one nests the ones before it. */
  private parseCalculation(precedence: number): Expression {
    return this.nested("calculation", () => {
      let left = this.parseUnary()
      for (;;) {
        const token = this.peek()
        const operator = token.kind === "symbol" ? arithmetic[token.text] : undefined
        if (operator === undefined || operator.precedence < precedence) return left
        this.next++
        this.enter("calculation")
        left = this.call(token.position, operator.name, undefined, [left, this.parseCalculation(operator.precedence + 1)])
      }
    })
  }

  private parseUnary(): Expression {
    const token = this.peek()
    if (token.kind !== "symbol" || (token.text !== "!" && token.text !== "-")) return this.parseMember()
    if (token.text === "-" && this.isNumber(this.tokens[this.next + 1])) return this.parseMember()
    let count = 0
    while (this.accept(token.text)) count++
    const operand = this.parseMember()
    if (count % 2 === 0) return operand
    return this.call(token.position, token.text === "!" ? "!_" : "-_", undefined, [operand])
  }

  private parseMember(): Expression {
    return this.nested("member", () => {
      let operand = this.parsePrimary()
      for (;;) {
        const token = this.accept(".") ?? this.accept("[")
        if (!token) return operand
        this.enter("member")
        operand = token.text === "." ? this.parseSelection(operand, token) : this.parseIndex(operand, token)
      }
    })
  }

  private parseIndex(operand: Expression, { position }: Token): Expression {
    const name = this.accept("?") ? "_[?_]" : "_[_]"
    const index = this.parseExpression()
    this.expect("]")
    return this.call(position, name, undefined, [operand, index])
  }

  private parseSelection(operand: Expression, dot: Token): Expression {
    const optional = this.accept("?")
    const token = this.takeField()
    if (optional) {
      const field: Expression = { kind: "literal", position: token.position, value: token.text }
      return { kind: "call", position: dot.position, function: "_?._", args: [operand, field] }
    }
    const open = token.kind === "identifier" ? this.accept("(") : undefined
    if (open) return this.call(open.position, token.text, operand, this.parseArguments())
    return { kind: "select", position: dot.position, operand, field: token.text, testOnly: false }
  }

  /** Takes the name of a field; a quoted one loses its backticks. */
  private takeField(): Token {
    const token = this.take()
    if (token.kind === "identifier") return token
    if (token.kind === "escaped") {
      return this.quotedFields ? { ...token, text: token.text.slice(1, -1) } : this.stop(token.position, "unsupported syntax: '`'")
    }
    return this.notAnIdentifier(token)
  }

  /** After a dot, ANTLR names a keyword as a mismatch and anything else together with the dot. */
  private notAnIdentifier(token: Token): never {
    const keyword = token.text === "true" || token.text === "false" || token.text === "null"
    const shown = token.kind === "end" ? "" : token.text
    const fault = keyword ? `mismatched input '${token.text}' expecting IDENTIFIER` : `no viable alternative at input '.${shown}'`
    return this.stop(token.position, `Syntax error: ${fault}`)
  }

  private parsePrimary(): Expression {
    const token = this.peek()
    if (token.kind === "identifier") return this.parseName("")
    if (token.kind !== "symbol") return this.parseLiteral()
    switch (token.text) {
      case ".":
        this.next++
        return this.parseName(".")
      case "(": {
        this.next++
        const expression = this.parseExpression()
        this.expect(")")
        return expression
      }
      case "[":
        return this.parseList()
      case "{":
        this.next++
        return { kind: "map", position: token.position, entries: this.parseMapEntries() }
      default:
        return this.parseLiteral()
    }
  }

  /** An identifier, a call of a function, or an object literal with a dotted type name. */
  private parseName(prefix: string): Expression {
    const token = this.take()
    if (token.kind !== "identifier") this.notAnIdentifier(token)
    const typeName = this.objectTypeName()
    if (typeName !== undefined) {
      const open = this.take()
      return { kind: "object", position: open.position, typeName: prefix + token.text + typeName, entries: this.parseFieldEntries() }
    }
    if (reserved.has(token.text)) this.stop(token.position, `reserved identifier: ${token.text}`)
    const open = this.accept("(")
    if (open) return this.call(open.position, prefix + token.text, undefined, this.parseArguments())
    const identifier: Identifier = { kind: "identifier", position: token.position, name: prefix + token.text }
    return identifier
  }

  /** Consumes `.b.c` if a `{` follows, which makes it the name of an object type. */
  private objectTypeName(): string | undefined {
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

  private parseList(): Expression {
    const { position } = this.take()
    const elements: Expression[] = []
    const optional = new Set<number>()
    while (!this.isSymbol("]")) {
      if (this.accept("?")) optional.add(elements.length)
      elements.push(this.parseExpression())
      if (!this.accept(",")) break
    }
    if (!this.accept("]")) this.unexpected("{']', ','}", () => false)
    return { kind: "list", position, elements, optional }
  }

  private parseMapEntries(): MapEntry[] {
    const entries: MapEntry[] = []
    while (!this.isSymbol("}")) {
      const optional = this.accept("?") !== undefined
      const key = this.parseExpression()
      const { position } = this.expect(":")
      entries.push({ position, key, value: this.parseExpression(), optional })
      if (!this.accept(",")) break
    }
    this.expect("}")
    return entries
  }

  private parseFieldEntries(): FieldEntry[] {
    const entries: FieldEntry[] = []
    while (!this.isSymbol("}")) {
      const optional = this.accept("?") !== undefined
      const field = this.takeField()
      const { position } = this.expect(":")
      entries.push({ position, field: field.text, value: this.parseExpression(), optional })
      if (!this.accept(",")) break
    }
    this.expect("}")
    return entries
  }

  private parseArguments(): Expression[] {
    const args: Expression[] = []
    if (this.accept(")")) return args
    do args.push(this.parseExpression())
    while (this.accept(","))
    this.expect(")")
    return args
  }

  private parseLiteral(): Expression {
    const { position } = this.peek()
    const sign = this.isSymbol("-") ? this.take().text : ""
    const token = this.take()
    try {
      return { kind: "literal", position, value: this.literalValue(token, sign) }
    } catch (error) {
      if (error instanceof LiteralError) return this.stop(position, error.message)
      throw error
    }
  }

  private literalValue(token: Token, sign: string): Value {
    switch (token.kind) {
      case "int":
        return readInt(sign + token.text)
      case "uint":
        return readUint(token.text)
      case "double":
        return readDouble(sign + token.text)
      case "string":
        return readString(token.text)
      case "bytes":
        return readBytes(token.text)
      default:
        if (token.text === "true" || token.text === "false") return token.text === "true"
        if (token.text === "null") return null
        this.next -= token.kind === "end" ? 0 : 1
        return this.unexpected(operandStart)
    }
  }

  private call(position: number, name: string, target: Expression | undefined, args: readonly Expression[]): Expression {
    const macro = this.macros.get(macroKey(name, args.length, target !== undefined))
    if (!macro) return { kind: "call", position, function: name, ...(target && { target }), args } satisfies Call
    try {
      return macro.expand({ position, target, args })
    } catch (error) {
      if (!(error instanceof MacroError)) throw error
      this.issues.report(error.position, error.message)
      return { kind: "literal", position, value: null }
    }
  }

  private nested(rule: NestingRule, parseInner: () => Expression): Expression {
    const before = this.depth[rule]
    this.enter(rule)
    const result = parseInner()
    this.depth[rule] = before
    return result
  }

  private enter(rule: NestingRule): void {
    this.depth[rule]++
    if (this.depth[rule] > maxRecursion) this.stop(noPosition, `expression recursion limit exceeded: ${maxRecursion}`)
  }

  private peek(): Token {
    return this.tokens[this.next] as Token
  }

  private take(): Token {
    const token = this.peek()
    if (token.kind !== "end") this.next++
    return token
  }

  private isSymbol(text: string): boolean {
    const token = this.peek()
    return token.kind === "symbol" && token.text === text
  }

  private isNumber(token: Token | undefined): boolean {
    return token?.kind === "int" || token?.kind === "double"
  }

  private accept(text: string): Token | undefined {
    if (!this.isSymbol(text)) return undefined
    return this.take()
  }

  private expect(text: string): Token {
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
  private unexpected(expected: string, isExpected: (token: Token) => boolean = startsOperand): never {
    const token = this.peek()
    const after = this.tokens[this.next + 1]
    const fault = token.kind !== "end" && after && isExpected(after) ? "extraneous" : "mismatched"
    this.stop(token.position, `Syntax error: ${fault} input '${token.text}' expecting ${expected}`)
  }

  private stop(position: number, message: string): never {
    this.issues.report(position, message)
    throw new ParseStop(message)
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

function macroKey(name: string, argumentCount: number, receiver: boolean): string {
  return `${name}:${argumentCount}:${receiver}`
}
