import type { Expression } from "./ast.ts"
import { type Expansion, refusedNode, reserved } from "./expansion.ts"
import type { Token } from "./lexer.ts"
import { beforeText, type Issues } from "./source.ts"

/** What a rule of the grammar matched, as far as it came. */
export interface RuleMatch {
  readonly rule: string
  /** The token that it began at. */
  readonly start: Token
  /** Tokens and rules in the order of the text; what recovery left out is not among them. */
  readonly parts: readonly (Token | RuleMatch)[]
}

/**
 * Reports what is wrong in a text beside its syntax: names that are reserved, literals, and macros whose arguments do not fit, also those
 * that are no expressions. cel-go makes its tree of a text with faults too, and says what it finds on the way.
 */
export function reportMatchFaults(whole: RuleMatch, expansion: Expansion, issues: Issues, quotedFields: boolean): void {
  new MatchFaults(expansion, issues, quotedFields).expression(ruleIn(whole.parts, "expression"))
}

function isRule(part: Token | RuleMatch | undefined): part is RuleMatch {
  return part !== undefined && "rule" in part
}

function ruleIn(parts: readonly (Token | RuleMatch)[], name: string): RuleMatch | undefined {
  return parts.find((part): part is RuleMatch => isRule(part) && part.rule === name)
}

function rulesIn({ parts }: Pick<RuleMatch, "parts">): RuleMatch[] {
  return parts.filter(isRule)
}

function tokensIn({ parts }: Pick<RuleMatch, "parts">): Token[] {
  return parts.filter((part): part is Token => !isRule(part))
}

const operatorNames: Readonly<Record<string, string>> = { in: "@in" }

/** Makes the tree as far as macros look at it: the kinds of nodes and the names of identifiers. */
class MatchFaults {
  private readonly expansion: Expansion
  private readonly issues: Issues
  private readonly quotedFields: boolean

  constructor(expansion: Expansion, issues: Issues, quotedFields: boolean) {
    this.expansion = expansion
    this.issues = issues
    this.quotedFields = quotedFields
  }

  expression(match: RuleMatch | undefined): Expression {
    if (!match) return refusedNode(beforeText)
    const [condition, whenTrue, whenFalse] = rulesIn(match)
    const [question] = tokensIn(match)
    const first = this.logic(condition)
    if (!question) return first
    return this.expansion.call(question.position, "_?_:_", undefined, [first, this.logic(whenTrue), this.expression(whenFalse)])
  }

  /** A disjunction of conjunctions of relations. */
  private logic(match: RuleMatch | undefined): Expression {
    if (!match) return refusedNode(beforeText)
    if (match.rule === "relation" || match.rule === "calculation") return this.operation(match)
    const terms = rulesIn(match).map((term) => this.logic(term))
    const [operator] = tokensIn(match)
    return operator ? { kind: "call", position: operator.position, function: operator.text, args: terms } : (terms[0] as Expression)
  }

  /** Operators with two sides, from left to right. */
  private operation({ parts }: RuleMatch): Expression {
    const [first, ...rest] = parts
    let left = isRule(first) ? this.operand(first) : refusedNode(beforeText)
    for (let index = 0; index < rest.length; index += 2) {
      const [operator, right] = [rest[index] as Token, rest[index + 1]]
      const name = operatorNames[operator.text] ?? `_${operator.text}_`
      left = this.expansion.call(operator.position, name, undefined, [left, isRule(right) ? this.operand(right) : refusedNode(beforeText)])
    }
    return left
  }

  private operand(match: RuleMatch): Expression {
    return match.rule === "unary" ? this.unary(match) : this.operation(match)
  }

  private unary(match: RuleMatch): Expression {
    const member = ruleIn(match.parts, "member")
    const signs = tokensIn(match)
    const [sign] = signs
    if (!sign && !member) return refusedNode(match.start.position)
    const operand = this.member(member)
    if (!sign || signs.length % 2 === 0) return operand
    return this.expansion.call(sign.position, sign.text === "!" ? "!_" : "-_", undefined, [operand])
  }

  private member(match: RuleMatch | undefined): Expression {
    if (!match) return refusedNode(beforeText)
    const [first, ...rest] = match.parts
    let operand = isRule(first) ? this.primary(first) : refusedNode(beforeText)
    let begin = 0
    for (let index = 1; index <= rest.length; index++) {
      const part = rest[index]
      if (part !== undefined && (isRule(part) || (part.text !== "." && part.text !== "["))) continue
      operand = this.suffix(operand, rest.slice(begin, index))
      begin = index
    }
    return operand
  }

