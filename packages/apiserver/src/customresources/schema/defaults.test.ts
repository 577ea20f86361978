import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { expect, test } from "vitest"
import { customResourceSchema } from "./custom-resource-schema.ts"

const object = (properties: Readonly<Record<string, JSONSchemaProps>>, rest: JSONSchemaProps = {}): JSONSchemaProps => ({
  type: "object",
  properties,
  ...rest,
})
const withDefault = (value: unknown, rest: JSONSchemaProps = {}): JSONSchemaProps => ({ default: value as never, ...rest })
const nullable = { nullable: true }
const list = (items: JSONSchemaProps): JSONSchemaProps => ({ type: "array", items })
const map = (additionalProperties: JSONSchemaProps | boolean): JSONSchemaProps => ({ type: "object", additionalProperties })

test.each<[string, JSONSchemaProps, object, object]>([
  ["a field that is absent", object({ a: withDefault("A") }), {}, { a: "A" }],
  ["a field that is there", object({ a: withDefault("A") }), { a: "x" }, { a: "x" }],
  [
    "zero values are values",
    object({ a: withDefault("A"), b: withDefault(1), c: withDefault(true) }),
    { a: "", b: 0, c: false },
    { a: "", b: 0, c: false },
  ],
  ["empty lists and objects are values", object({ a: withDefault(["A"]), b: withDefault({ x: 1 }) }), { a: [], b: {} }, { a: [], b: {} }],
  ["an object that is absent gets none of its fields' defaults", object({ o: object({ a: withDefault("A") }) }), {}, {}],
  ["an object that is there gets them", object({ o: object({ a: withDefault("A") }) }), { o: {} }, { o: { a: "A" } }],
  ["a default gets the defaults of its fields", object({ o: object({ a: withDefault("A") }, { default: {} }) }), {}, { o: { a: "A" } }],
  ["items of a list", object({ l: list(object({ a: withDefault("A") })) }), { l: [{}, { a: "x" }, 1] }, { l: [{ a: "A" }, { a: "x" }, 1] }],
  [
    "values of a map",
    object({ m: map(object({ a: withDefault("A") })) }),
    { m: { x: {}, y: { a: "1" } } },
    { m: { x: { a: "A" }, y: { a: "1" } } },
  ],
  [
    "below fields that are not declared there are none",
    object({ o: { ...object({}), "x-kubernetes-preserve-unknown-fields": true } }),
    { o: { x: {} } },
    { o: { x: {} } },
  ],
  ["null with a default", object({ a: withDefault("A") }), { a: null }, { a: "A" }],
  ["null with a default that may be null", object({ a: withDefault("A", nullable) }), { a: null }, { a: null }],
  ["null without a default", object({ a: { type: "string" }, b: { type: "string" } }), { a: null, b: "x" }, { b: "x" }],
  ["null that may be", object({ a: { type: "string", ...nullable } }), { a: null }, { a: null }],
  ["null that no schema is for", object({}), { a: null }, { a: null }],
  ["null in a map", object({ m: map({ type: "string" }) }), { m: { x: null, y: "1" } }, { m: { y: "1" } }],
  ["null in a map with a default", object({ m: map(withDefault("A")) }), { m: { x: null } }, { m: { x: "A" } }],
  ["null in a map whose values may be null", object({ m: map({ type: "string", ...nullable }) }), { m: { x: null } }, { m: { x: null } }],
  ["null in a map of anything", object({ m: map(true) }), { m: { x: null } }, { m: { x: null } }],
  ["null in a list stays", object({ l: list({ type: "string" }) }), { l: [null, "x"] }, { l: [null, "x"] }],
  ["null in a list with a default", object({ l: list(withDefault("A")) }), { l: [null] }, { l: ["A"] }],
  ["null in a list whose items may be null", object({ l: list(withDefault("A", nullable)) }), { l: [null] }, { l: [null] }],
  ["a list of which nothing is said", object({ l: { type: "array" } }), { l: [null, {}] }, { l: [null, {}] }],
  ["metadata at the root is left alone", object({ metadata: object({ name: withDefault("A") }) }), { metadata: {} }, { metadata: {} }],
  ['false, 0 and "" as defaults', object({ a: withDefault(false), b: withDefault(0), c: withDefault("") }), {}, { a: false, b: 0, c: "" }],
  ["a default null is none", object({ a: withDefault(null) }), {}, {}],
  [
    "keys that every JavaScript object has",
    object({ constructor: withDefault("C"), toString: withDefault("T") }),
    {},
    { constructor: "C", toString: "T" },
  ],
])("%s", (_, schema, given, expected) => {
  const before = structuredClone(given)
  const compiled = customResourceSchema(schema)
  const filled = compiled.fillDefaults(given as never)
  expect(filled).toEqual(expected)
  expect(Object.keys(filled)).toHaveLength(Object.keys(expected).length)
  expect(given).toEqual(before)
  expect(compiled.fillDefaults(filled)).toBe(filled)
  if (JSON.stringify(given) === JSON.stringify(expected)) expect(filled).toBe(given)
})

test("a default is one frozen value for all objects", () => {
  const schema = customResourceSchema(object({ o: object({ a: withDefault(["A"]) }, { default: {} }) }))
  const [one, other] = [schema.fillDefaults({}), schema.fillDefaults({ x: 1 })]
  expect(one.o).toBe(other.o)
  expect(Object.isFrozen((one.o as { readonly a: unknown }).a)).toBe(true)
})

test("parts that do not change are shared", () => {
  const schema = customResourceSchema(object({ a: object({ x: withDefault(1) }), b: object({ x: withDefault(1) }) }))
  const given = { a: { x: 1 }, b: {} }
  expect(schema.fillDefaults(given).a).toBe(given.a)
})

test("defaults that would make an object too large to be stored are refused before they are made", () => {
  const properties = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`p${index}`, withDefault("x".repeat(100))]))
  const schema = customResourceSchema(object({ l: list(object(properties)) }))
  const items = (count: number) => ({ l: Array.from({ length: count }, () => ({})) })
  expect((schema.fillDefaults(items(50)) as { readonly l: readonly object[] }).l).toHaveLength(50)
  expect(() => schema.fillDefaults(items(20_000))).toThrow("request is too large")
  // The next object has all of the room.
  expect((schema.fillDefaults(items(50)) as { readonly l: readonly object[] }).l[49]).toHaveProperty("p199")
})
