import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { expect, test } from "vitest"
import { toFieldSet } from "../../managedfields/typed/to-field-set.ts"
import { typedSchema } from "./typed-schema.ts"

const spec = (properties: Readonly<Record<string, JSONSchemaProps>>, rest: JSONSchemaProps = {}): JSONSchemaProps => ({
  type: "object",
  properties: { spec: { type: "object", properties, ...rest } },
})
const owned = (schema: JSONSchemaProps, object: object) => JSON.parse(JSON.stringify(toFieldSet(object, typedSchema(schema))))
const of = (schema: JSONSchemaProps, value: unknown) => owned(spec({ x: schema }), { spec: { x: value } })["f:spec"]

test.each<[string, JSONSchemaProps, unknown, object]>([
  ["a scalar", { type: "string" }, "a", { "f:x": {} }],
  ["an object, field by field", { type: "object", properties: { a: { type: "integer" } } }, { a: 1 }, { "f:x": { "f:a": {} } }],
  ["an atomic object", { type: "object", properties: { a: {} }, "x-kubernetes-map-type": "atomic" }, { a: 1 }, { "f:x": {} }],
  ["a map, key by key", { type: "object", additionalProperties: { type: "string" } }, { k: "v" }, { "f:x": { "f:k": {} } }],
  ["a map of anything", { type: "object", additionalProperties: true }, { k: { a: [1] } }, { "f:x": { "f:k": { ".": {}, "f:a": {} } } }],
  ["a list as a whole", { type: "array", items: { type: "string" } }, ["a"], { "f:x": {} }],
  [
    "a set",
    { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
    ["b", "a"],
    { "f:x": { 'v:"a"': {}, 'v:"b"': {} } },
  ],
  [
    "a list by keys",
    {
      type: "array",
      items: { type: "object", properties: { k: { type: "string" }, v: { type: "integer" } } },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
    },
    [{ k: "a", v: 1 }],
    { "f:x": { 'k:{"k":"a"}': { ".": {}, "f:k": {}, "f:v": {} } } },
  ],
  [
    "a key with a default",
    {
      type: "array",
      items: { type: "object", properties: { k: { type: "string" }, p: { type: "string", default: "TCP" } } },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k", "p"],
    },
    [{ k: "a" }],
    { "f:x": { 'k:{"k":"a","p":"TCP"}': { ".": {}, "f:k": {} } } },
  ],
  [
    "anything: maps key by key, lists as a whole",
    { "x-kubernetes-preserve-unknown-fields": true },
    { a: { b: [1] } },
    { "f:x": { "f:a": { ".": {}, "f:b": {} } } },
  ],
  ["a number or a text", { "x-kubernetes-int-or-string": true }, 1, { "f:x": {} }],
  [
    "an object that keeps unknown fields",
    { type: "object", properties: { a: { type: "string" } }, "x-kubernetes-preserve-unknown-fields": true },
    { a: "1", b: { c: 1 } },
    { "f:x": { "f:a": {}, "f:b": { ".": {}, "f:c": {} } } },
  ],
  [
    "an embedded resource",
    { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
    { kind: "K", metadata: { finalizers: ["a"] } },
    { "f:x": { "f:kind": {}, "f:metadata": { "f:finalizers": { 'v:"a"': {} } } } },
  ],
])("owns %s", (_, schema, value, fields) => {
  expect(of(schema, value)).toEqual(fields)
})

test("metadata is that of every object", () => {
  const set = owned(
    { type: "object" },
    { apiVersion: "e/v1", kind: "E", metadata: { labels: { a: "b" }, ownerReferences: [{ uid: "u" }] } },
  )
  expect(set["f:metadata"]).toEqual({ "f:labels": { "f:a": {} }, "f:ownerReferences": { 'k:{"uid":"u"}': {} } })
})

test("the root of a kind without a schema is deduced", () => {
  expect(owned({}, { spec: { a: { b: [1] } } })).toEqual({ "f:spec": { ".": {}, "f:a": { ".": {}, "f:b": {} } } })
})