  /** A field, a call of a method, or an index. */
  private suffix(operand: Expression, parts: readonly (Token | RuleMatch)[]): Expression {
    const [operator, second, third] = parts
    if (operator === undefined || isRule(operator)) return operand
    const { position } = operator
    if (operator.text === "[") {
      const optional = second !== undefined && !isRule(second) && second.text === "?"
      const index = this.expression(ruleIn(parts, "expression"))
      return this.expansion.call(position, optional ? "_[?_]" : "_[_]", undefined, [operand, index])
    }
    const field = ruleIn(parts, "field")
    if (field) {
      const name = this.fieldName(field) ?? ""
      return isRule(second)
        ? { kind: "select", position, operand, field: name, testOnly: false }
        : { kind: "call", position, function: "_?._", args: [operand, { kind: "literal", position, value: name }] }
    }
    if (!second || isRule(second) || !third || isRule(third)) return refusedNode(position)
    return this.expansion.call(third.position, second.text, operand, this.arguments(parts))
  }

  /** Returns the name of a field; undefined for one that is refused. */
  private fieldName(match: RuleMatch, at: number = match.start.position): string | undefined {
    const [token] = tokensIn(match)
    if (token?.kind === "identifier" || (token && this.quotedFields)) return token.text
    this.issues.report(at, token ? "unsupported syntax: '`'" : "unsupported ident kind")
    return undefined
  }

  private primary({ parts, start }: RuleMatch): Expression {
    const tokens = tokensIn({ parts })
    const leading = tokens[0]?.text === "." ? "." : ""
    const name = tokens[leading === "" ? 0 : 1]
    const literal = ruleIn(parts, "literal")
    if (literal) return this.literal(literal)
    if (name?.kind === "identifier") return this.named(parts, `${leading}${name.text}`, name, start)
    if (start.text === "(" && tokens.length > 0) return this.expression(ruleIn(parts, "expression"))
    for (const list of rulesIn({ parts })) this.entries(list)
    return refusedNode(tokens.length > 0 ? start.position : beforeText)
  }

  /** A variable, a call of a function, or an object. */
  private named(parts: readonly (Token | RuleMatch)[], name: string, { position, text }: Token, start: Token): Expression {
    const open = tokensIn({ parts }).find((token) => token.text === "(" || token.text === "{")
    if (open?.text === "{") {
      const fields = ruleIn(parts, "fields")
      if (fields) this.entries(fields)
      return refusedNode(open.position)
    }
    if (reserved.has(text)) {
      this.issues.report(start.position, `reserved identifier: ${text}`)
      return refusedNode(start.position)
    }
    if (open) return this.expansion.call(open.position, name, undefined, this.arguments(parts))
    return { kind: "identifier", position, name }
  }

  private arguments(parts: readonly (Token | RuleMatch)[]): Expression[] {
    const list = ruleIn(parts, "arguments")
    return list ? rulesIn(list).map((argument) => this.expression(argument)) : []
  }

  /** Elements of a list, entries of a map, or fields of an object: those behind an incomplete one are not looked at. */
  private entries(match: RuleMatch): void {
    const of = (rule: string): RuleMatch[] => rulesIn(match).filter((part) => part.rule === rule)
    const [elements, names, values] = [of("element"), of("field-name"), of("expression")]
    if (match.rule === "elements") return elements.forEach((element) => this.expression(ruleIn(element.parts, "expression")))
    const colons = tokensIn(match).filter(({ text }) => text === ":").length
    const count = Math.min(colons, values.length, Math.max(elements.length, names.length))
    for (let index = 0; index < count; index++) {
      const [element, name] = [elements[index], names[index]]
      if (element) this.expression(ruleIn(element.parts, "expression"))
      if (!name || this.isField(name, match)) this.expression(values[index])
    }
  }

  private isField({ parts }: RuleMatch, { start }: RuleMatch): boolean {
    const field = ruleIn(parts, "field")
    return field !== undefined && this.fieldName(field, start.position) !== undefined
  }

  private literal(match: RuleMatch): Expression {
    const tokens = tokensIn(match)
    const sign = tokens.length > 1 ? "-" : ""
    const token = tokens.at(-1)
    if (!token) return refusedNode(beforeText)
    return this.expansion.literal(match.start.position, token, sign) ?? refusedNode(beforeText)
  }
}
