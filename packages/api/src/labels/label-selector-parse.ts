import { messageOf, PilothouseError } from "@pilothouse/seams"
import { fieldError, formatFieldError } from "../errors/field-error.ts"
import { checkLabelKey } from "../meta/label-names.ts"
import { type LabelOperator, type LabelRequirement, labelRequirement } from "./label-requirement.ts"

/** Reads the text form of a label selector. The messages are the ones the API server answers a bad `?labelSelector=` with. */
export function parseRequirements(text: string): readonly LabelRequirement[] {
  const tokens = tokensOf(text)
  const requirements: LabelRequirement[] = []
  let token = tokens.peek()
  while (token.kind !== "end") {
    if (token.kind !== "word" && token.text !== "!") throw refuse(`found '${token.text}', expected: !, identifier, or 'end of string'`)
    requirements.push(requirement(tokens))
    const separator = tokens.next()
    if (separator.kind === "end") break
    if (separator.text !== ",") throw refuse(`found '${separator.text}', expected: ',' or 'end of string'`)
    token = tokens.peek()
    if (token.kind !== "word" && token.text !== "!") throw refuse(`found '${token.text}', expected: identifier after ','`)
  }
  return requirements
}

interface Token {
  readonly kind: "word" | "sign" | "end"
  readonly text: string
}

interface Tokens {
  peek(): Token
  next(): Token
}

const end: Token = { kind: "end", text: "" }

/** Signs are = == != ! ( ) , < >; everything else between spaces is a word. A NUL ends the text, as it does upstream. */
function tokensOf(text: string): Tokens {
  const pattern = /[ \t\r\n]*(?:(==|!=|[=!(),<>])|([^=!(),<> \t\r\n\0]+))\0?/y
  const read = (): Token => {
    const match = pattern.exec(text)
    if (match === null) return end
    return match[1] === undefined ? { kind: "word", text: match[2]! } : { kind: "sign", text: match[1] }
  }
  let ahead = read()
  return {
    peek: () => ahead,
    next: () => {
      const token = ahead
      if (token !== end) ahead = read()
      return token
    },
  }
}

function requirement(tokens: Tokens): LabelRequirement {
  try {
    return readRequirement(tokens)
  } catch (error) {
    throw refuse(`unable to parse requirement: ${messageOf(error)}`)
  }
}

function readRequirement(tokens: Tokens): LabelRequirement {
  const negated = tokens.peek().text === "!"
  if (negated) tokens.next()
  const key = keyFrom(tokens.next())
  if (negated) return labelRequirement(key, "!", [])
  const after = tokens.peek()
  if (after.kind === "end" || after.text === ",") return labelRequirement(key, "exists", [])
  const operator = operatorFrom(tokens.next())
  const values = operator === "in" || operator === "notin" ? valueSet(tokens) : [exactValue(tokens)]
  return labelRequirement(key, operator, values)
}

function keyFrom(token: Token): string {
  if (token.kind !== "word") throw refuse(`found '${token.text}', expected: identifier`)
  const wrong = checkLabelKey(token.text)
  if (wrong.length > 0) throw refuse(formatFieldError(fieldError.invalid("<nil>", token.text, wrong.join("; "))))
  return token.text
}

const operators: Readonly<Record<string, LabelOperator>> = {
  in: "in",
  notin: "notin",
  "=": "=",
  "==": "==",
  "!=": "!=",
  ">": "gt",
  "<": "lt",
}

function operatorFrom(token: Token): LabelOperator {
  const operator = Object.hasOwn(operators, token.text) ? operators[token.text] : undefined
  if (operator === undefined) throw refuse(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`)
  return operator
}

/** "a=" asks for the empty value. */
function exactValue(tokens: Tokens): string {
  const ahead = tokens.peek()
  if (ahead.kind === "end" || ahead.text === ",") return ""
  const token = tokens.next()
  if (token.kind !== "word") throw refuse(`found '${token.text}', expected: identifier`)
  return token.text
}

/** "(x,y)"; a place left empty, as in "(x,,y)" or "()", is the empty value. */
function valueSet(tokens: Tokens): readonly string[] {
  const open = tokens.next()
  if (open.text !== "(") throw refuse(`found '${open.text}' expected: '('`)
  const first = tokens.peek()
  if (first.text === ")") {
    tokens.next()
    return [""]
  }
  if (first.kind !== "word" && first.text !== ",") throw refuse(`found '${first.text}', expected: ',', ')' or identifier`)
  const values = valueList(tokens)
  tokens.next()
  return [...values].sort()
}

/** Up to the closing parenthesis, which is left for the caller. */
function valueList(tokens: Tokens): ReadonlySet<string> {
  const values = new Set<string>()
  for (;;) {
    const token = tokens.next()
    const after = tokens.peek()
    if (token.kind === "word") {
      values.add(token.text)
      if (after.text === ")") return values
      if (after.text !== ",") throw refuse(`found '${after.text}', expected: ',' or ')'`)
    } else if (token.text === ",") {
      if (values.size === 0 || after.text === ")" || after.text === ",") values.add("")
      if (after.text === ")") return values
    } else {
      throw refuse(`found '${token.text}', expected: ',', or identifier`)
    }
  }
}

function refuse(why: string): PilothouseError {
  return new PilothouseError("INVALID", why)
}
