import { namedEscapes } from "./unquote.ts"

/** One step of a field path: the name of a field or the key of a map, or upstream's words for the fault that ends the path. */
type FieldPathStep = { readonly name: string } | { readonly fault: string }

export interface FieldPathOptions {
  /** Whether steps such as `['my.name']` are allowed; they are by default. */
  readonly brackets?: boolean
}

const endsEarly: FieldPathStep = { fault: "unexpected end of JSON path" }

/**
 * Reads the steps of a path such as `.spec.replicas` or `.spec['my.name']`, as definitions of custom resources write them: in selectable fields and in
 * the `fieldPath` of rules. The steps come one by one, because a step that names no field is reported before a fault behind it. A fault is the last step.
 */
export function* fieldPathSteps(path: string, { brackets = true }: FieldPathOptions = {}): Generator<FieldPathStep, void> {
  const tokens = tokensOf(path)
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!
    const step = token === "." ? nameStep(tokens[++at]) : bracketStep(token, tokens.slice(at + 1, at + 3), brackets)
    yield step
    if ("fault" in step) return
    if (token === "[") at += 2
  }
}

function nameStep(name: string | undefined): FieldPathStep {
  return name === undefined ? endsEarly : { name }
}

function bracketStep(token: string, [text, end]: readonly string[], brackets: boolean): FieldPathStep {
  if (token !== "[") return { fault: `expected [ or . but got: ${token}` }
  if (!brackets) return { fault: "array notation is not allowed" }
  if (text === undefined) return endsEarly
  if (!/^'.*'$/su.test(text) || text.length < 2) return { fault: `expected single quoted string but got ${text}` }
  const step = unescape(text.slice(1, -1))
  if ("fault" in step) return step
  if (end === undefined) return endsEarly
  return end === "]" ? step : { fault: `expected ] but got ${end}` }
}

/** Dots and brackets are tokens of one character; a text in single quotes is one token, whatever is in it. */
function tokensOf(path: string): readonly string[] {
  return path.match(/[.[\]]|'(?:\\'|[^'])*'?|[^.[\]']+[^.[\]]*/gsu) ?? []
}

const escapes: Readonly<Record<string, string>> = { ...namedEscapes, "'": "'" }

function unescape(text: string): FieldPathStep {
  const wrong = [...text.matchAll(/\\(.)/gu)].findLast(([, directive = ""]) => escapes[directive] === undefined)
  if (wrong !== undefined) return { fault: `invalid string literal: invalid escape char ${wrong[0]}` }
  return { name: text.replaceAll(/\\(.)/gu, (_, directive: string) => escapes[directive] ?? "") }
}
