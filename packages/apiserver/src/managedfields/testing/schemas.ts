import type { Field, Schema } from "@pilothouse/api"

// Schemas in few words, for the tests of ownership.

export const text: Schema = { type: "string" }
export const number: Schema = { type: "integer", format: "int64" }
export const flag: Schema = { type: "boolean" }
/** Deduced from the value. */
export const anything: Schema = { type: "any" }
/** Owned as a whole, whatever it is. */
export const raw: Schema = { type: "any", name: "RawExtension" }

/** An object with named fields. A field is a schema, or a schema with a default. */
export function object(fields: Readonly<Record<string, Schema | Field>>, rest: Partial<Schema> = {}): Schema {
  const entries = Object.entries(fields).map(([name, field]) => [name, "schema" in field ? field : { schema: field }] as const)
  return { type: "object", fields: Object.fromEntries(entries), ...rest }
}

export function withDefault(schema: Schema, value: unknown): Field {
  return { schema, default: value }
}

export function mapOf(items: Schema): Schema {
  return { type: "map", items }
}

export function setOf(items: Schema): Schema {
  return { type: "list", listType: "set", items }
}

export function keyedBy(keys: readonly string[], items: Schema): Schema {
  return { type: "list", listType: "map", listMapKeys: keys, items }
}

export function atomic(schema: Schema): Schema {
  return schema.type === "list" ? { type: "list", items: schema.items, listType: "atomic" } : { ...schema, mapType: "atomic" }
}
