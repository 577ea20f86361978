import { describe, expect, test } from "vitest"
import { z } from "zod"
import { structuralSchema } from "./structural-schema.ts"
import { jsonSchemaOf } from "./zod-schema.ts"

const converted = (schema: z.ZodType) => structuralSchema(jsonSchemaOf(schema), { kind: "Website", field: "spec" })

const part = z.object({ name: z.string() })
const partSchema = { type: "object", required: ["name"], properties: { name: { type: "string" } } }

describe("a zod schema becomes a structural one", () => {
  test.each<[string, z.ZodType, object]>([
    ["string", z.string(), { type: "string" }],
    ["description", z.string().describe("What runs."), { type: "string", description: "What runs." }],
    ["lengths", z.string().min(1).max(63), { type: "string", minLength: 1, maxLength: 63 }],
    ["pattern", z.string().regex(/^[a-z]+$/), { type: "string", pattern: "^[a-z]+$" }],
    ["two patterns", z.string().regex(/^a/).regex(/b$/), { type: "string", allOf: [{ pattern: "^a" }, { pattern: "b$" }] }],
    ["prefix", z.string().startsWith("a/"), { type: "string", pattern: "^a\\/.*" }],
    ["escaped lookahead", z.string().regex(/^\(\?=$/), { type: "string", pattern: "^\\(\\?=$" }],
    ["email", z.email(), { type: "string", format: "email", pattern: expect.stringContaining("@") }],
    ["url", z.url(), { type: "string", format: "uri" }],
    ["format of meta", z.string().meta({ format: "duration" }), { type: "string", format: "duration" }],
    ["int", z.int(), { type: "integer" }],
    ["bounds", z.int().min(0).max(9), { type: "integer", minimum: 0, maximum: 9 }],
    ["positive int", z.int().positive(), { type: "integer", minimum: 0, exclusiveMinimum: true }],
    ["int32", z.int32(), { type: "integer", minimum: -2147483648, maximum: 2147483647 }],
    ["number", z.number().gt(0).lt(1), { type: "number", minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true }],
    ["both lower bounds", z.number().min(5).gt(2), { type: "number", minimum: 5 }],
    ["multiple", z.int().multipleOf(5), { type: "integer", multipleOf: 5 }],
    ["boolean", z.boolean(), { type: "boolean" }],
    ["enum", z.enum(["a", "b"]), { type: "string", enum: ["a", "b"] }],
    ["literal", z.literal("a"), { type: "string", enum: ["a"] }],
    ["union of literals", z.union([z.literal("a"), z.enum(["b", "c"])]), { type: "string", enum: ["a", "b", "c"] }],
    ["int or string", z.union([z.int(), z.string()]), { "x-kubernetes-int-or-string": true }],
    ["nullable", z.string().nullable(), { type: "string", nullable: true }],
    ["nullable with bounds", z.int().min(1).nullable(), { type: "integer", minimum: 1, nullable: true }],
    ["nullable with words", z.string().min(1).nullable().describe("x"), { type: "string", minLength: 1, description: "x", nullable: true }],
    ["nullable int or string", z.union([z.int(), z.string()]).nullable(), { "x-kubernetes-int-or-string": true, nullable: true }],
    ["default", z.int().default(3), { type: "integer", default: 3 }],
    ["prefault", z.string().prefault("a"), { type: "string", default: "a" }],
    ["readonly", z.string().readonly(), { type: "string" }],
    ["array", z.array(z.string()).min(1).max(5), { type: "array", items: { type: "string" }, minItems: 1, maxItems: 5 }],
    [
      "list by a key",
      z.array(part).meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] }),
      { type: "array", items: partSchema, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
    ],
    ["record", z.record(z.string(), z.int()), { type: "object", additionalProperties: { type: "integer" } }],
    ["object", part, partSchema],
    ["optional field", z.object({ name: z.string().optional() }), { type: "object", properties: { name: { type: "string" } } }],
    [
      "default of an object",
      z.object({ n: z.int().default(1) }).default({ n: 2 }),
      { type: "object", properties: { n: { type: "integer", default: 1 } }, default: { n: 2 } },
    ],
    ["strict object", z.strictObject({ name: z.string() }), partSchema],
    ["loose object", z.looseObject({ name: z.string() }), { ...partSchema, "x-kubernetes-preserve-unknown-fields": true }],
    ["any JSON", z.unknown().meta({ "x-kubernetes-preserve-unknown-fields": true }), { "x-kubernetes-preserve-unknown-fields": true }],
    [
      "one schema twice",
      z.object({ a: part, b: part }),
      { type: "object", required: ["a", "b"], properties: { a: partSchema, b: partSchema } },
    ],
    [
      "schema with an id",
      z.object({ a: z.string().meta({ id: "of/one~" }) }),
      { type: "object", required: ["a"], properties: { a: { type: "string" } } },
    ],
    [
      "rule of a field",
      z.string().meta({ "x-kubernetes-validations": [{ rule: "self == oldSelf" }] }),
      { type: "string", "x-kubernetes-validations": [{ rule: "self == oldSelf" }] },
    ],
    [
      "discriminated union",
      z.discriminatedUnion("type", [
        z.object({ type: z.literal("disk"), size: z.int(), path: z.string().optional() }),
        z.object({ type: z.enum(["memory", "none"]), path: z.string().optional() }),
      ]),
      {
        type: "object",
        required: ["type"],
        properties: {
          type: { type: "string", enum: ["disk", "memory", "none"] },
          size: { type: "integer" },
          path: { type: "string" },
        },
        oneOf: [
          { properties: { type: { enum: ["disk"] } }, required: ["type", "size"] },
          { properties: { type: { enum: ["memory", "none"] } }, required: ["type"] },
        ],
      },
    ],
  ])("%s", (_, schema, expected) => {
    expect(converted(schema)).toEqual(expected)
  })
})

