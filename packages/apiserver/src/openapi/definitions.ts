import type { Schema } from "@pilothouse/api"
import { mapExtensions, property, type SchemaObject, scalarTypes, typeName } from "./property.ts"

export interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** A type that a document speaks of, and the kinds it is the body of. */
export interface Root {
  readonly schema: Schema
  /** Undefined for a type that is only a part of kinds. */
  readonly kinds: readonly GroupVersionKind[] | undefined
}

/** The roots and all that they reach, by name, in order. */
export function definitions(roots: readonly Root[]): Readonly<Record<string, SchemaObject>> {
  const found = new Map<string, SchemaObject>()
  const kinds = new Map(roots.map((root) => [typeName(root.schema), root.kinds]))
  // A list of what is to be read, not recursion: types of CRD schemas hold themselves.
  const open = roots.map(({ schema }) => schema)
  for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
    const name = typeName(schema)
    if (name !== undefined) {
      if (found.has(name)) continue
      found.set(name, withKinds(definition(schema), kinds.get(name)))
    }
    open.push(...Object.values(schema.fields ?? {}).map((field) => field.schema))
    if (schema.items !== undefined) open.push(schema.items)
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function withKinds(schema: SchemaObject, kinds: readonly GroupVersionKind[] | undefined): SchemaObject {
  return kinds === undefined ? schema : { ...schema, "x-kubernetes-group-version-kind": kinds }
}

function definition(schema: Schema): SchemaObject {
  if (schema.format !== undefined) return scalarTypes[schema.format]?.schema ?? { type: schema.type, format: schema.format }
  if (schema.type === "any") return opaque(schema)
  const fields = Object.entries(schema.fields ?? {})
  const required = fields.filter(([, field]) => field.required).map(([name]) => name)
  return {
    type: "object",
    ...(fields.length > 0 && { properties: Object.fromEntries(fields.map(([name, field]) => [name, property(field)])) }),
    ...(required.length > 0 && { required }),
    ...mapExtensions(schema),
  }
}

/** JSON values of a CRD's schema may be anything; raw extensions and field sets are objects. */
function opaque({ name }: Schema): SchemaObject {
  return name?.startsWith("JSON") ? {} : { type: "object" }
}
