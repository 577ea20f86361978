// Random structural schemas: small, with every construct that an API server does something about.
import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import type { Draw } from "../api/draw.ts"

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }
export type SchemaDraft = Mutable<JSONSchemaProps>

/** Few names, so that objects often have what a schema declares. */
export const names = ["a", "b", "c", "d", "constructor"] as const
export const texts = ["", "a", "b", "abc", "10.0.0.1", "a-b.c", "2026-01-02", "x y", "é😀", "1h"] as const
export const numbers = [0, 1, 2, 3, 5, -1, 1.5, 2.5, 65, 1e6, 1500000.5, 2 ** 31, 4294967296, 1e20, 1e40] as const
const formats = [
  "date",
  "date-time",
  "ipv4",
  "cidr",
  "duration",
  "hostname",
  "int32",
  "unheard-of",
  "byte",
  "k8s-short-name",
  "email",
  "uri",
] as const
const patterns = ["^a", "b$", "^[a-z0-9]+$", "^(a|b)?$", "\\d+", "^\\p{L}*$"] as const

/** The schema of an object with a spec and a status. */
export function drawSchema(draw: Draw): JSONSchemaProps {
  return {
    type: "object",
    properties: { spec: objectSchema(draw, 3), status: objectSchema(draw, 2) },
    ...(draw.chance(0.1) && { required: ["spec"] }),
  }
}

function valueSchema(draw: Draw, depth: number): SchemaDraft {
  const kinds = depth <= 0 ? scalars : [...scalars, objectSchema, objectSchema, mapSchema, listSchema, listSchema, embeddedSchema]
  const schema = draw.pick(kinds)(draw, depth - 1)
  if (draw.chance(0.2)) schema.nullable = true
  if (draw.chance(0.25)) combine(draw, schema)
  return schema
}

const scalars: readonly ((draw: Draw, depth: number) => SchemaDraft)[] = [
  stringSchema,
  stringSchema,
  (draw) => numberSchema(draw, "integer"),
  (draw) => numberSchema(draw, "number"),
  () => ({ type: "boolean" }),
  intOrStringSchema,
  () => ({ "x-kubernetes-preserve-unknown-fields": true }),
]

function stringSchema(draw: Draw): SchemaDraft {
  const schema: SchemaDraft = { type: "string" }
  if (draw.chance(0.2)) schema.maxLength = draw.int(0, 4)
  if (draw.chance(0.2)) schema.minLength = draw.int(0, 2)
  if (draw.chance(0.2)) schema.pattern = draw.pick(patterns)
  if (draw.chance(0.3)) schema.format = draw.pick(formats)
  if (draw.chance(0.15)) schema.enum = draw.some(texts, 3)
  return schema
}

function numberSchema(draw: Draw, type: "integer" | "number"): SchemaDraft {
  const schema: SchemaDraft = { type }
  if (draw.chance(0.3)) Object.assign(schema, { minimum: draw.pick(numbers), ...(draw.chance(0.3) && { exclusiveMinimum: true }) })
  if (draw.chance(0.3)) Object.assign(schema, { maximum: draw.pick(numbers), ...(draw.chance(0.3) && { exclusiveMaximum: true }) })
  if (draw.chance(0.2)) schema.multipleOf = draw.pick([1, 2, 3, 0.5, 1.5])
  if (draw.chance(0.3)) schema.format = draw.pick(["int32", "int64", "float", "double", "date"])
  if (draw.chance(0.15)) schema.enum = draw.some(numbers, 3)
  return schema
}

function intOrStringSchema(draw: Draw): SchemaDraft {
  const schema: SchemaDraft = { "x-kubernetes-int-or-string": true }
  if (draw.chance(0.5)) schema.anyOf = [{ type: "integer" }, { type: "string" }]
  if (draw.chance(0.3)) schema.pattern = draw.pick(patterns)
  if (draw.chance(0.2)) schema.maximum = draw.pick(numbers)
  return schema
}

function objectSchema(draw: Draw, depth: number): SchemaDraft {
  const properties = Object.fromEntries(draw.some(names, 4).map((name) => [name, propertySchema(draw, depth)]))
  const schema: SchemaDraft = { type: "object", properties }
  if (draw.chance(0.3)) schema.required = draw.some(names, 2)
  if (draw.chance(0.15)) schema["x-kubernetes-preserve-unknown-fields"] = true
  if (draw.chance(0.1)) schema.minProperties = draw.int(0, 2)
  if (draw.chance(0.1)) schema.maxProperties = draw.int(1, 3)
  if (draw.chance(0.1)) schema["x-kubernetes-map-type"] = draw.pick(["atomic", "granular"])
  return schema
}

