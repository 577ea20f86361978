import { formatFieldError } from "@pilothouse/api"
import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { expect, test } from "vitest"
import { customResourceSchema } from "./custom-resource-schema.ts"

const set = (items: JSONSchemaProps = {}): JSONSchemaProps => ({ type: "array", "x-kubernetes-list-type": "set", items })
const keyed = (keys: readonly string[], item: JSONSchemaProps = {}): JSONSchemaProps => ({
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": keys,
  items: { nullable: true, ...item },
})
const field = (l: JSONSchemaProps): JSONSchemaProps => ({ type: "object", properties: { l } })

test.each<[string, JSONSchemaProps, object, readonly string[]]>([
  ["an empty set", field(set()), { l: [] }, []],
  ["a set of one", field(set()), { l: [1] }, []],
  ["a set of different items", field(set()), { l: [1, "1", true, "true", 1.5, [1], { a: 1 }] }, []],
  ["an item twice", field(set()), { l: ["a", "b", "a"] }, ['l[2]: Duplicate value: "a"']],
  ["an item three times is named once", field(set()), { l: [1, 1, 1] }, ["l[1]: Duplicate value: 1"]],
  [
    "several items twice",
    field(set()),
    { l: [1, "x", 1, "x", true, true] },
    ["l[2]: Duplicate value: 1", 'l[3]: Duplicate value: "x"', "l[5]: Duplicate value: true"],
  ],
  [
    "objects are equal whatever the order of their keys",
    field(set()),
    {
      l: [
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ],
    },
    ['l[1]: Duplicate value: {"a":1,"b":[2]}'],
  ],
  [
    "lists are equal in one order only",
    field(set()),
    {
      l: [
        [1, 2],
        [2, 1],
        [1, 2],
      ],
    },
    ["l[2]: Duplicate value: [1,2]"],
  ],
  [
    "integers beyond 2^53",
    field(set()),
    { l: [9007199254740993n, 9007199254740992n, 9007199254740993n] },
    ["l[2]: Duplicate value: 9007199254740993"],
  ],
  ["a list of no type", field({ type: "array", items: {} }), { l: [1, 1] }, []],
  ["an atomic list", field({ type: "array", "x-kubernetes-list-type": "atomic", items: {} }), { l: [1, 1] }, []],
  ["a set that is no list", field({ ...set(), type: "object" }), { l: { a: 1 } }, []],
  ["in a map", { properties: { m: { additionalProperties: set() } } }, { m: { "a.b": [1, 1] } }, ["m[a.b][1]: Duplicate value: 1"]],
  ["in items", field({ type: "array", items: field(set()) }), { l: [{ l: [1, 1] }, { l: [1] }] }, ["l[0].l[1]: Duplicate value: 1"]],
  ["a set of sets", field(set(set())), { l: [[1, 1], [2], [2]] }, ["l[2]: Duplicate value: [2]", "l[0][1]: Duplicate value: 1"]],
  ["a map by one key", field(keyed(["k"])), { l: [{ k: "a" }, { k: "b" }, { k: "a", v: 1 }] }, ['l[2]: Duplicate value: {"k":"a"}']],
  [
    "a map by two keys",
    field(keyed(["y", "x"])),
    {
      l: [
        { x: 1, y: 1 },
        { x: 1, y: 2 },
        { y: 1, x: 1 },
      ],
    },
    ['l[2]: Duplicate value: {"x":1,"y":1}'],
  ],
  ["items without a key are one", field(keyed(["k"])), { l: [{ v: 1 }, { k: "a" }, { v: 2 }, null] }, ["l[2]: Duplicate value: {}"]],
  ["items that lack one of two keys", field(keyed(["x", "y"])), { l: [{ x: 1 }, { x: 1 }] }, ['l[1]: Duplicate value: {"x":1}']],
  [
    "items that are no objects",
    field(keyed(["k"])),
    { l: [{ k: "a" }, 5] },
    ["l[1]: Invalid value: 5: must be an object for an array of list-type map"],
  ],
  [
    "a single item that is no object",
    field(keyed(["k"])),
    { l: ["x"] },
    ['l[0]: Invalid value: "x": must be an object for an array of list-type map'],
  ],
  ["in items of a map", field(keyed(["k"], field(set()))), { l: [{ k: "a", l: [1, 1] }] }, ["l[0].l[1]: Duplicate value: 1"]],
])("%s", (_, schema, object, errors) => {
  expect(
    customResourceSchema(schema)
      .validate(object as never)
      .map(formatFieldError),
  ).toEqual(errors)
})

test("an object that had items twice may have them still", () => {
  const schema = customResourceSchema(field(set()))
  expect(schema.validate({ l: [1, 1] }, { l: [1] })).toHaveLength(1)
  expect(schema.validate({ l: [1, 1, 2, 2] }, { l: [1, 1] })).toEqual([])
})

test("100,000 items are compared in linear time", () => {
  const l = Array.from({ length: 100_000 }, (_, index) => ({ k: `k${index}` }))
  expect(customResourceSchema(field(keyed(["k"]))).validate({ l })).toEqual([])
})
