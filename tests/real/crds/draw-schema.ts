import type { Draw } from "../api/draw.ts"

/** A schema while it is drawn. */
export type SchemaDraft = Record<string, unknown>

const names = ["a", "b", "name", "spec", "size", "metadata", "kind", "apiVersion", "x.y", "émile", "constructor"]
const maxDepth = 3

/** Draws a schema that is structural. */
export function drawSchema(draw: Draw): SchemaDraft {
  const root = objectSchema(draw, 0)
  root.properties = {
    spec: anySchema(draw, 1),
    ...(draw.chance(0.5) ? { status: objectSchema(draw, 1) } : {}),
    ...(draw.chance(0.2) ? { apiVersion: { type: "string" }, kind: { type: "string" }, metadata: { type: "object" } } : {}),
    ...(draw.chance(0.1) ? { metadata: { type: "object", properties: { name: { type: "string", maxLength: 20 } } } } : {}),
  }
  return root
}

function anySchema(draw: Draw, depth: number): SchemaDraft {
  const kinds = [
    scalar,
    scalar,
    scalar,
    intOrString,
    preserving,
    ...(depth < maxDepth ? [objectSchema, objectSchema, map, list, list, embedded] : []),
  ]
  const schema = draw.pick(kinds)(draw, depth)
  if (draw.chance(0.15)) schema.description = draw.pick(["", "what it is", "<b> & 'c'"])
  if (draw.chance(0.1)) schema.nullable = true
  if (draw.chance(0.03)) schema.title = "A title"
  if (draw.chance(0.03)) schema.example = { x: [1, null] }
  if (draw.chance(0.03)) schema.externalDocs = { url: "https://example.com" }
  // Of other types upstream may not know what an expression would see.
  if (draw.chance(0.08) && isScalar(schema)) schema["x-kubernetes-validations"] = [{ rule: "true", message: "never" }]
  if (draw.chance(0.15)) addLogic(draw, schema)
  return schema
}

export function isScalar({ type }: SchemaDraft): boolean {
  return typeof type === "string" && ["string", "integer", "number", "boolean"].includes(type)
}

function scalar(draw: Draw): SchemaDraft {
  const type = draw.pick(["string", "integer", "number", "boolean"])
  const schema: SchemaDraft = { type }
  if (type === "string" && draw.chance(0.3)) schema.format = draw.pick(["date-time", "byte", "ipv4", "k8s-short-name", "made-up", "int32"])
  if (type === "string" && draw.chance(0.2))
    Object.assign(schema, draw.pick([{ minLength: 0 }, { maxLength: 5 }, { pattern: "^[a-z]+$" }, { enum: ["a", "b"] }]))
  if (type !== "string" && type !== "boolean" && draw.chance(0.3)) {
    Object.assign(
      schema,
      draw.pick([{ minimum: 0 }, { maximum: 10.5, exclusiveMaximum: true }, { multipleOf: 2 }, { format: "int64" }, { format: "double" }]),
    )
  }
  if (draw.chance(0.08)) schema.default = draw.pick(["a", "", 1, 1.5, true, null, {}, ["x"], 1e21])
  return schema
}

function intOrString(draw: Draw): SchemaDraft {
  return {
    "x-kubernetes-int-or-string": true,
    ...(draw.chance(0.4) ? { anyOf: [{ type: "integer" }, { type: "string" }] } : {}),
    ...(draw.chance(0.2) ? { allOf: [{ anyOf: [{ type: "integer" }, { type: "string" }] }, { pattern: "x" }] } : {}),
    ...(draw.chance(0.2) ? { default: draw.pick([1, "50%", true]) } : {}),
  }
}

function preserving(draw: Draw): SchemaDraft {
  return {
    "x-kubernetes-preserve-unknown-fields": true,
    ...(draw.chance(0.5) ? { type: draw.pick(["object", "array", "string"]) } : {}),
    ...(draw.chance(0.2) ? { default: draw.pick([{ a: { b: 1 } }, "x"]) } : {}),
  }
}

function objectSchema(draw: Draw, depth: number): SchemaDraft {
  const fields = draw.some(names, 3)
  const schema: SchemaDraft = { type: "object", properties: Object.fromEntries(fields.map((name) => [name, anySchema(draw, depth + 1)])) }
  if (draw.chance(0.2)) schema.required = draw.some(fields, 2)
  if (draw.chance(0.1)) schema["x-kubernetes-map-type"] = draw.pick(["atomic", "granular"])
  if (draw.chance(0.06) && depth > 0) schema.default = draw.pick([{}, { a: "x" }, { unknown: 1 }, { spec: { b: [1] } }, "x", []])
  return schema
}

function map(draw: Draw, depth: number): SchemaDraft {
  return {
    type: "object",
    additionalProperties: draw.chance(0.2) ? draw.chance(0.5) : anySchema(draw, depth + 1),
    ...(draw.chance(0.2) ? { default: { k: "v" } } : {}),
  }
}

function list(draw: Draw, depth: number): SchemaDraft {
  const kind = draw.pick(["plain", "plain", "atomic", "set", "map"])
  const schema: SchemaDraft = { type: "array" }
  if (kind !== "plain") schema["x-kubernetes-list-type"] = kind
  if (kind === "map") {
    schema["x-kubernetes-list-map-keys"] = ["name"]
    const items = objectSchema(draw, depth + 1)
    items.properties = { ...(items.properties as object), name: { type: "string" } }
    items.required = ["name"]
    delete items.nullable
    schema.items = items
  } else schema.items = kind === "set" ? { type: draw.pick(["string", "integer"]) } : anySchema(draw, depth + 1)
  if (draw.chance(0.08)) schema.default = draw.pick([[], ["a", "a"], [{ name: "n" }], [{ name: "n" }, { name: "n" }], [null]])
  return schema
}

function embedded(draw: Draw, depth: number): SchemaDraft {
  return {
    type: "object",
    "x-kubernetes-embedded-resource": true,
    ...(draw.chance(0.5) ? { "x-kubernetes-preserve-unknown-fields": true } : { properties: { spec: anySchema(draw, depth + 1) } }),
    ...(draw.chance(0.3)
      ? {
          default: draw.pick([
            { apiVersion: "v1", kind: "Pod", metadata: { name: "x" } },
            { apiVersion: "v1", kind: "Pod", metadata: { name: "x", more: 1 } },
            { apiVersion: "", kind: "my kind", metadata: { labels: { "a b": "c" } } },
            { apiVersion: 1, kind: "Pod", metadata: {} },
            {},
          ]),
        }
      : {}),
  }
}

/** Alternatives that say nothing structural, of the fields that are there. */
function addLogic(draw: Draw, schema: SchemaDraft): void {
  const fields = Object.keys((schema.properties ?? {}) as object).filter((name) => name !== "metadata")
  const limited = Object.fromEntries(fields.map((name) => [name, { maxLength: 3 }]))
  const aboutFields = fields.length === 0 ? [] : [{ required: fields.slice(0, 1) }, { properties: limited }]
  const clause = () => structuredClone(draw.pick<SchemaDraft>([{ minimum: 1 }, { not: { pattern: "z" } }, ...aboutFields]))
  const keyword = draw.pick(["anyOf", "allOf", "oneOf", "not"])
  if (schema[keyword] === undefined) schema[keyword] = keyword === "not" ? clause() : draw.times(1, 2, clause)
}