/** Defaults are simple, so that their own schema allows them. */
function propertySchema(draw: Draw, depth: number): SchemaDraft {
  const schema = valueSchema(draw, depth)
  if (!draw.chance(0.2)) return schema
  return draw.pick<() => SchemaDraft>([
    () => ({ type: "string", default: draw.pick(["a", "b"]) }),
    () => ({ type: "integer", default: draw.int(0, 3) }),
    () => ({ type: "boolean", default: draw.chance(0.5), nullable: draw.chance(0.5) }),
    () => ({
      type: "object",
      default: draw.pick<Record<string, unknown>>([{}, { a: "x" }]),
      properties: { a: { type: "string" }, b: { type: "integer", default: 7 } },
    }),
    () => ({ type: "array", default: [], items: { type: "string" } }),
  ])()
}

function mapSchema(draw: Draw, depth: number): SchemaDraft {
  const additionalProperties = draw.chance(0.1) ? true : valueSchema(draw, depth)
  return { type: "object", additionalProperties, ...(draw.chance(0.15) && { maxProperties: draw.int(1, 2) }) }
}

function listSchema(draw: Draw, depth: number): SchemaDraft {
  const limits = { ...(draw.chance(0.15) && { maxItems: draw.int(0, 2) }), ...(draw.chance(0.15) && { minItems: draw.int(0, 2) }) }
  const kind = draw.pick(["atomic", "plain", "set", "map", "map"] as const)
  if (kind === "set")
    return { type: "array", "x-kubernetes-list-type": "set", items: draw.pick([{ type: "string" }, { type: "integer" }]), ...limits }
  if (kind !== "map")
    return { type: "array", items: valueSchema(draw, depth), ...(kind === "atomic" && { "x-kubernetes-list-type": "atomic" }), ...limits }
  return { type: "array", ...limits, "x-kubernetes-list-type": "map", ...mapListOf(draw, depth) }
}

/** Every key is required or has a default. */
function mapListOf(draw: Draw, depth: number): SchemaDraft {
  const keys = draw.chance(0.7) ? ["a"] : ["a", "b"]
  const key = (name: string): readonly [string, SchemaDraft] => [
    name,
    draw.chance(0.3) ? { type: "string", default: "a" } : { type: name === "a" ? "string" : "integer" },
  ]
  const keyed = keys.map(key)
  const properties = { ...Object.fromEntries(keyed), c: valueSchema(draw, depth) }
  const required = keyed.filter(([, schema]) => schema.default === undefined).map(([name]) => name)
  return { "x-kubernetes-list-map-keys": keys, items: { type: "object", properties, ...(required.length > 0 && { required }) } }
}

function embeddedSchema(draw: Draw): SchemaDraft {
  const unknown = draw.chance(0.6) ? { "x-kubernetes-preserve-unknown-fields": true } : { properties: { a: { type: "string" } } }
  return { type: "object", "x-kubernetes-embedded-resource": true, ...unknown }
}

/** Adds schemas that restrict values further; they must not have types, defaults and the like of their own. */
function combine(draw: Draw, schema: SchemaDraft): void {
  if (schema["x-kubernetes-int-or-string"] || schema["x-kubernetes-embedded-resource"]) return
  const branches = () => draw.times(1, 3, () => restriction(draw, schema))
  const how = draw.pick(["allOf", "anyOf", "oneOf", "not"] as const)
  if (how === "not") schema.not = restriction(draw, schema)
  else schema[how] = branches()
}

function restriction(draw: Draw, schema: SchemaDraft): SchemaDraft {
  switch (schema.type) {
    case "string": {
      const { type: _type, ...rest } = stringSchema(draw)
      return rest
    }
    case "integer":
    case "number": {
      const { type: _type, ...rest } = numberSchema(draw, schema.type)
      return rest
    }
    case "object":
      return objectRestriction(draw, schema)
    case "array":
      return { [draw.pick(["minItems", "maxItems"])]: draw.int(0, 2) }
    default:
      return draw.pick<SchemaDraft>([{}, { enum: [draw.pick(texts)] }, { maximum: draw.pick(numbers) }])
  }
}

function objectRestriction(draw: Draw, { properties = {} }: SchemaDraft): SchemaDraft {
  const declared = Object.entries(properties)
  const restricted = declared.length > 0 && draw.chance(0.6) ? draw.some(declared, 2) : []
  return {
    ...(draw.chance(0.6) && { required: draw.some(names, 2) }),
    ...(restricted.length > 0 && { properties: Object.fromEntries(restricted.map(([name, schema]) => [name, restriction(draw, schema)])) }),
    ...(draw.chance(0.2) && { maxProperties: draw.int(0, 2) }),
  }
}
