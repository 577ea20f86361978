import { type JsonSchema, valuesSchema } from "../schema/json-schema.ts"

/** A path inside a value, as messages write it: `spec.ports[0]`, `labels[app]`. The empty text is the value itself. */
export const fieldPath = {
  child: (path: string, name: string): string => (path === "" ? name : `${path}.${name}`),
  key: (path: string, key: string): string => `${path}[${key}]`,
  index: (path: string, index: number): string => `${path}[${index}]`,
}

const escapes: Readonly<Record<string, string>> = { a: "\x07", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v", "'": "'", "\\": "\\" }

/**
 * Returns where a rule's `fieldPath` points, as messages write it; undefined if it names no field of the schema.
 * It has the forms `.spec.ports` and `['spec']['a.b']`.
 */
export function resolveFieldPath(text: string, schema: JsonSchema): string | undefined {
  let path = ""
  let current: JsonSchema | undefined = schema
  let rest = text
  while (rest !== "") {
    const match = /^(?:\.([^.[\]]+)|\['((?:\\.|[^'\\])*)'\])/.exec(rest)
    const name = match && (match[1] ?? unescapeQuoted(match[2] as string))
    if (!match || name === undefined || name === null || !current) return undefined
    const named: boolean = current.properties !== undefined
    path = named ? fieldPath.child(path, name) : fieldPath.key(path, name)
    current = named ? current.properties?.[name] : valuesSchema(current)
    if (!current) return undefined
    rest = rest.slice(match[0].length)
  }
  return path
}

function unescapeQuoted(text: string): string | undefined {
  const known = Array.from(text.matchAll(/\\(.)/g)).every(([, character]) => Object.hasOwn(escapes, character as string))
  return known ? text.replace(/\\(.)/g, (_escape, character: string) => escapes[character] as string) : undefined
}
