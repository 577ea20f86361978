import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { propertyOf, schemaOr } from "../../schema/structural/schema-walk.ts"

/** A field that a path leads to. */
export interface FoundField {
  /** "spec.replicas", "spec.labels[app]". */
  readonly path: string
  /** The name of the first step; "" where the path has none. */
  readonly root: string
  /** Undefined where no schema describes the field. */
  readonly schema: JSONSchemaProps | undefined
}

const unknownField = "does not refer to a valid field"
const endsEarly = "unexpected end of JSON path"

/** Follows a path such as `.spec.replicas` or `.spec['my.name']` through a schema. Returns upstream's words where it leads nowhere. */
export function findField(path: string, schema: JSONSchemaProps, options: { readonly brackets: boolean }): FoundField | string {
  const tokens = tokensOf(path)
  let found: FoundField = { path: "", root: "", schema }
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!
    const name = token === "." ? tokens[++at] : undefined
    const step = token === "." ? (name ?? { fault: endsEarly }) : bracketStep(token, tokens.slice(at + 1, at + 3), options)
    if (typeof step !== "string") return step.fault
    if (token === "[") at += 2
    const next = stepInto(found, step)
    if (next === undefined) return unknownField
    found = next
  }
  return found
}

interface Fault {
  readonly fault: string
}

function bracketStep(token: string, [text, end]: readonly string[], { brackets }: { readonly brackets: boolean }): Fault | string {
  if (token !== "[") return { fault: `expected [ or . but got: ${token}` }
  if (!brackets) return { fault: "array notation is not allowed" }
  if (text === undefined) return { fault: endsEarly }
  if (!/^'.*'$/su.test(text) || text.length < 2) return { fault: `expected single quoted string but got ${text}` }
  const unescaped = unescape(text.slice(1, -1))
  if (typeof unescaped !== "string") return unescaped
  if (end === undefined) return { fault: endsEarly }
  return end === "]" ? unescaped : { fault: `expected ] but got ${end}` }
}

/** Names of properties where there are some, else keys of the map. */
function stepInto({ path, root, schema }: FoundField, name: string): FoundField | undefined {
  if (schema === undefined) return undefined
  const start = path === "" ? name : root
  if (Object.keys(schema.properties ?? {}).length > 0) {
    const property = propertyOf(schema, name)
    return property && { path: path === "" ? name : `${path}.${name}`, root: start, schema: property }
  }
  if (schema.additionalProperties === undefined) return undefined
  return { path: `${path}[${name}]`, root: start, schema: schemaOr(schema.additionalProperties) }
}

/** Dots and brackets are tokens of one character; a text in single quotes is one token, whatever is in it. */
function tokensOf(path: string): readonly string[] {
  return path.match(/[.[\]]|'(?:\\'|[^'])*'?|[^.[\]']+[^.[\]]*/gsu) ?? []
}

const escapes: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "'": "'",
  "\\": "\\",
}

function unescape(text: string): Fault | string {
  const wrong = [...text.matchAll(/\\(.)/gu)].findLast(([, directive = ""]) => escapes[directive] === undefined)
  if (wrong !== undefined) return { fault: `invalid string literal: invalid escape char ${wrong[0]}` }
  return text.replaceAll(/\\(.)/gu, (_, directive: string) => escapes[directive] ?? "")
}
