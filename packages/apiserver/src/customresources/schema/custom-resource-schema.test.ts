import { deepFreeze } from "@pilothouse/api"
import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { VirtualClock } from "@pilothouse/seams"
import fc from "fast-check"
import { expect, test } from "vitest"
import { customResourceSchema, type JsonObject } from "./custom-resource-schema.ts"

/** Few, so that objects have what schemas declare. */
const key = fc.constantFrom("a", "b", "c", "__proto__", "constructor")
const scalar = fc.oneof(fc.constantFrom<unknown>(null, true, "", "a", "10.0.0.1", 1.5), fc.integer({ min: -2, max: 9 }))

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4 }),
  ),
}))

const combined = fc.constantFrom<JSONSchemaProps>(
  {},
  { anyOf: [{ required: ["a"] }, { maxLength: 2 }] },
  { oneOf: [{ minimum: 1 }, { maximum: 3 }] },
  { allOf: [{ maxItems: 1 }, { maxProperties: 1 }] },
  { not: { required: ["b"] } },
)
const rest = fc.record(
  {
    nullable: fc.boolean(),
    default: fc.constantFrom<unknown>("a", 3, {}, { a: 1 }, [], [{}]),
    "x-kubernetes-preserve-unknown-fields": fc.constant(true),
    "x-kubernetes-embedded-resource": fc.boolean(),
  },
  { requiredKeys: [] },
)

const { schema } = fc.letrec<{
  schema: JSONSchemaProps
  leaf: JSONSchemaProps
  map: JSONSchemaProps
  list: JSONSchemaProps
  object: JSONSchemaProps
}>((tie) => ({
  leaf: fc.constantFrom<JSONSchemaProps>(
    { type: "string", format: "ipv4" },
    { type: "integer", maximum: 5 },
    { "x-kubernetes-int-or-string": true },
    {},
  ),
  map: fc.record({ type: fc.constant("object"), additionalProperties: fc.oneof(tie("schema"), fc.boolean()) }) as never,
  list: fc.record({ type: fc.constant("array"), items: tie("schema"), "x-kubernetes-list-type": fc.constantFrom("set", "atomic") }),
  object: fc.record({ type: fc.constant("object"), properties: fc.dictionary(key, tie("schema"), { maxKeys: 4 }) }),
  schema: fc
    .tuple(fc.oneof({ maxDepth: 4 }, tie("leaf"), tie("object"), tie("list"), tie("map")), rest, combined)
    .map(([one, more, restriction]) => ({ ...one, ...more, ...restriction }) as JSONSchemaProps),
}))

const cases = fc.tuple(schema, fc.dictionary(key, value)).map(([spec, object]) => ({
  compiled: customResourceSchema({ type: "object", properties: { spec } }),
  object: deepFreeze({ apiVersion: "e.test/v1", kind: "E", metadata: { name: "n", odd: 1 }, spec: object, ...object }) as JsonObject,
}))

test("pruning twice is pruning once, and what stays is as it was", () => {
  fc.assert(
    fc.property(cases, ({ compiled, object }) => {
      const unknown: string[] = []
      const pruned = compiled.prune(object, unknown)
      expect(compiled.prune(pruned)).toBe(pruned)
      expect(pruned === object).toBe(unknown.length === 0)
      expect(pruned.metadata).toBe(object.metadata)
    }),
  )
})

test("defaults are filled in once, and what has them is the same object", () => {
  fc.assert(
    fc.property(cases, ({ compiled, object }) => {
      const filled = compiled.fillDefaults(object)
      expect(compiled.fillDefaults(filled)).toBe(filled)
      expect(filled.metadata).toBe(object.metadata)
    }),
  )
})

test("pruned objects with defaults are validated, and an update never has more errors than a create", () => {
  fc.assert(
    fc.property(cases, ({ compiled, object }) => {
      const decoded = compiled.fillDefaults(compiled.coerceEmbedded(compiled.prune(object), { dropInvalid: true }))
      const errors = compiled.validate(decoded).map(({ field, message }) => `${field}: ${message}`)
      const update = compiled.validate(decoded, decoded).map(({ field, message }) => `${field}: ${message}`)
      expect(errors).toEqual(expect.arrayContaining(update))
      expect(compiled.validate(decoded).map(({ field, message }) => `${field}: ${message}`)).toEqual(errors)
    }),
  )
})

test("objects 900 levels deep", () => {
  let [deep, nested]: [JSONSchemaProps, JsonObject] = [{ type: "string", maxLength: 1 }, { a: "xx" }]
  for (let level = 0; level < 900; level++) {
    deep = { type: "object", properties: { a: deep } }
    if (level > 0) nested = { a: nested }
  }
  const compiled = customResourceSchema(deep)
  expect(compiled.prune(nested)).toBe(nested)
  expect(compiled.fillDefaults(nested)).toBe(nested)
  expect(compiled.validate(nested)).toHaveLength(1)
  expect(compiled.validate(nested, nested)).toEqual([])
})

test("only a schema with a pattern has something to load, once", async () => {
  const clock = new VirtualClock()
  expect(customResourceSchema({ properties: { a: { type: "string" } } }).prepare(clock)).toBeUndefined()
  const nested = customResourceSchema({ properties: { a: { items: { anyOf: [{ not: { additionalProperties: { pattern: "a" } } }] } } } })
  await nested.prepare(clock)
  expect(nested.prepare(clock)).toBeUndefined()
})
