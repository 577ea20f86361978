import type { Expression, FieldEntry, Identifier, MapEntry } from "./ast.ts"
import { Expansion, reserved } from "./expansion.ts"
import { type Token, tokenize } from "./lexer.ts"
import type { Macro } from "./macros.ts"
import { reportMatchFaults } from "./match-faults.ts"
import { Issues, noPosition, type Source } from "./source.ts"
import { reportSyntaxFaults } from "./syntax-faults.ts"
import { ParseStop, TokenCursor } from "./token-cursor.ts"

/** How deep the rules of the grammar nest, and how high a tree of operators, selections and method calls is. */
export const maxRecursion = 250

/** How many code points an expression may have. */
export const maxExpressionLength = 100_000

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
  const tokens = tokenize(source, issues)
  const own = new Issues(source)
  try {
    const expression = new Parser(tokens, options, own).parseAll()
    issues.add(own)
    return issues.size === 0 ? expression : undefined
  } catch (error) {
    if (!(error instanceof ParseStop)) throw error
    if (error.isSyntax) reportFaults(tokens, options, issues)
    else issues.add(own)
    return undefined
  }
}

/** Reports all that is wrong with a text whose syntax is wrong. */
function reportFaults(tokens: readonly Token[], { macros, quotedFields }: ParseOptions, issues: Issues): void {
  const match = reportSyntaxFaults(tokens, issues, maxRecursion)
  if (match) reportMatchFaults(match, new Expansion(macros, issues), issues, quotedFields)
}

/** A recursive descent over the tokens; it expands macros as it goes. */
class Parser {
  private readonly cursor: TokenCursor
  private readonly expansion: Expansion
  private readonly quotedFields: boolean
  private readonly issues: Issues
  /** The heights of trees; nodes that are not in it have none. */
  private readonly heights = new Map<Expression, number>()
  private readonly depth: Record<NestingRule, number> = { expression: 0, relation: 0, calculation: 0, member: 0 }

  constructor(tokens: readonly Token[], { macros, quotedFields }: ParseOptions, issues: Issues) {
    this.cursor = new TokenCursor(tokens, issues)
    this.expansion = new Expansion(macros, issues)
    this.quotedFields = quotedFields
    this.issues = issues
  }

  parseAll(): Expression {
    const expression = this.parseExpression()
    if (this.cursor.peek().kind !== "end") this.cursor.unexpected()
    return expression
  }

  private parseExpression(): Expression {
    return this.nested("expression", () => {
      const condition = this.parseLogic("||", "_||_", () => this.parseLogic("&&", "_&&_", () => this.parseRelation()))
      const question = this.cursor.accept("?")
      if (!question) return condition
      const whenTrue = this.parseLogic("||", "_||_", () => this.parseLogic("&&", "_&&_", () => this.parseRelation()))
      this.cursor.expect(":")
      return this.call(question.position, "_?_:_", undefined, [condition, whenTrue, this.parseExpression()])
    })
  }

  /** `a || b || c` is one call with three arguments: the operators are associative and absorb errors in any order. */
  private parseLogic(symbol: string, name: string, parseTerm: () => Expression): Expression {
    const first = parseTerm()
    if (!this.cursor.isSymbol(symbol)) return first
    const { position } = this.cursor.peek()
    const args = [first]
    while (this.cursor.accept(symbol)) args.push(parseTerm())
    return this.measured({ kind: "call", position, function: name, args }, args, 0)
  }

  private parseRelation(): Expression {
    return this.nested("relation", () => {
      let left = this.parseCalculation(1)
      for (;;) {
        const token = this.cursor.peek()
        const name = token.kind === "symbol" ? relations[token.text] : undefined
        if (name === undefined) return left
        this.cursor.take()
        left = this.call(token.position, name, undefined, [left, this.nested("relation", () => this.parseCalculation(1))])
      }
    })
  }

  /** Operators of at least one precedence, from left to right; each one nests the ones before it. */
  private parseCalculation(precedence: number): Expression {
    return this.nested("calculation", () => {
      let left = this.parseUnary()
      for (;;) {
        const token = this.cursor.peek()
        const operator = token.kind === "symbol" ? arithmetic[token.text] : undefined
        if (operator === undefined || operator.precedence < precedence) return left
        this.cursor.take()
        left = this.call(token.position, operator.name, undefined, [left, this.parseCalculation(operator.precedence + 1)])
      }
    })
  }

  private parseUnary(): Expression {
    const token = this.cursor.peek()
    if (token.kind !== "symbol" || (token.text !== "!" && token.text !== "-")) return this.parseMember()
    if (token.text === "-" && isNumber(this.cursor.second())) return this.parseMember()
    let count = 0
    while (this.cursor.accept(token.text)) count++
    const operand = this.parseMember()
    if (count % 2 === 0) return operand
    return this.call(token.position, token.text === "!" ? "!_" : "-_", undefined, [operand])
  }

  private parseMember(): Expression {
    return this.nested("member", () => {
      let operand = this.parsePrimary()
      for (;;) {
        const token = this.cursor.accept(".") ?? this.cursor.accept("[")
        if (!token) return operand
        operand = token.text === "." ? this.parseSelection(operand, token) : this.parseIndex(operand, token)
      }
    })
  }

  private parseIndex(operand: Expression, { position }: Token): Expression {
    const name = this.cursor.accept("?") ? "_[?_]" : "_[_]"
    const index = this.parseExpression()
    this.cursor.expect("]")
    return this.call(position, name, undefined, [operand, index])
  }

