import type { Draw } from "../api/draw.ts"
import { isRecord } from "../api/objects/object.ts"
import { isScalar, type SchemaDraft } from "./draw-schema.ts"

/** Keywords with values that are refused somewhere. What is refused depends on the schema that gets them. */
const broken: readonly SchemaDraft[] = [
  { type: "null" },
  { type: "" },
  { type: "text" },
  { type: "array" },
  { type: "object" },
  { type: "string" },
  { id: "x" },
  { $ref: "#/x" },
  { $schema: "x" },
  { uniqueItems: true },
  { additionalItems: true },
  { additionalItems: { type: "string" } },
  { patternProperties: { x: { type: "string" } } },
  { definitions: { x: { type: "bad", uniqueItems: true } } },
  { dependencies: { x: ["y"] } },
  { dependencies: { x: { uniqueItems: true } } },
  { additionalProperties: { type: "string" } },
  { additionalProperties: true },
  { additionalProperties: false },
  { additionalProperties: { default: 1 } },
  { items: { type: "string" } },
  { items: { type: "object", nullable: true, properties: { name: { type: "array", items: { type: "string" } } } } },
  { items: [{ type: "string" }, {}] },
  { items: {} },
  { properties: { name: {} } },
  { properties: { metadata: { type: "object", description: "x" } } },
  { properties: { metadata: { type: "string" } } },
  { properties: { metadata: { type: "object", properties: { name: { type: "string" }, labels: { type: "object" } } } } },
  { properties: { metadata: { type: "object", properties: { generateName: { type: "string", default: "x" } } } } },
  { properties: { kind: { type: "integer" }, apiVersion: {} } },
  { properties: { kind: { type: "string", default: "Foo" } } },
  { nullable: true },
  { default: "surprise" },
  { default: { unknown: true } },
  { enum: [null, 1, "x", { b: 1, a: 2 }] },
  { "x-kubernetes-preserve-unknown-fields": false },
  { "x-kubernetes-preserve-unknown-fields": true },
  { "x-kubernetes-embedded-resource": true },
  { "x-kubernetes-embedded-resource": true, properties: { metadata: { "x-kubernetes-embedded-resource": true } } },
  { "x-kubernetes-embedded-resource": true, type: "object", properties: { metadata: { type: "object", default: { name: "A B" } } } },
  { "x-kubernetes-int-or-string": true },
  { "x-kubernetes-list-type": "atomic" },
  { "x-kubernetes-list-type": "set" },
  { "x-kubernetes-list-type": "map" },
  { "x-kubernetes-list-type": "bag" },
  { "x-kubernetes-map-type": "atomic" },
  { "x-kubernetes-map-type": "bag" },
  { "x-kubernetes-list-map-keys": ["name"] },
  { "x-kubernetes-list-map-keys": ["name", "name", "other"] },
  { type: "array", "x-kubernetes-list-type": "set", items: { type: "object", properties: { a: { type: "string" } } } },
  { type: "array", "x-kubernetes-list-type": "set", items: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } } },
  {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"],
    items: { type: "object", properties: { k: { type: "string", nullable: true } } },
  },
  { "x-kubernetes-validations": [{ rule: " " }] },
  { "x-kubernetes-validations": [{ rule: "true\n&& true" }, { rule: "true", message: "a\nb" }] },
  { "x-kubernetes-validations": [{ rule: "true", message: " ", messageExpression: " " }] },
  {
    "x-kubernetes-validations": [
      { rule: "true", reason: "Because" },
      { rule: "true", fieldPath: ".no.such" },
    ],
  },
  {
    "x-kubernetes-validations": [
      { rule: "true", fieldPath: ".a" },
      { rule: "true", fieldPath: "['x.y']" },
      { rule: "true", fieldPath: "a" },
    ],
  },
  {
    "x-kubernetes-validations": [
      { rule: "true", fieldPath: " " },
      { rule: "true", fieldPath: ".a\n" },
      { rule: "true", fieldPath: ".a[0" },
    ],
  },
  { anyOf: [{ type: "string" }, { description: "x", title: "y", nullable: true, default: 1 }] },
  { allOf: [{ properties: { missing: { minimum: 1 } }, additionalProperties: { type: "string" } }] },
  { oneOf: [{ items: { minimum: 1 } }, { required: ["a"] }] },
  { not: { properties: { metadata: {} }, "x-kubernetes-int-or-string": true, "x-kubernetes-validations": [{ rule: "true" }] } },
  { allOf: [{ "x-kubernetes-list-type": "set", "x-kubernetes-list-map-keys": ["a"], "x-kubernetes-map-type": "atomic" }] },
  { anyOf: [{ additionalProperties: true }, { additionalProperties: false, "x-kubernetes-embedded-resource": true }] },
  { allOf: [{ not: { anyOf: [{ type: "string", "x-kubernetes-preserve-unknown-fields": true }] } }] },
  { pattern: "(" },
  { pattern: "[z-a]" },
  { pattern: "a**" },
  { pattern: "(?=x)" },
  { pattern: "\\p{Greek}{2,1}" },
  { minLength: -1, maxItems: -5 },
  { format: "nonsense" },
]

/** Changes a schema in a few places so that it may be refused. */
export function breakSchema(draw: Draw, schema: SchemaDraft): void {
  const nodes = [schema, ...schemasIn(schema)]
  for (const node of draw.times(1, 3, () => draw.pick(nodes))) {
    const change = structuredClone(draw.pick(broken))
    if (change["x-kubernetes-validations"] !== undefined && !isScalar(node)) continue
    if (change.properties !== undefined && isRecord(node.properties) && draw.chance(0.7)) {
      change.properties = { ...node.properties, ...(change.properties as object) }
    }
    if (draw.chance(0.15)) delete node[draw.pick(Object.keys(node).length === 0 ? ["x"] : Object.keys(node))]
    else Object.assign(node, change)
  }
}

function schemasIn(schema: SchemaDraft): readonly SchemaDraft[] {
  const { items, additionalProperties, properties, anyOf, allOf, oneOf, not } = schema
  const below = [
    items,
    additionalProperties,
    not,
    ...lists(anyOf),
    ...lists(allOf),
    ...lists(oneOf),
    ...(isRecord(properties) ? Object.values(properties) : []),
  ]
  return below.filter(isRecord).flatMap((inner) => [inner, ...schemasIn(inner)])
}

function lists(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
