import { namedEscapes } from "./unquote.ts"

const endsEarly: FieldPathStep = { fault: "unexpected end of JSON path" }

const escapes: Readonly<Record<string, string>> = { ...namedEscapes, "'": "'" }

/** What of a schema decides where a path leads. */
export interface FieldSchema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, FieldSchema>>
  /** Only a schema describes the values of a map; `true` leaves them unknown. */
  readonly additionalProperties?: FieldSchema | boolean
}

/** A field that a path leads to. */
export interface FoundField {
  /** As messages write it: `spec.replicas`, `spec.labels[app]`. */
  readonly path: string
  /** The name of the first step; "" where the path has none. */
  readonly root: string
  /** Undefined where no schema describes the field. */
  readonly schema: FieldSchema | undefined
}

const unknownField = "does not refer to a valid field"

/** Follows a path such as `.spec.replicas` or `.spec['my.name']` through a schema. Returns upstream's words where it leads nowhere. */
export function findField(path: string, schema: FieldSchema, options: FieldPathOptions = {}): FoundField | string {
  let found: FoundField = { path: "", root: "", schema }
  for (const step of fieldPathSteps(path, options)) {
    if ("fault" in step) return step.fault
    const next = stepInto(found, step.name)
    if (next === undefined) return unknownField
    found = next
  }
  return found
}

/** Names of properties where there are some, else keys of the map. */
function stepInto({ path, root, schema }: FoundField, name: string): FoundField | undefined {
  if (schema === undefined) return undefined
  const { properties = {}, additionalProperties } = schema
  const start = path === "" ? name : root
  if (Object.keys(properties).length > 0) {
    if (!Object.hasOwn(properties, name)) return undefined
    return { path: path === "" ? name : `${path}.${name}`, root: start, schema: properties[name] }
  }
  if (additionalProperties === undefined) return undefined
  const values = typeof additionalProperties === "object" ? additionalProperties : undefined
  return { path: `${path}[${name}]`, root: start, schema: values }
}

/** One step of a field path: the name of a field or the key of a map, or upstream's words for the fault that ends the path. */
type FieldPathStep = { readonly name: string } | { readonly fault: string }

/** Options of the parsing of a field path. */
export interface FieldPathOptions {
  /** Whether steps such as `['my.name']` are allowed; they are by default. */
  readonly brackets?: boolean
}

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

function unescape(text: string): FieldPathStep {
  const wrong = [...text.matchAll(/\\(.)/gu)].findLast(([, directive = ""]) => escapes[directive] === undefined)
  if (wrong !== undefined) return { fault: `invalid string literal: invalid escape char ${wrong[0]}` }
  return { name: text.replaceAll(/\\(.)/gu, (_, directive: string) => escapes[directive] ?? "") }
}
