import { formatFieldError } from "@pilothouse/api"
import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { describe, expect, test } from "vitest"
import { customResourceSchema } from "./custom-resource-schema.ts"

const embedded: JSONSchemaProps = { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true }
const schema: JSONSchemaProps = {
  type: "object",
  properties: {
    e: embedded,
    list: { type: "array", items: embedded },
    map: { type: "object", additionalProperties: embedded },
    nested: { ...embedded, properties: { spec: { type: "object", properties: { e: embedded } } } },
  },
}
const compiled = customResourceSchema(schema)
const pod = { apiVersion: "v1", kind: "Pod" }

describe("coerces metadata", () => {
  test.each<[string, object, object, readonly string[]]>([
    [
      "of the right types",
      { e: { ...pod, metadata: { name: "x", labels: { a: "b" } } } },
      { e: { ...pod, metadata: { name: "x", labels: { a: "b" } } } },
      [],
    ],
    [
      "unknown fields go",
      { e: { ...pod, metadata: { name: "x", odd: 1 } } },
      { e: { ...pod, metadata: { name: "x" } } },
      ["e.metadata.odd"],
    ],
    ["null is none", { e: { ...pod, metadata: null } }, { e: { ...pod, metadata: {} } }, []],
    ["a time that is not set goes", { e: { ...pod, metadata: { creationTimestamp: null } } }, { e: { ...pod, metadata: {} } }, []],
    [
      "paths are in byte order",
      { list: [{ ...pod, metadata: { odd: 1 } }], e: { ...pod, metadata: { z: 1, odd: 1 } } },
      { list: [{ ...pod, metadata: {} }], e: { ...pod, metadata: {} } },
      ["e.metadata.odd", "e.metadata.z", "list[0].metadata.odd"],
    ],
    ["in lists", { list: [{ ...pod, metadata: { odd: 1 } }] }, { list: [{ ...pod, metadata: {} }] }, ["list[0].metadata.odd"]],
    ["in maps", { map: { k: { ...pod, metadata: { odd: 1 } } } }, { map: { k: { ...pod, metadata: {} } } }, ["map[k].metadata.odd"]],
    [
      "in embedded resources",
      { nested: { ...pod, spec: { e: { ...pod, metadata: { odd: 1 } } } } },
      { nested: { ...pod, spec: { e: { ...pod, metadata: {} } } } },
      ["nested.spec.e.metadata.odd"],
    ],
    [
      "not elsewhere",
      { other: { metadata: { odd: 1 } }, metadata: { odd: 1 } },
      { other: { metadata: { odd: 1 } }, metadata: { odd: 1 } },
      [],
    ],
  ])("%s", (_, given, expected, paths) => {
    const unknown: string[] = []
    expect(compiled.coerceEmbedded(given as never, { unknown })).toEqual(expected)
    expect(unknown).toEqual(paths)
  })

  test.each<[string, object, string]>([
    ["an apiVersion", { e: { apiVersion: 1 } }, "e.apiVersion: Invalid value: 1: must be a string"],
    ["a kind", { list: [{ kind: null }] }, "list[0].kind: Invalid value: null: must be a string"],
    [
      "a label",
      { map: { k: { metadata: { labels: { a: 1 } } } } },
      'map[k].metadata: Invalid value: {"labels":{"a":1}}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    ],
  ])("refuses %s of another type", (_, given, message) => {
    expect(() => compiled.coerceEmbedded(given as never)).toThrow(message)
  })

  test("drops what is of another type in what is stored", () => {
    const given = { e: { apiVersion: 1, kind: "Pod", metadata: { name: 5, labels: { a: "b" } } }, list: [{ metadata: "x" }] }
    expect(compiled.coerceEmbedded(given, { dropInvalid: true })).toEqual({
      e: { kind: "Pod", metadata: { labels: { a: "b" } } },
      list: [{ metadata: "x" }],
    })
  })

  test("is the object itself where there is nothing to coerce", () => {
    const given = { other: { metadata: { odd: 1 } } }
    expect(compiled.coerceEmbedded(given)).toBe(given)
    expect(customResourceSchema({}).coerceEmbedded(given)).toBe(given)
  })
})

describe("validates", () => {
  const label = "metadata.labels"
  test.each<[string, object, readonly string[]]>([
    ["an object of a type", { e: pod }, []],
    ["an object of no type", { e: {} }, ["e.apiVersion: Required value", "e.kind: Required value"]],
    [
      "empty words",
      { e: { apiVersion: "", kind: "" } },
      ['e.apiVersion: Invalid value: "": must not be empty', 'e.kind: Invalid value: "": must not be empty'],
    ],
    [
      "a version of too many parts",
      { e: { ...pod, apiVersion: "a/b/c" } },
      ['e.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'],
    ],
    [
      "words that are none",
      { e: { apiVersion: 1, kind: [] } },
      ["e.apiVersion: Invalid value: 1: must be a string", "e.kind: Invalid value: []: must be a string"],
    ],
    ["a kind in mixed case", { e: { ...pod, kind: "MyPod" } }, []],
    [
      "a kind that is no name",
      { e: { ...pod, kind: "9" } },
      [
        `e.kind: Invalid value: "9": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
      ],
    ],
    ["no name and no namespace are needed", { e: { ...pod, metadata: {} } }, []],
    [
      "a name that is part of a path",
      { e: { ...pod, metadata: { name: "a/b" } } },
      [`e.metadata.name: Invalid value: "a/b": may not contain '/'`],
    ],
    [
      "a negative generation",
      { e: { ...pod, metadata: { generation: -1 } } },
      ["e.metadata.generation: Invalid value: -1: must be greater than or equal to 0"],
    ],
    ["finalizers need no domain", { e: { ...pod, metadata: { finalizers: ["mine"] } } }, []],
    [
      "metadata of another type",
      { e: { ...pod, metadata: { name: 1 } } },
      ['e.metadata: Invalid value: {"name":1}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string'],
    ],
    [
      "in lists, maps and embedded resources",
      { list: [{}], map: { k: pod }, nested: { ...pod, spec: { e: { kind: "Pod" } } } },
      ["list[0].apiVersion: Required value", "list[0].kind: Required value", "nested.spec.e.apiVersion: Required value"],
    ],
    [
      "not where a value is no object",
      { e: 1, list: [1] },
      [
        'e: Invalid value: "integer": e in body must be of type object: "integer"',
        'list[0]: Invalid value: "integer": list[0] in body must be of type object: "integer"',
      ],
    ],
  ])("%s", (_, object, errors) => {
    expect(compiled.validate(object as never).map(formatFieldError)).toEqual(errors)
  })

  test("labels as of every object", () => {
    const [error] = compiled.validate({ e: { ...pod, metadata: { labels: { "-": "b" } } } })
    expect(error?.field).toBe(`e.${label}`)
  })
})
