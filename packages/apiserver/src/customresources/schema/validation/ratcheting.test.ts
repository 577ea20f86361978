import { formatFieldError } from "@pilothouse/api"
import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { expect, test } from "vitest"
import { customResourceSchema } from "../custom-resource-schema.ts"

const short: JSONSchemaProps = { type: "string", maxLength: 1 }
const object = (properties: Readonly<Record<string, JSONSchemaProps>>, rest: JSONSchemaProps = {}): JSONSchemaProps => ({
  type: "object",
  properties,
  ...rest,
})
const list = (items: JSONSchemaProps, rest: JSONSchemaProps = {}): JSONSchemaProps => ({ type: "array", items, ...rest })
const byKey: JSONSchemaProps = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] }
const keyed = list(object({ k: { type: "string" }, v: short }), byKey)

test.each<[string, JSONSchemaProps, object, object, readonly string[]]>([
  ["a value that is as it was", object({ a: short, b: {} }), { a: "xx", b: 1 }, { a: "xx", b: 2 }, []],
  ["a value that changed", object({ a: short }), { a: "xx" }, { a: "yy" }, ["a"]],
  ["a value that is new", object({ a: short, b: {} }), { b: 1 }, { a: "xx", b: 1 }, ["a"]],
  ["below a changed object", object({ o: object({ a: short, b: {} }) }), { o: { a: "xx", b: 1 } }, { o: { a: "xx", b: 2 } }, []],
  [
    "in a map, by key",
    object({ m: { type: "object", additionalProperties: short } }),
    { m: { a: "xx", b: "yy" } },
    { m: { a: "xx", b: "zz" } },
    ["m.b"],
  ],
  ["in an atomic list that is as it was", object({ l: list(short), b: {} }), { l: ["xx"], b: 1 }, { l: ["xx"], b: 2 }, []],
  ["in an atomic list that changed, every item", object({ l: list(short) }), { l: ["xx"] }, { l: ["xx", "y"] }, ["l[0]"]],
  [
    "in a set that changed, every item",
    object({ l: list(short, { "x-kubernetes-list-type": "set" }) }),
    { l: ["xx"] },
    { l: ["xx", "y"] },
    ["l[0]"],
  ],
  [
    "in a list by keys, by key",
    object({ l: keyed }),
    {
      l: [
        { k: "a", v: "xx" },
        { k: "b", v: "yy" },
      ],
    },
    {
      l: [
        { k: "c", v: "z" },
        { k: "b", v: "yy" },
        { k: "a", v: "zz" },
      ],
    },
    ["l[2].v"],
  ],
  ["in a list by keys, an item that is new", object({ l: keyed }), { l: [] }, { l: [{ k: "a", v: "xx" }] }, ["l[0].v"]],
  [
    "a list by keys in another order is equal",
    object({ l: { ...keyed, maxItems: 1 }, b: {} }),
    { l: [{ k: "a" }, { k: "b" }], b: 1 },
    { l: [{ k: "b" }, { k: "a" }], b: 2 },
    [],
  ],
  [
    "what an object requires counts at the object",
    object({ o: object({ a: {} }, { required: ["r"] }) }),
    { o: { a: 1 } },
    { o: { a: 2 } },
    ["o.r"],
  ],
  [
    "what an object requires, where it is as it was",
    object({ o: object({ a: {} }, { required: ["r"] }), b: {} }),
    { o: { a: 1 }, b: 1 },
    { o: { a: 1 }, b: 2 },
    [],
  ],
  [
    "an object with what the schema does not know is never equal",
    object({ o: object({}, { required: ["r"], "x-kubernetes-preserve-unknown-fields": true }) }),
    { o: { a: 1 } },
    { o: { a: 1 } },
    ["o.r"],
  ],
  [
    "alternatives of a changed object",
    object({ o: object({ a: short, b: {} }, { allOf: [{ properties: { a: { maxLength: 1 } } }] }) }),
    { o: { a: "xx", b: 1 } },
    { o: { a: "xx", b: 2 } },
    ["o.a", "<nil>"],
  ],
  [
    "alternatives of an object that is as it was",
    object({ o: object({ a: {} }, { not: {} }), b: {} }),
    { o: { a: 1 }, b: 1 },
    { o: { a: 1 }, b: 2 },
    [],
  ],
  ["null that was null", object({ a: { type: "string" }, b: {} }), { a: null, b: 1 }, { a: null, b: 2 }, []],
  ["an object that became a list", object({ a: object({ x: short }) }), { a: { x: "xx" } }, { a: [] }, ["a"]],
  ["the type of the object is not ratcheted", object({ kind: short, b: {} }), { kind: "xx", b: 1 }, { kind: "xx", b: 2 }, ["kind"]],
  [
    "but such a field elsewhere is",
    object({ o: object({ kind: short, b: {} }) }),
    { o: { kind: "xx", b: 1 } },
    { o: { kind: "xx", b: 2 } },
    [],
  ],
  [
    "metadata, field by field",
    object({ metadata: object({ name: short }) }),
    { metadata: { name: "xx", uid: "1" } },
    { metadata: { name: "xx", uid: "2" } },
    [],
  ],
])("%s", (_, schema, old, value, fields) => {
  const errors = customResourceSchema(schema).validate(value as never, old as never)
  expect(errors.map(({ field }) => field)).toEqual(fields)
})

test("a status that is as it was", () => {
  const schema = customResourceSchema(object({ status: object({ a: short, b: {} }) }))
  const old = { status: { a: "xx", b: 1 } }
  expect(schema.validateStatus({ status: { a: "xx", b: 2 } }, old)).toEqual([])
  expect(schema.validateStatus({ status: { a: "yy" } }, old).map(formatFieldError)).toEqual([
    "status.a: Too long: may not be more than 1 byte",
  ])
  expect(schema.validateStatus({ status: { a: "xx" } }, {})).toHaveLength(1)
  expect(schema.validateStatus({ status: null }, {})).toEqual([])
  expect(schema.validateStatus({ status: null }, { status: {} })).toHaveLength(1)
})
