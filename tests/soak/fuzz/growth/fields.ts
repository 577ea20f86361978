import type { Schema } from "@pilothouse/api"
import { type FuzzedKind, fuzzedKinds } from "../kinds.ts"
import { goodObjects } from "../objects.ts"

/** A place in the objects of a kind. */
export interface FieldPlace {
  readonly kind: FuzzedKind
  /** ["spec", "containers", 0, "image"]; "*" is any key of a map. */
  readonly path: readonly (string | number)[]
  readonly schema: Schema
}

/** A field of a type, and every place where that type is used. Each is probed on its own, at a place that is drawn. */
export interface GrowableField {
  /** "Container.image" */
  readonly name: string
  readonly places: readonly FieldPlace[]
}

const deepest = 14

/** Every field of every kind that can grow: texts, lists, maps, and values of any form. */
export function growableFields(kinds: readonly FuzzedKind[] = fuzzedKinds): readonly GrowableField[] {
  const fields = new Map<string, FieldPlace[]>()
  for (const kind of kinds)
    walk(kind.schema, [], [], (name, path, schema) => {
      const places = fields.get(name) ?? []
      fields.set(name, places)
      places.push({ kind, path, schema })
    })
  return [...fields].map(([name, places]) => ({ name, places }))
}

type Visit = (name: string, path: readonly (string | number)[], schema: Schema) => void

function walk(schema: Schema, path: readonly (string | number)[], parents: readonly Schema[], visit: Visit): void {
  // A schema of a CustomResourceDefinition has itself in it.
  if (path.length > deepest || parents.includes(schema)) return
  const inner = [...parents, schema]
  for (const [key, field] of Object.entries(schema.fields ?? {})) {
    if (path.length === 0 && (key === "apiVersion" || key === "kind")) continue
    visitField(`${schema.name}.${key}`, [...path, key], field.schema, visit)
    walk(field.schema, [...path, key], inner, visit)
  }
  if (schema.items !== undefined) walk(schema.items, [...path, partOf(schema)], inner, visit)
}

const growable: readonly string[] = ["string", "list", "map", "any"]

function visitField(name: string, path: readonly (string | number)[], schema: Schema, visit: Visit): void {
  if (growable.includes(schema.type)) visit(name, path, schema)
  if (schema.items?.type === "string") visit(`${name}[]`, [...path, partOf(schema)], schema.items)
}

/** The first item of a list, or any key of a map. */
function partOf({ type }: Schema): string | number {
  return type === "list" ? 0 : "*"
}

/** An object of that kind that is good as far as its required fields go, with the value at the place. */
export function objectWith({ kind, path }: FieldPlace, name: string, value: unknown): object {
  const good = goodObjects[`${kind.base} ${kind.plural}`]
  const base = good ?? requiredOf(kind.schema)
  const object = { metadata: { name }, ...(base as object), apiVersion: kind.apiVersion, kind: kind.kind }
  return withValue(object, kind.schema, path, value) as object
}

function withValue(object: unknown, schema: Schema, path: readonly (string | number)[], value: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return value
  if (schema.type === "list") {
    const items: readonly unknown[] = Array.isArray(object) && object.length > 0 ? object : [requiredOf(schema.items)]
    return [withValue(items[0], schema.items ?? { type: "any" }, rest, value), ...items.slice(1)]
  }
  const known = (object ?? requiredOf(schema)) as Readonly<Record<string, unknown>>
  const inner = schema.type === "map" ? schema.items : schema.fields?.[key]?.schema
  return { ...known, [key === "*" ? "a" : key]: withValue(known[key], inner ?? { type: "any" }, rest, value) }
}

/** The least that a schema asks for. */
export function requiredOf(schema: Schema | undefined, index = 0, depth = 0): unknown {
  switch (schema?.type) {
    case "object": {
      const entries = Object.entries(schema.fields ?? {}).filter(([key, { required }]) => required === true || key === "name")
      if (depth > 6) return {}
      return Object.fromEntries(entries.map(([key, field]) => [key, requiredOf(field.schema, index, depth + 1)]))
    }
    case "list":
      return []
    case "map":
      return {}
    case "integer":
    case "number":
      return index % 60_000
    case "boolean":
      return true
    case "string":
      return schema.enum?.[0] ?? textOf(schema.format, index)
    default:
      return { a: index }
  }
}

function textOf(format: string | undefined, index: number): string {
  switch (format) {
    case "quantity":
    case "int-or-string":
      return String(index)
    case "date-time":
      return "2020-01-01T00:00:00Z"
    case "micro-time":
      return "2020-01-01T00:00:00.000000Z"
    case "byte":
      return "eA=="
    case "duration":
      return "1s"
    default:
      return `a${index}`
  }
}

/** A list or map of so many of what the schema asks for, or nesting of so many levels. */
export function grownValue(schema: Schema, size: number): unknown {
  const indexes = Array.from({ length: size }, (_, index) => index)
  if (schema.type === "list") return indexes.map((index) => requiredOf(schema.items, index))
  if (schema.type === "map") return Object.fromEntries(indexes.map((index) => [`a${index}`, requiredOf(schema.items, index)]))
  let nested: unknown = 1
  for (let level = 0; level < size; level++) nested = level % 2 === 0 ? { a: nested } : [nested]
  return nested
}
