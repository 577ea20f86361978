import { formatFieldError } from "@pilothouse/api"
import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { VirtualClock } from "@pilothouse/seams"
import { beforeAll, expect, test } from "vitest"
import { loadPatterns } from "../../schema/formats/pattern.ts"
import { loadRules } from "../../schema/rules.ts"
import { forCreate } from "../ratchet.ts"
import { rootSchemaErrors } from "../root-schema-rules.ts"

beforeAll(async () => {
  await loadPatterns(new VirtualClock())
  await loadRules(new VirtualClock())
})

/** The errors of an object with one field, as "where: message" with the field's own path left out. */
function errorsOf(field: JSONSchemaProps, root: JSONSchemaProps = {}): readonly string[] {
  const schema = { type: "object", ...root, properties: { f: field, ...root.properties } }
  const errors = rootSchemaErrors({ openAPIV3Schema: schema }, false, "s", forCreate).map(formatFieldError)
  return errors.map((error) => error.replaceAll("s.openAPIV3Schema", "").replaceAll(".properties[f]", "$"))
}

const list = "x-kubernetes-list-type"
const keys = "x-kubernetes-list-map-keys"
const map = "x-kubernetes-map-type"
const embedded = "x-kubernetes-embedded-resource"
const preserve = "x-kubernetes-preserve-unknown-fields"
const intOrString = "x-kubernetes-int-or-string"
const text = { type: "string" } as const
const item = { type: "object", properties: { k: text }, required: ["k"] } as const