const recursive: z.ZodType = z.object({
  get child() {
    return z.array(recursive)
  },
})

describe("what a structural schema cannot hold is refused with its field", () => {
  test.each<[string, z.ZodType, string]>([
    [
      "union",
      z.union([z.string(), z.boolean()]),
      "a union without a discriminator; use z.discriminatedUnion(), or one object with optional fields and a rule",
    ],
    ["union of objects", z.union([part, z.object({ size: z.int() })]), "a union without a discriminator"],
    ["exclusive union", z.xor([part, z.object({ size: z.int() })]), "a union without a discriminator"],
    ["tuple", z.tuple([z.string(), z.int()]), "a tuple; use z.object() with a name for each item, or z.array() of one type"],
    ["record of an enum", z.record(z.enum(["a", "b"]), z.int()), "a record with keys of its own"],
    ["record of patterns", z.record(z.string().regex(/^a/), z.int()), "a record with keys of its own"],
    ["catchall", part.catchall(z.int()), "an object with a catchall"],
    ["transform", z.string().transform((text) => text.length), "a transform, pipe or codec; store what is written"],
    ["preprocess", z.preprocess((value) => value, z.string()), "a transform, pipe or codec"],
    ["trim", z.string().trim(), "a transform such as trim() or toLowerCase(); use a pattern"],
    ["coercion", z.coerce.number(), "coercion; use the type without z.coerce"],
    [
      "refinement",
      z.string().refine((text) => text !== ""),
      'a refinement in TypeScript; write it as a rule: .meta({ "x-kubernetes-validations"',
    ],
    ["refinement of an object", part.refine(() => true).optional(), "a refinement in TypeScript"],
    ["superRefine", z.string().superRefine(() => {}), "a refinement in TypeScript"],
    ["intersection", z.intersection(z.string(), z.string().min(2)), "an intersection; use .extend()"],
    ["date", z.date(), "z.date(); use z.iso.datetime()"],
    ["bigint", z.bigint(), "z.bigint(); use z.int() or a string"],
    ["map", z.map(z.string(), z.int()), "z.map(); use z.record"],
    ["set", z.set(z.string()), "z.set(); use z.array"],
    ["custom", z.custom<string>(), "z.custom() or z.instanceof()"],
    ["never", z.never(), "z.never(); leave the field out"],
    ["null", z.null(), "z.null() alone; use .nullable() of a type"],
    ["catch", z.string().catch("a"), "catch(); use .default()"],
    ["any", z.any(), "any value; write the type"],
    ["unknown", z.unknown(), "any value; write the type"],
    ["lookahead", z.string().regex(/^(?!a)/), "a regular expression that RE2 does not have"],
    ["backreference", z.string().regex(/^(a)\1$/), "a regular expression that RE2 does not have"],
    ["flags", z.string().regex(/^a$/i), "a regular expression with the flags i; write both cases: [a-zA-Z]"],
    ["format", z.string().meta({ format: "phone" }), "the format phone; use one of"],
    ["ISO duration", z.iso.duration(), "a regular expression that RE2 does not have"],
    [
      "default in a variant",
      z.discriminatedUnion("type", [z.object({ type: z.literal("a"), n: z.int().default(1) }), z.object({ type: z.literal("b") })]),
      "a default in one variant of a union; make it optional",
    ],
    [
      "variants that differ",
      z.discriminatedUnion("type", [z.object({ type: z.literal("a"), n: z.int() }), z.object({ type: z.literal("b"), n: z.string() })]),
      "two variants with different schemas of the field; rename one of them",
    ],
    [
      "nullable union",
      z.discriminatedUnion("type", [z.object({ type: z.literal("a") })]).nullable(),
      "a union that may be null; use .optional()",
    ],
    ["nullable enum", z.enum(["a", "b"]).nullable(), "an enum that may be null, which servers refuse; use .optional()"],
    ["recursion", recursive, "a schema that contains itself"],
  ])("%s", (_, schema, message) => {
    expect(() => converted(z.object({ field: schema }))).toThrow(
      /^expected what a structural schema can hold in spec\.field\S* of Website, found /,
    )
    expect(() => converted(z.object({ field: schema }))).toThrow(message)
  })

  test.each<[string, z.ZodType]>([
    ["spec.list[].name", z.object({ list: z.array(z.object({ name: z.date() })) })],
    ["spec.labels[*]", z.object({ labels: z.record(z.string(), z.date()) })],
    ["spec.one.two", z.object({ one: z.object({ two: z.date().nullable() }).optional() })],
    ["spec", z.object({}).refine(() => true)],
  ])("%s", (field, schema) => {
    expect(() => converted(schema)).toThrow(`expected what a structural schema can hold in ${field} of Website, found `)
  })
})
