import { type Choices, choice, end, optional, type Part, repetition, rule, type State, sequence, series, token } from "./grammar-states.ts"

const numbers: ReadonlySet<string> = new Set(["NUM_INT", "NUM_FLOAT"])
const literalNames = ["NUM_UINT", "STRING", "BYTES", "'true'", "'false'", "'null'"]
/** What a member can begin with. */
const memberStart: ReadonlySet<string> = new Set([...numbers, ...literalNames, "IDENTIFIER", "'.'", "'('", "'['", "'{'"])
const expressionStart: ReadonlySet<string> = new Set([...memberStart, "'-'", "'!'"])
const elementStart: ReadonlySet<string> = new Set([...expressionStart, "'?'"])
const fieldStart: ReadonlySet<string> = new Set(["IDENTIFIER", "ESC_IDENTIFIER", "'?'"])
const relations: ReadonlySet<string> = new Set(["'<'", "'<='", "'>='", "'>'", "'=='", "'!='", "'in'"])
const products: ReadonlySet<string> = new Set(["'*'", "'/'", "'%'"])
const sums: ReadonlySet<string> = new Set(["'+'", "'-'"])

/** A comma that something of the list follows; a comma alone ends the list. */
const commaBefore = (start: ReadonlySet<string>) => (choices: Choices) => choices.look(0) === "','" && start.has(choices.look(1))

function entersCalculation({ look, precedence }: Choices): boolean {
  return (products.has(look(0)) && precedence <= 2) || (sums.has(look(0)) && precedence <= 1)
}

function predictUnary({ look, noAlternative }: Choices): number {
  if (look(0) === "'!'") return 1
  if (look(0) !== "'-'") return memberStart.has(look(0)) ? 0 : noAlternative(0)
  if (numbers.has(look(1))) return 0
  return look(1) === "'-'" || memberStart.has(look(1)) ? 2 : noAlternative(1)
}

/** A field, a method or an index. */
function predictMember({ look, noAlternative }: Choices): number {
  if (look(0) === "'['") return 2
  if (look(0) !== "'.'") return noAlternative(0)
  if (!fieldStart.has(look(1))) return noAlternative(1)
  return look(1) === "IDENTIFIER" && look(2) === "'('" ? 1 : 0
}

const primaries: Readonly<Record<string, number>> = { "'('": 2, "'['": 3, "'{'": 4 }

/** An identifier, a call and the name of a type begin in the same way. */
function predictPrimary({ look, noAlternative }: Choices): number {
  const first = look(0)
  const chosen = primaries[first]
  if (chosen !== undefined) return chosen
  if (first !== "IDENTIFIER" && first !== "'.'") return memberStart.has(first) || first === "'-'" ? 6 : noAlternative(0)
  let offset = first === "'.'" ? 1 : 0
  if (look(offset) !== "IDENTIFIER") return noAlternative(offset)
  if (look(offset + 1) === "'('") return 1
  while (look(offset + 1) === "'.'" && look(offset + 2) === "IDENTIFIER") offset += 2
  return look(offset + 1) === "'{'" ? 5 : 0
}

function predictLiteral({ look, noAlternative }: Choices): number {
  const minus = look(0) === "'-'"
  const value = look(minus ? 1 : 0)
  if (value === "NUM_INT") return 0
  if (value === "NUM_FLOAT") return 1
  const index = literalNames.indexOf(value)
  return minus || index < 0 ? noAlternative(minus ? 1 : 0) : index + 2
}

const identifier = sequence(optional(token(".")), token("IDENTIFIER"))
const callOf = (before: Part) => sequence(before, token("("), optional(rule("arguments")), token(")"))
const closed = (open: string, list: string, close: string) =>
  sequence(token(open), optional(rule(list)), optional(token(",")), token(close))

/** One more minus follows if what is behind it can be negated: a lone one is no alternative. */
function entersMinus({ look, noAlternative }: Choices): boolean {
  if (look(0) !== "'-'") return !memberStart.has(look(0)) && noAlternative(0)
  return look(1) === "'-'" || memberStart.has(look(1)) || noAlternative(1)
}

/** The rules of the grammar, in the shape that ANTLR gives them: what a message expects depends on it. */
const rules: Readonly<Record<string, Part>> = {
  start: sequence(rule("expression"), token("<EOF>")),
  expression: sequence(rule("disjunction"), optional(sequence(token("?"), rule("disjunction"), token(":"), rule("expression")))),
  disjunction: sequence(rule("conjunction"), repetition(sequence(token("||"), rule("conjunction")))),
  conjunction: sequence(rule("relation"), repetition(sequence(token("&&"), rule("relation")))),
  relation: sequence(
    rule("calculation"),
    repetition(
      sequence(token("<", "<=", ">=", ">", "==", "!=", "in"), rule("relation", 2)),
      ({ look, precedence }) => relations.has(look(0)) && precedence <= 1,
    ),
  ),
  calculation: sequence(
    rule("unary"),
    repetition(
      choice([sequence(token("*", "/", "%"), rule("calculation", 3)), sequence(token("-", "+"), rule("calculation", 2))]),
      entersCalculation,
    ),
  ),
  unary: choice(
    [rule("member"), sequence(series(token("!")), rule("member")), sequence(series(token("-"), entersMinus), rule("member"))],
    predictUnary,
  ),
  member: sequence(
    rule("primary"),
    repetition(
      choice(
        [
          sequence(token("."), optional(token("?")), rule("field")),
          callOf(sequence(token("."), token("IDENTIFIER"))),
          sequence(token("["), optional(token("?")), rule("expression"), token("]")),
        ],
        predictMember,
      ),
      ({ look }) => look(0) === "'.'" || look(0) === "'['",
    ),
  ),
  primary: choice(
    [
      identifier,
      callOf(identifier),
      sequence(token("("), rule("expression"), token(")")),
      closed("[", "elements", "]"),
      closed("{", "entries", "}"),
      sequence(
        optional(token(".")),
        token("IDENTIFIER"),
        repetition(sequence(token("."), token("IDENTIFIER"))),
        closed("{", "fields", "}"),
      ),
      rule("literal"),
    ],
    predictPrimary,
  ),
  arguments: sequence(rule("expression"), repetition(sequence(token(","), rule("expression")))),
  elements: sequence(rule("element"), repetition(sequence(token(","), rule("element")), commaBefore(elementStart))),
  fields: sequence(
    sequence(rule("field-name"), token(":"), rule("expression")),
    repetition(sequence(token(","), rule("field-name"), token(":"), rule("expression")), commaBefore(fieldStart)),
  ),
  "field-name": sequence(optional(token("?")), rule("field")),
  entries: sequence(
    sequence(rule("element"), token(":"), rule("expression")),
    repetition(sequence(token(","), rule("element"), token(":"), rule("expression")), commaBefore(elementStart)),
  ),
  field: choice([token("IDENTIFIER"), token("ESC_IDENTIFIER")]),
  element: sequence(optional(token("?")), rule("expression")),
  literal: choice(
    [
      sequence(optional(token("-")), token("NUM_INT")),
      sequence(optional(token("-")), token("NUM_FLOAT")),
      ...literalNames.map((text) => token(text.replaceAll("'", ""))),
    ],
    predictLiteral,
  ),
}

/** Where each rule begins. */
export const ruleStarts: ReadonlyMap<string, State> = new Map(Object.entries(rules).map(([title, part]) => [title, part(end)]))