test.each<readonly [string, JSONSchemaProps, readonly string[]]>([
  ["a scalar", text, []],
  ["no type", {}, ["$.type: Required value: must not be empty for specified object fields"]],
  ["items without a type", { type: "array", items: {} }, ["$.items.type: Required value: must not be empty for specified array items"]],
  ["an array without items", { type: "array" }, ["$.items: Required value: must be specified"]],
  [
    "an unknown type",
    { type: "odd" },
    ['$.type: Unsupported value: "odd": supported values: "array", "boolean", "integer", "number", "object", "string"'],
  ],
  [
    "the type null",
    { type: "null" },
    ['$.type: Unsupported value: "null": supported', "$.type: Forbidden: type cannot be set to null, use nullable as an alternative"],
  ],
  ["nullable and a type", { type: "string", nullable: true }, []],
  [
    "uniqueItems",
    { type: "array", items: text, uniqueItems: true },
    ["$.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic"],
  ],
  ["items one by one", { type: "array", items: [text] }, ["$.items: Forbidden: items must be a schema object and not an array"]],
  [
    "forbidden keywords",
    {
      type: "object",
      id: "x",
      $ref: "y",
      additionalItems: true,
      patternProperties: { a: text },
      definitions: { a: text },
      dependencies: { a: ["b"] },
    },
    ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"].map(
      (word) => `$.${word}: Forbidden: ${word} is not supported`,
    ),
  ],
  [
    "properties and others",
    { type: "object", properties: { a: text }, additionalProperties: text },
    ["$.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"],
  ],
  ["properties and any others", { type: "object", properties: { a: text }, additionalProperties: true }, []],
  ["a map of texts", { type: "object", additionalProperties: text }, []],
  [
    "a pattern that is none",
    { type: "string", pattern: "(" },
    ['$.pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(`'],
  ],
  [
    "unknown fields that are not preserved",
    { type: "object", [preserve]: false },
    [`$.${preserve}: Invalid value: false: must be true or undefined`],
  ],
  ["unknown fields of any type", { [preserve]: true }, []],
  ["an integer or a string", { [intOrString]: true }, []],
  ["the same by anyOf", { [intOrString]: true, anyOf: [{ type: "integer" }, text] }, []],
  ["the same by allOf", { [intOrString]: true, allOf: [{ anyOf: [{ type: "integer" }, text] }, { pattern: "x" }] }, []],
  [
    "the same in another order",
    { [intOrString]: true, anyOf: [text, { type: "integer" }] },
    ["$.anyOf[0].type: Forbidden: must be empty to be structural", "$.anyOf[1].type: Forbidden: must be empty to be structural"],
  ],
  [
    "int-or-string of anything else",
    { type: "object", [intOrString]: true, [preserve]: true, [embedded]: true },
    [`$.${embedded}: Invalid value: true: must be false if ${intOrString} is true`, `$.${preserve}: Invalid value: true: must be false`],
  ],
  [
    "structure in logic",
    {
      type: "object",
      properties: { a: text },
      not: {
        type: "object",
        additionalProperties: text,
        default: 1,
        title: "t",
        description: "d",
        nullable: true,
        [preserve]: true,
        [embedded]: true,
        [intOrString]: true,
        [keys]: ["a"],
        [list]: "set",
        [map]: "atomic",
      },
    },
    [
      ...[
        "additionalProperties",
        "default",
        "description",
        "nullable",
        "title",
        "type",
        embedded,
        intOrString,
        keys,
        list,
        map,
        preserve,
      ].map((word) => `$.not.${word}: Forbidden: must be `),
      '$.not.type: Invalid value: "object": must be array',
      `$.not.${list}: Invalid value: "set": must be map`,
    ],
  ],
  [
    "rules in logic",
    { type: "object", anyOf: [{ "x-kubernetes-validations": [{ rule: "true" }] }] },
    ["$.anyOf[0].x-kubernetes-validations: Forbidden: must be empty to be structural"],
  ],
  [
    "metadata in logic",
    { type: "object", properties: { metadata: { type: "object" } }, allOf: [{ properties: { metadata: {} } }] },
    ["$.allOf[0].properties[metadata]: Forbidden: must not be specified in a nested context"],
  ],
  ["an embedded resource", { type: "object", [embedded]: true, [preserve]: true }, []],
  [
    "an embedded resource without anything",
    { type: "object", [embedded]: true },
    [
      "$.properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
    ],
  ],
  [
    "an embedded resource without a type",
    { [embedded]: true, [preserve]: true },
    ["$.type: Required value: must be object if x-kubernetes-embedded-resource is true"],
  ],
  ["an embedded text", { type: "string", [embedded]: true, [preserve]: true }, ['$.type: Invalid value: "string": must be object if']],
  [
    "an embedded map",
    { type: "object", [embedded]: true, additionalProperties: text },
    ["$.additionalProperties: Forbidden: must not be used if x-kubernetes-embedded-resource is set", "$.properties: Required value"],
  ],
  [
    "an embedded resource in metadata",
    { type: "object", [embedded]: true, properties: { metadata: { type: "object", [embedded]: true, [preserve]: true } } },
    [`$.properties[metadata].${embedded}: Forbidden: must not be used inside of resource meta`],
  ],
  [
    "types of embedded words",
    {
      type: "object",
      [embedded]: true,
      properties: { kind: { type: "integer" }, apiVersion: { type: "object" }, metadata: { type: "array", items: text } },
    },
    [
      '$.properties[apiVersion].type: Invalid value: "object": must be string',
      '$.properties[kind].type: Invalid value: "integer": must be string',
      '$.properties[metadata].type: Invalid value: "array": must be object',
    ],
  ],
  [
    "a list type of no list",
    { type: "object", [list]: "atomic" },
    [`$.type: Invalid value: "object": must be array if ${list} is specified`],
  ],
  [
    "a list type that is unknown",
    { type: "array", items: text, [list]: "bag" },
    [`$.${list}: Unsupported value: "bag": supported values: "atomic", "set", "map"`],
  ],
  [
    "keys of a set",
    { type: "array", items: text, [list]: "set", [keys]: ["k"] },
    [`$.${list}: Invalid value: "set": must be map if ${keys} is non-empty`],
  ],
  ["keys of a list", { type: "array", items: text, [keys]: ["k"] }, [`$.${list}: Required value: must be map if ${keys} is non-empty`]],
  ["a map of lists", { type: "array", items: item, [list]: "map", [keys]: ["k"] }, []],
  ["a map without keys", { type: "array", items: item, [list]: "map" }, [`$.${keys}: Required value: must not be empty if ${list} is map`]],
  [
    "a map of texts by key",
    { type: "array", items: text, [list]: "map", [keys]: ["k"] },
    ['$.items.type: Invalid value: "string": must be object if parent array\'s x-kubernetes-list-type is map'],
  ],
  [
    "keys that are no properties",
    { type: "array", items: item, [list]: "map", [keys]: ["k", "x"] },
    [`$.${keys}: Invalid value: ["k","x"]: entries must all be names of item properties`],
  ],
  [
    "a key twice",
    { type: "array", items: item, [list]: "map", [keys]: ["k", "k"] },
    [`$.${keys}: Invalid value: ["k","k"]: must not contain duplicate entries`],
  ],
  [
    "a key that is no scalar",
    { type: "array", items: { ...item, properties: { k: { type: "array", items: text } } }, [list]: "map", [keys]: ["k"] },
    ['$.items.properties[k].type: Invalid value: "object": must be a scalar type if parent array\'s'],
  ],
  [
    "a key that may be left out",
    { type: "array", items: { type: "object", properties: { k: text } }, [list]: "map", [keys]: ["k"] },
    [`$.items.properties[k].default: Required value: this property is in ${keys}, so it must have a default or be a required property`],
  ],
  [
    "a key with a default",
    { type: "array", items: { type: "object", properties: { k: { type: "string", default: "" } } }, [list]: "map", [keys]: ["k"] },
    [],
  ],
  [
    "a key that may be null",
    { type: "array", items: { ...item, properties: { k: { type: "string", nullable: true } } }, [list]: "map", [keys]: ["k"] },
    [`$.items.properties[k].nullable: Forbidden: this property is in ${keys}, so it cannot be nullable`],
  ],
  [
    "items that may be null",
    { type: "array", items: { type: "string", nullable: true }, [list]: "set" },
    [`$.items.nullable: Forbidden: cannot be nullable when ${list} is set`],
  ],
  ["a set of atomic objects", { type: "array", items: { type: "object", properties: { k: text }, [map]: "atomic" }, [list]: "set" }, []],
  [
    "a set of objects",
    { type: "array", items: { type: "object", properties: { k: text } }, [list]: "set" },
    [`$.items.${map}: Invalid value: null: must be atomic as item of a list with ${list}=set`],
  ],
  ["a set of lists", { type: "array", items: { type: "array", items: text }, [list]: "set" }, []],
  [
    "a set of sets",
    { type: "array", items: { type: "array", items: text, [list]: "set" }, [list]: "set" },
    [`$.items.${list}: Invalid value: "set": must be atomic`],
  ],
  [
    "a map type of no map",
    { type: "array", items: text, [map]: "granular" },
    [`$.type: Invalid value: "array": must be object if ${map} is specified`],
  ],
  [
    "a map type that is unknown",
    { type: "object", [map]: "odd" },
    [`$.${map}: Unsupported value: "odd": supported values: "atomic", "granular"`],
  ],
  [
    "a rule whose fieldPath has line breaks, in a schema that cannot be followed",
    { type: "string", "x-kubernetes-validations": [{ rule: "true", fieldPath: ".a\n" }], allOf: [{ id: "x" }] },
    [
      "$.allOf[0].id: Forbidden: id is not supported",
      '$.x-kubernetes-validations[0].fieldPath: Invalid value: ".a\\n": must not contain line breaks',
    ],
  ],
  [
    "an empty rule",
    { type: "string", "x-kubernetes-validations": [{ rule: " " }] },
    ["$.x-kubernetes-validations[0].rule: Required value: rule is not specified"],
  ],
  [
    "a rule that does not compile",
    { type: "string", "x-kubernetes-validations": [{ rule: "self +" }] },
    ["$.x-kubernetes-validations[0].rule: Invalid value: "],
  ],
  ["a default that fits", { type: "object", properties: { a: text }, default: { a: "x" } }, []],
  [
    "a default of another type",
    { type: "string", default: 1 },
    ['$.default: Invalid value: "integer":  in body must be of type string: "integer"'],
  ],
  [
    "a default with fields that are unknown",
    { type: "object", properties: { a: text }, default: { b: { c: 1 }, a: "x" } },
    ['$.default: Invalid value: {"a":"x","b":{"c":1}}: must not have unknown fields'],
  ],
  ["a default that needs more", { type: "object", properties: { a: text }, required: ["a"], default: {} }, ["$.default.a: Required value"]],
  [
    "a default of an embedded resource",
    { type: "object", [embedded]: true, [preserve]: true, default: { kind: "A b" } },
    ["$.default.apiVersion: Required value", '$.default.kind: Invalid value: "A b": may have mixed case'],
  ],
  [
    "a default in embedded metadata",
    { type: "object", [embedded]: true, [preserve]: true, properties: { metadata: { type: "object", default: { labels: 1 } } } },
    [
      '$.properties[metadata].default: Invalid value: {"labels":1}: must result in valid metadata: metadata: Invalid value: {"labels":1}: json: cannot unmarshal',
    ],
  ],
  [
    "defaults of keys of metadata",
    {
      type: "object",
      [embedded]: true,
      [preserve]: true,
      properties: {
        metadata: { type: "object", properties: { labels: { type: "object", additionalProperties: { type: "string", default: "x" } } } },
      },
    },
    ["additionalProperties.default: Forbidden: must not be set inside additionalProperties applying to object metadata"],
  ],
])("%s", (_, field, expected) => {
  const errors = errorsOf(field)
  expect(errors.map((error, index) => (error.includes(expected[index] ?? "nothing") ? expected[index] : error))).toEqual(expected)
})