  private parseSelection(operand: Expression, dot: Token): Expression {
    const optional = this.cursor.accept("?")
    const token = this.takeField()
    if (optional) {
      const field: Expression = { kind: "literal", position: token.position, value: token.text }
      return this.measured({ kind: "call", position: dot.position, function: "_?._", args: [operand, field] }, [operand], 1)
    }
    const open = token.kind === "identifier" ? this.cursor.accept("(") : undefined
    if (open) return this.call(open.position, token.text, operand, this.parseArguments())
    return this.measured({ kind: "select", position: dot.position, operand, field: token.text, testOnly: false }, [operand], 1)
  }

  /** Takes the name of a field; a quoted one loses its backticks. */
  private takeField(): Token {
    const token = this.cursor.take()
    if (token.kind === "identifier") return token
    if (token.kind !== "escaped") return this.cursor.unexpected()
    if (!this.quotedFields) this.issues.report(token.position, "unsupported syntax: '`'")
    return { ...token, text: token.text.slice(1, -1) }
  }

  private parsePrimary(): Expression {
    const token = this.cursor.peek()
    if (token.kind === "identifier") return this.parseName("")
    if (token.kind !== "symbol") return this.parseLiteral()
    switch (token.text) {
      case ".":
        this.cursor.take()
        return this.parseName(".")
      case "(": {
        this.cursor.take()
        const expression = this.parseExpression()
        this.cursor.expect(")")
        return expression
      }
      case "[":
        return this.parseList()
      case "{":
        this.cursor.take()
        return this.parseMap(token.position)
      default:
        return this.parseLiteral()
    }
  }

  /** An identifier, a call of a function, or an object literal with a dotted type name. */
  private parseName(prefix: string): Expression {
    const token = this.cursor.take()
    if (token.kind !== "identifier") this.cursor.unexpected()
    const typeName = this.cursor.takeTypeNameRest()
    if (typeName !== undefined) {
      const open = this.cursor.take()
      const entries = this.parseFieldEntries()
      const parts = entries.map(({ value }) => value)
      return this.measured({ kind: "object", position: open.position, typeName: prefix + token.text + typeName, entries }, parts, 0)
    }
    if (reserved.has(token.text)) this.cursor.unexpected()
    const open = this.cursor.accept("(")
    if (open) return this.call(open.position, prefix + token.text, undefined, this.parseArguments())
    const identifier: Identifier = { kind: "identifier", position: token.position, name: prefix + token.text }
    return identifier
  }

  private parseList(): Expression {
    const { position } = this.cursor.take()
    const elements: Expression[] = []
    const optional = new Set<number>()
    this.cursor.acceptBefore(",", "]")
    while (!this.cursor.isSymbol("]")) {
      if (this.cursor.accept("?")) optional.add(elements.length)
      elements.push(this.parseExpression())
      if (!this.cursor.accept(",")) break
    }
    this.cursor.expect("]")
    return this.measured({ kind: "list", position, elements, optional }, elements, 0)
  }

  private parseMap(position: number): Expression {
    const entries = this.parseMapEntries()
    const parts = entries.flatMap(({ key, value }) => [key, value])
    return this.measured({ kind: "map", position, entries }, parts, 0)
  }

  private parseMapEntries(): MapEntry[] {
    const entries: MapEntry[] = []
    this.cursor.acceptBefore(",", "}")
    while (!this.cursor.isSymbol("}")) {
      const optional = this.cursor.accept("?") !== undefined
      const key = this.parseExpression()
      const { position } = this.cursor.expect(":")
      entries.push({ position, key, value: this.parseExpression(), optional })
      if (!this.cursor.accept(",")) break
    }
    this.cursor.expect("}")
    return entries
  }

  private parseFieldEntries(): FieldEntry[] {
    const entries: FieldEntry[] = []
    this.cursor.acceptBefore(",", "}")
    while (!this.cursor.isSymbol("}")) {
      const optional = this.cursor.accept("?") !== undefined
      const field = this.takeField()
      const { position } = this.cursor.expect(":")
      entries.push({ position, field: field.text, value: this.parseExpression(), optional })
      if (!this.cursor.accept(",")) break
    }
    this.cursor.expect("}")
    return entries
  }

  private parseArguments(): Expression[] {
    const args: Expression[] = []
    if (this.cursor.accept(")")) return args
    do args.push(this.parseExpression())
    while (this.cursor.accept(","))
    this.cursor.expect(")")
    return args
  }

  private parseLiteral(): Expression {
    const { position } = this.cursor.peek()
    const isSigned = this.cursor.isSymbol("-")
    if (isSigned && !isNumber(this.cursor.second())) return this.cursor.unexpected()
    const sign = isSigned ? this.cursor.take().text : ""
    const literal = this.expansion.literal(position, this.cursor.peek(), sign)
    if (!literal) return this.cursor.unexpected()
    this.cursor.take()
    return literal
  }

  /** Makes a call, or what a macro of its name expands to. Operators with two sides and methods count towards the height. */
  private call(position: number, name: string, target: Expression | undefined, args: readonly Expression[]): Expression {
    const counts = target !== undefined || name.startsWith("_") || name === "@in"
    return this.measured(this.expansion.call(position, name, target, args), [...(target ? [target] : []), ...args], counts ? 1 : 0)
  }

  /** Keeps the height of a node: one more than that of its parts where it counts itself. */
  private measured<T extends Expression>(node: T, parts: readonly Expression[], own: 0 | 1): T {
    const height = parts.reduce((highest, part) => Math.max(highest, this.heights.get(part) ?? 0), 0) + own
    if (height > maxRecursion) this.cursor.stop(noPosition, "max recursion depth exceeded")
    if (height > 0) this.heights.set(node, height)
    return node
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
    if (this.depth[rule] > maxRecursion) this.cursor.stop(noPosition, `expression recursion limit exceeded: ${maxRecursion}`)
  }
}

function isNumber(token: Token | undefined): boolean {
  return token?.kind === "int" || token?.kind === "double"
}
