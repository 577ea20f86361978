import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { expect, test } from "vitest"
import { customResourceSchema } from "./custom-resource-schema.ts"

const object = (properties: Readonly<Record<string, JSONSchemaProps>>, rest: JSONSchemaProps = {}): JSONSchemaProps => ({
  type: "object",
  properties,
  ...rest,
})
const text: JSONSchemaProps = { type: "string" }
const keeping: JSONSchemaProps = { "x-kubernetes-preserve-unknown-fields": true }
const embedded: JSONSchemaProps = { "x-kubernetes-embedded-resource": true }
const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p", odd: 1 } }

test.each<[string, JSONSchemaProps, object, object, readonly string[]]>([
  ["what is declared stays", object({ a: text }), { a: "x" }, { a: "x" }, []],
  ["a declared field of another type stays too", object({ a: text }), { a: 4 }, { a: 4 }, []],
  ["a scalar in place of an object stays", object({ a: object({ b: text }) }), { a: 4 }, { a: 4 }, []],
  ["what is not declared goes", object({ a: text }), { a: "x", b: 1, c: {} }, { a: "x" }, ["b", "c"]],
  [
    "items of a list",
    object({ l: { type: "array", items: object({ a: text }) } }),
    { l: [{ a: "x" }, { b: 1 }] },
    { l: [{ a: "x" }, {}] },
    ["l[1].b"],
  ],
  [
    "lists of lists",
    object({ l: { type: "array", items: { type: "array", items: object({ a: text }) } } }),
    { l: [[{ b: 1 }]] },
    { l: [[{}]] },
    ["l[0][0].b"],
  ],
  ["a list of which nothing is said", object({ l: {} }), { l: [{ a: 1 }, 2, [{ b: 1 }]] }, { l: [{}, 2, [{}]] }, ["l[0].a", "l[2][0].b"]],
  ["an object of which nothing is said", object({ o: { type: "object" } }), { o: { a: 1 } }, { o: {} }, ["o.a"]],
  ["paths are in byte order", object({}), { b: 1, a: 1, "\u{1f600}": 1, "\uffff": 1 }, {}, ["a", "b", "\uffff", "\u{1f600}"]],
  [
    "values of a map",
    object({ m: { additionalProperties: object({ a: text }) } }),
    { m: { x: { a: "1", b: 1 } } },
    { m: { x: { a: "1" } } },
    ["m.x.b"],
  ],
  [
    "values of a map of anything lose what they hold",
    object({ m: { additionalProperties: true } }),
    { m: { x: { b: 1 }, y: 2 } },
    { m: { x: {}, y: 2 } },
    ["m.x.b"],
  ],
  [
    "unknown fields are kept where the schema says so",
    object({ o: object({}, keeping) }),
    { o: { a: { b: [{}] } } },
    { o: { a: { b: [{}] } } },
    [],
  ],
  [
    "what is declared among them is pruned again",
    object({ o: object({ p: object({ a: text }) }, keeping) }),
    { o: { p: { b: 1 }, q: { b: 1 } } },
    { o: { p: {}, q: { b: 1 } } },
    ["o.p.b"],
  ],
  [
    "a map that keeps unknown fields prunes its values",
    object({ m: { ...keeping, additionalProperties: object({ a: text }) } }),
    { m: { x: { b: 1 } } },
    { m: { x: {} } },
    ["m.x.b"],
  ],
  [
    "a list that keeps unknown fields keeps those of its items",
    object({ l: { type: "array", ...keeping, items: object({ p: object({}) }) } }),
    { l: [{ a: 1, p: { b: 1 } }, [{ c: 1 }]] },
    { l: [{ a: 1, p: {} }, [{ c: 1 }]] },
    ["l[0].p.b"],
  ],
  [
    "an embedded resource keeps its type and metadata",
    object({ e: object({ a: text }, embedded) }),
    { e: { ...pod, a: "x", b: 1 } },
    { e: { ...pod, a: "x" } },
    ["e.b"],
  ],
  [
    "an embedded resource may keep everything",
    object({ e: object({}, { ...embedded, ...keeping }) }),
    { e: { ...pod, b: 1 } },
    { e: { ...pod, b: 1 } },
    [],
  ],
  [
    "embedded in an embedded one",
    object({ e: object({ f: object({}, embedded) }, embedded) }),
    { e: { ...pod, f: { ...pod, b: 1 } } },
    { e: { ...pod, f: pod } },
    ["e.f.b"],
  ],
  [
    "elsewhere a type and metadata are fields like others",
    object({ o: object({}) }),
    { o: pod },
    { o: {} },
    ["o.apiVersion", "o.kind", "o.metadata"],
  ],
  ["the root keeps its type and metadata", {}, { ...pod, spec: {} }, pod, ["spec"]],
  ["the root may keep everything", { type: "object", ...keeping }, { ...pod, spec: { a: 1 } }, { ...pod, spec: { a: 1 } }, []],
  [
    "keys that every JavaScript object has",
    object({ constructor: text }),
    JSON.parse('{"constructor":"x","__proto__":{"a":1},"toString":1}'),
    { constructor: "x" },
    ["__proto__", "toString"],
  ],
  [
    "a declared __proto__",
    JSON.parse('{"properties":{"__proto__":{"properties":{"a":{}}}}}'),
    JSON.parse('{"__proto__":{"a":1,"b":1}}'),
    JSON.parse('{"__proto__":{"a":1}}'),
    ["__proto__.b"],
  ],
])("%s", (_, schema, given, expected, paths) => {
  const unknown: string[] = []
  const before = structuredClone(given)
  const pruned = customResourceSchema(schema).prune(given as never, unknown)
  expect(JSON.stringify(pruned)).toBe(JSON.stringify(expected))
  expect(unknown).toEqual(paths)
  expect(given).toEqual(before)
  if (paths.length === 0) expect(pruned).toBe(given)
})

test("parts that do not change are shared", () => {
  const schema = customResourceSchema(object({ a: object({ x: text }), b: object({ x: text }) }))
  const given = { a: { x: "1" }, b: { y: 1 } }
  expect(schema.prune(given).a).toBe(given.a)
})

test("of a thousand unknown fields and more, a thousand are named", () => {
  const unknown: string[] = []
  customResourceSchema(object({})).prune(Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`f${index}`, 1])), unknown)
  expect(unknown).toHaveLength(1000)
})