test.each<readonly [string, JSONSchemaProps, readonly string[]]>([
  [
    "names alone",
    { properties: { metadata: { type: "object", properties: { name: { type: "string", maxLength: 3 }, generateName: text } } } },
    [],
  ],
  [
    "a description of metadata",
    { properties: { metadata: { type: "object", description: "x" } } },
    [".properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified"],
  ],
  [
    "labels of metadata",
    { properties: { metadata: { type: "object", properties: { labels: { type: "object" } } } } },
    [".properties[metadata]: Forbidden"],
  ],
  [
    "defaults of metadata",
    { properties: { metadata: { type: "object", properties: { name: { type: "string", default: "x" } } } } },
    [".properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata"],
  ],
  [
    "fields that only logic names",
    { allOf: [{ properties: { a: { not: { items: {} } } } }] },
    [".properties[a]: Required value: because it is defined in .allOf[0].properties[a]"],
  ],
  [
    "items that only logic names",
    { oneOf: [{ not: { items: { minimum: 1 } } }] },
    [".items: Required value: because it is defined in .oneOf[0].not.items"],
  ],
  ["additional properties", { additionalProperties: true }, [".additionalProperties: Forbidden: must not be used at the root"]],
  ["a default of the whole", { default: { f: "x" } }, [".default.apiVersion: Required value", ".default.kind: Required value"]],
])("at the root, %s", (_, root, expected) => {
  const errors = errorsOf(text, root)
  expect(errors.map((error, index) => (error.includes(expected[index] ?? "nothing") ? expected[index] : error))).toEqual(expected)
})
