import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { describe, expect, test } from "vitest"
import { metadataOf, structuralSchema } from "./structural-schema.ts"

type Row = readonly [what: string, given: JSONSchemaProps, v3: object, v2?: object]

const text: JSONSchemaProps = { type: "string" }
const either = [{ type: "integer" }, { type: "string" }]

/** The third is what v3 says; the fourth what v2 does, where that is another. */
const rows: readonly Row[] = [
  ["nothing", {}, {}],
  ["a description", { description: "a" }, { description: "a" }],
  ["an empty description", { description: "", title: "", format: "", pattern: "" }, {}],
  ["a type and a format", { type: "string", format: "date" }, { type: "string", format: "date" }],
  ["a title", { title: "t" }, { title: "t" }],
  ["a default", { type: "string", default: "a" }, { type: "string", default: "a" }, { type: "string" }],
  ["defaults that are empty", { default: "" }, { default: "" }, {}],
  ["a default of null", { nullable: true, type: "string", default: null }, { nullable: true, type: "string" }, {}],
  ["a false default", { type: "boolean", default: false }, { type: "boolean", default: false }, { type: "boolean" }],
  ["an example", { example: { a: 1 } }, { example: { a: 1 } }],
  ["documentation elsewhere", { externalDocs: { url: "u" } }, { externalDocs: { url: "u" } }],
  ["a maximum", { maximum: 3, exclusiveMaximum: true }, { maximum: 3, exclusiveMaximum: true }],
  ["a minimum of zero", { minimum: 0, exclusiveMinimum: false }, { minimum: 0 }],
  ["lengths", { minLength: 1, maxLength: 2 }, { minLength: 1, maxLength: 2 }],
  ["a pattern", { pattern: "^a" }, { pattern: "^a" }],
  ["numbers of items", { minItems: 0, maxItems: 2 }, { minItems: 0, maxItems: 2 }],
  ["different items", { uniqueItems: true }, { uniqueItems: true }],
  ["multiples", { multipleOf: 0.5 }, { multipleOf: 0.5 }],
  ["values", { enum: ["", null, 1] }, { enum: ["", null, 1] }],
  ["no values", { enum: [] }, {}],
  ["numbers of properties", { minProperties: 1, maxProperties: 2 }, { minProperties: 1, maxProperties: 2 }],
  ["required properties", { required: ["a"] }, { required: ["a"] }],
  ["no required properties", { required: [], properties: {} }, {}],
  ["items", { type: "array", items: text }, { type: "array", items: { type: "string" } }],
  ["a list without items", { type: "array" }, { type: "array" }, {}],
  ["properties", { properties: { a: text } }, { properties: { a: { type: "string" } } }],
  ["additional properties", { additionalProperties: text }, { additionalProperties: { type: "string" } }],
  ["any additional properties", { additionalProperties: true }, { additionalProperties: true }],
  ["no additional properties", { additionalProperties: false }, { additionalProperties: false }],
  ["allOf", { allOf: [{ minimum: 1 }] }, { allOf: [{ minimum: 1 }] }, {}],
  ["anyOf", { anyOf: [{ required: ["a"] }] }, { anyOf: [{ required: ["a"] }] }, {}],
  ["oneOf", { oneOf: [{ items: { minimum: 1 } }] }, { oneOf: [{ items: { minimum: 1 } }] }, {}],
  ["not", { not: { properties: { a: { enum: [1] } } } }, { not: { properties: { a: { enum: [1] } } } }, {}],
  [
    "alternatives in alternatives, without additional properties",
    { allOf: [{ anyOf: [{ not: { pattern: "a" } }], additionalProperties: { minimum: 1 } }] },
    { allOf: [{ anyOf: [{ not: { pattern: "a" } }] }] },
    {},
  ],
  ["a value that may be null", { type: "string", nullable: true }, { type: "string", nullable: true }, {}],
  [
    "an object that may be null",
    { type: "object", nullable: true, properties: { a: text }, required: ["a"] },
    { type: "object", nullable: true, properties: { a: { type: "string" } }, required: ["a"] },
    { required: ["a"] },
  ],
  [
    "a list that may be null",
    { type: "array", nullable: true, items: text, maxItems: 3 },
    { type: "array", nullable: true, items: { type: "string" }, maxItems: 3 },
    { maxItems: 3 },
  ],
  [
    "a required property that may be null",
    { type: "object", properties: { a: { nullable: true }, b: text }, required: ["a", "b"] },
    { type: "object", properties: { a: { nullable: true }, b: { type: "string" } }, required: ["a", "b"] },
    { type: "object", properties: { a: {}, b: { type: "string" } }, required: ["b"] },
  ],
  [
    "additional properties that may be null",
    { type: "object", additionalProperties: { type: "string", nullable: true }, required: ["a"] },
    { type: "object", additionalProperties: { type: "string", nullable: true }, required: ["a"] },
    { type: "object", additionalProperties: {} },
  ],
  [
    "unknown fields",
    { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { a: text }, required: ["a"] },
    { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { a: { type: "string" } }, required: ["a"] },
    { "x-kubernetes-preserve-unknown-fields": true, required: ["a"] },
  ],
  [
    "unknown fields of a list",
    { type: "array", "x-kubernetes-preserve-unknown-fields": true, items: text },
    { type: "array", "x-kubernetes-preserve-unknown-fields": true, items: { type: "string" } },
    { "x-kubernetes-preserve-unknown-fields": true },
  ],
  [
    "unknown fields of an untyped value",
    { "x-kubernetes-preserve-unknown-fields": true },
    { "x-kubernetes-preserve-unknown-fields": true },
  ],
  [
    "an integer or text",
    { "x-kubernetes-int-or-string": true },
    { "x-kubernetes-int-or-string": true, anyOf: either },
    { "x-kubernetes-int-or-string": true },
  ],
  [
    "an integer or text that says so",
    { "x-kubernetes-int-or-string": true, anyOf: either, pattern: "1" },
    { "x-kubernetes-int-or-string": true, anyOf: either, pattern: "1" },
    { "x-kubernetes-int-or-string": true, pattern: "1" },
  ],
  [
    "an integer or text that says so first of all",
    { "x-kubernetes-int-or-string": true, allOf: [{ anyOf: either }, { minimum: 1 }] },
    { "x-kubernetes-int-or-string": true, allOf: [{ anyOf: either }, { minimum: 1 }] },
    { "x-kubernetes-int-or-string": true },
  ],
  [
    "an integer or text with other alternatives",
    { "x-kubernetes-int-or-string": true, anyOf: [{ minimum: 1 }], allOf: [{ maximum: 3 }] },
    { "x-kubernetes-int-or-string": true, anyOf: [{ minimum: 1 }], allOf: [{ anyOf: either }, { maximum: 3 }] },
    { "x-kubernetes-int-or-string": true },
  ],
  [
    "the topology of lists and maps",
    {
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["a"],
      properties: { a: { "x-kubernetes-map-type": "atomic", "x-kubernetes-list-map-keys": [] } },
    },
    {
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["a"],
      properties: { a: { "x-kubernetes-map-type": "atomic" } },
    },
  ],
  [
    "rules",
    { "x-kubernetes-validations": [{ rule: "self > 0", message: "m" }] },
    { "x-kubernetes-validations": [{ rule: "self > 0", message: "m" }] },
  ],
  [
    "a property that is called like a keyword, or like a part of the language",
    { properties: { default: text, nullable: { type: "string", nullable: true }, toString: text }, required: ["toString", "nullable"] },
    {
      properties: { default: { type: "string" }, nullable: { type: "string", nullable: true }, toString: { type: "string" } },
      required: ["toString", "nullable"],
    },
    { properties: { default: { type: "string" }, nullable: {}, toString: { type: "string" } }, required: ["toString"] },
  ],
]

