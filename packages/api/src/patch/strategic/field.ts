import type { Field, PatchStrategy, Schema } from "../../schema/schema.ts"
import { PatchError } from "../values/patch-error.ts"

/** What a schema says of merging one field: the schema of its object or of its list's elements, and how. */
export interface FieldRule {
  readonly schema: Schema
  readonly strategy: Exclude<PatchStrategy, "retainKeys"> | undefined
  readonly retainKeys: boolean
  readonly mergeKey: string | undefined
}

/** The rule for a field that holds an object on both sides. */
export function objectRule(parent: Schema, key: string): FieldRule {
  const field = fieldOf(parent, key)
  return ruleOf(field, field.schema)
}

/** The rule for a field that holds a list on both sides. */
export function listRule(parent: Schema, key: string): FieldRule {
  const field = fieldOf(parent, key)
  if (field.schema.type !== "list" || field.schema.items === undefined) {
    throw new PatchError(500, `expected slice or array type, but got: ${goKinds[field.schema.type]}`)
  }
  return ruleOf(field, field.schema.items)
}

function ruleOf(field: Field, schema: Schema): FieldRule {
  const strategies = field.patchStrategy ?? []
  const strategy = strategies.find((name) => name !== "retainKeys")
  return { schema, strategy, retainKeys: strategies.includes("retainKeys"), mergeKey: field.patchMergeKey }
}

function fieldOf(parent: Schema, key: string): Field {
  if (parent.type !== "object" && parent.type !== "any") {
    throw new PatchError(500, `merging an object in json but data type is not struct, instead is: ${goKinds[parent.type]}`)
  }
  const field = parent.fields !== undefined && Object.hasOwn(parent.fields, key) ? parent.fields[key] : undefined
  if (field !== undefined) return field
  // Opaque JSON is a struct without fields upstream, so merging two opaque objects is this error too.
  const name = parent.name ?? (parent.type === "any" ? "RawExtension" : "")
  throw new PatchError(500, `unable to find api field in struct ${name} for the json field ${JSON.stringify(key)}`)
}

const goKinds = {
  object: "struct",
  any: "struct",
  map: "map",
  list: "slice",
  string: "string",
  integer: "int64",
  number: "float64",
  boolean: "bool",
} as const