const cases = rows.map(([what, given, v3, v2 = v3]) => ({ what, given, v3, v2 }))

describe.each(cases)("the schema of $what", ({ given, v3, v2 }) => {
  const listOf = (schema: object) => ({ type: "array", items: { type: "object", additionalProperties: schema, properties: { a: schema } } })

  test("in v3", () => {
    expect(structuralSchema(given, "v3")).toEqual(v3)
    expect(structuralSchema(listOf(given), "v3")).toEqual(listOf(v3))
  })

  test("in v2", () => {
    expect(structuralSchema(given, "v2")).toEqual(v2)
    expect(structuralSchema(listOf(given), "v2")).toEqual(listOf(v2))
  })
})

describe("an embedded object", () => {
  const names = (schema: unknown) => Object.keys((schema as { properties: object }).properties).sort()
  const closed: JSONSchemaProps = {
    type: "object",
    "x-kubernetes-embedded-resource": true,
    properties: { spec: text, kind: { type: "string", enum: ["A"] } },
    required: ["spec", "kind"],
  }

  test.each(["v2", "v3"] as const)("has a kind and metadata in %s", (version) => {
    const found = structuralSchema(closed, version)
    expect(names(found)).toEqual(["apiVersion", "kind", "metadata", "spec"])
    expect(found).toMatchObject({ required: ["spec", "kind", "apiVersion"], properties: { metadata: metadataOf(version) } })
    expect((found.properties as { kind: object }).kind).not.toHaveProperty("enum")
  })

  test("with unknown fields names its fields in v3 only", () => {
    const open: JSONSchemaProps = { ...closed, "x-kubernetes-preserve-unknown-fields": true }
    expect(names(structuralSchema(open, "v3"))).toEqual(["apiVersion", "kind", "metadata", "spec"])
    expect(structuralSchema(open, "v2")).toEqual({
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
      required: ["spec", "kind"],
    })
  })

  test("is found in items and additional properties", () => {
    const holder: JSONSchemaProps = { type: "object", additionalProperties: { type: "array", items: closed } }
    const found = structuralSchema(holder, "v3") as { additionalProperties: { items: { required: unknown } } }
    expect(found.additionalProperties.items.required).toEqual(["spec", "kind", "apiVersion"])
  })
})
