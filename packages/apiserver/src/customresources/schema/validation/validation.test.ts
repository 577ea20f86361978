import { formatFieldError } from "@pilothouse/api"
import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { VirtualClock } from "@pilothouse/seams"
import { beforeAll, describe, expect, test } from "vitest"
import { customResourceSchema } from "../custom-resource-schema.ts"
import { loadPatterns } from "../formats/pattern.ts"

beforeAll(() => loadPatterns(new VirtualClock()))

/** What is wrong with a field x. */
function errorsOf(schema: JSONSchemaProps, ...value: readonly unknown[]): readonly string[] {
  const object = value.length === 0 ? {} : { x: value[0] }
  return customResourceSchema({ type: "object", properties: { x: schema } })
    .validate(object)
    .map(formatFieldError)
}

const wrongType = (type: string, found: string) => [
  `x: Invalid value: ${JSON.stringify(found)}: x in body must be of type ${type}: ${JSON.stringify(found)}`,
]

describe("types", () => {
  const big = 9007199254740993n
  test.each<[string, JSONSchemaProps, unknown, readonly string[]]>([
    ["a text", { type: "string" }, "a", []],
    ["no text", { type: "string" }, 1, wrongType("string", "integer")],
    ["an integer", { type: "integer" }, 1, []],
    ["a long integer", { type: "integer" }, big, []],
    [
      "no integer",
      { type: "integer" },
      1.5,
      [...wrongType("integer", "number"), '<nil>: Invalid value: "": Checked value must be of type integer (default format) in x'],
    ],
    [
      "an integer beyond 64 bits",
      { type: "integer" },
      1e20,
      [...wrongType("integer", "number"), '<nil>: Invalid value: "": Checked value must be of type integer (default format) in x'],
    ],
    [
      "a double near an integer",
      { type: "integer" },
      1000000000.5,
      ['<nil>: Invalid value: "": Checked value must be of type integer (default format) in x'],
    ],
    ["a number", { type: "number" }, 1.5, []],
    ["an integer is a number", { type: "number" }, big, []],
    ["no number", { type: "number" }, "1", wrongType("number", "string")],
    ["a truth", { type: "boolean" }, true, []],
    ["no truth", { type: "boolean" }, 0, wrongType("boolean", "integer")],
    ["an object", { type: "object" }, {}, []],
    ["no object", { type: "object" }, [], wrongType("object", "array")],
    ["a list", { type: "array" }, [], []],
    ["no list", { type: "array" }, {}, wrongType("array", "object")],
    ["no type at all", {}, [{}], []],
    ["null", { type: "string" }, null, wrongType("string", "null")],
    ["null that may be", { type: "string", nullable: true }, null, []],
    ["null of no type", {}, null, []],
    ["an integer or a text: an integer", { "x-kubernetes-int-or-string": true }, 1, []],
    ["an integer or a text: a text", { "x-kubernetes-int-or-string": true }, "1", []],
    ["an integer or a text: neither", { "x-kubernetes-int-or-string": true }, true, wrongType("integer,string", "boolean")],
    ["an integer or a text: null", { "x-kubernetes-int-or-string": true }, null, wrongType("integer,string", "null")],
    ["an integer or a text that may be null", { "x-kubernetes-int-or-string": true, nullable: true }, null, []],
    ["a format names what is expected", { type: "string", format: "date" }, 5, wrongType("date", "int64")],
    ["and so for an integer", { type: "integer", format: "int32" }, true, wrongType("int32", "")],
    ["and so without a type", { format: "ipv4" }, 1.5, wrongType("ipv4", "float64")],
    ["a list passes for a text with a format, as upstream", { type: "string", format: "date" }, ["x"], []],
    ["a format for another type is ignored", { type: "string", format: "int32" }, "x", []],
    ["an unknown format is ignored", { type: "string", format: "unheard-of" }, "x", []],
    ["a format that does not hold", { type: "string", format: "date" }, "soon", wrongType("date", "soon")],
    ["k8s-long-name", { type: "string", format: "k8s-long-name" }, "a.-", wrongType("k8s-long-name", "a.-")],
  ])("%s", (_, schema, value, errors) => {
    expect(errorsOf(schema, value)).toEqual(errors)
  })
})

describe("texts", () => {
  test.each<[string, JSONSchemaProps, string, readonly string[]]>([
    ["too long", { maxLength: 2 }, "abc", ["x: Too long: may not be more than 2 bytes"]],
    ["long enough in characters", { maxLength: 2 }, "😀😀", []],
    ["too short", { minLength: 2 }, "a", ['x: Invalid value: "a": x in body should be at least 2 chars long']],
    ["too short in characters", { minLength: 2 }, "😀", ['x: Invalid value: "😀": x in body should be at least 2 chars long']],
    ["a pattern", { pattern: "^a+$" }, "aaa", []],
    ["a pattern anywhere", { pattern: "b" }, "abc", []],
    ["another than the pattern", { pattern: "^a+$" }, "b", [`x: Invalid value: "b": x in body should match '^a+$'`]],
    ["a pattern of Go's that is none of JavaScript's", { pattern: "(?i)^A(?P<x>b)\\z" }, "aB", []],
    ["the first that does not hold", { maxLength: 1, minLength: 5, pattern: "z" }, "abc", ["x: Too long: may not be more than 1 byte"]],
    [
      "a pattern that is none",
      { pattern: "+" },
      "a",
      [
        `x: Invalid value: "a": x in body should match '+, but pattern is invalid: error parsing regexp: missing argument to repetition operator: \`+\`'`,
      ],
    ],
    [
      "a hostile pattern in linear time",
      { pattern: "^(a+)+$" },
      `${"a".repeat(50_000)}b`,
      [`x: Invalid value: "${"a".repeat(50_000)}b": x in body should match '^(a+)+$'`],
    ],
  ])("%s", (_, schema, value, errors) => {
    expect(errorsOf({ type: "string", ...schema }, value)).toEqual(errors)
  })
})

describe("numbers", () => {
  const relation = (value: string, what: string) => [`x: Invalid value: ${value}: x in body should be ${what}`]
  test.each<[string, JSONSchemaProps, unknown, readonly string[]]>([
    ["a maximum", { type: "integer", maximum: 5 }, 5, []],
    ["above a maximum", { type: "integer", maximum: 5 }, 6, relation("6", "less than or equal to 5")],
    ["at an exclusive maximum", { type: "integer", maximum: 5, exclusiveMaximum: true }, 5, relation("5", "less than 5")],
    ["below a minimum", { type: "number", minimum: 1.5 }, 0.25, relation("0.25", "greater than or equal to 1.5")],
    ["at an exclusive minimum", { type: "number", minimum: 1.5, exclusiveMinimum: true }, 1.5, relation("1.5", "greater than 1.5")],
    ["a large double", { type: "number", maximum: 1e7 }, 12345678.5, relation("1.23456785e+07", "less than or equal to 1e+07")],
    ["an integer is compared with the integer part of a limit", { type: "number", minimum: 5.5 }, 5, []],
    ["beyond 2^53", { type: "integer", minimum: 2 ** 53 }, 9007199254740993n, []],
    [
      "a limit that is no integer",
      { type: "integer", maximum: 5.5 },
      3,
      ['<nil>: Invalid value: "": Maximum boundary value must be of type integer (default format) in x'],
    ],
    ["a multiple", { type: "integer", multipleOf: 3 }, 9, []],
    ["no multiple", { type: "integer", multipleOf: 3 }, 10, relation("10", "a multiple of 3")],
    ["a multiple of a fraction", { type: "number", multipleOf: 0.5 }, 2.5, []],
    ["no multiple of a fraction", { type: "number", multipleOf: 0.5 }, 2.3, relation("2.3", "a multiple of 0.5")],
    [
      "a fraction is no factor of an integer, as upstream",
      { type: "number", multipleOf: 0.5 },
      2,
      ["x: Invalid value: 0: factor MultipleOf declared for x must be positive: 0"],
    ],
    ["32 bits", { type: "integer", format: "int32" }, 2147483647, []],
    [
      "more than 32 bits",
      { type: "integer", format: "int32" },
      2147483648,
      ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in x'],
    ],
    ["a float", { type: "number", format: "float" }, 3.4e38, []],
    [
      "more than a float",
      { type: "number", format: "float" },
      3.5e38,
      ['<nil>: Invalid value: "": Checked value must be of type number with format float in x'],
    ],
    ["a limit of no type", { maximum: 5 }, 6, relation("6", "less than or equal to 5")],
  ])("%s", (_, schema, value, errors) => {
    expect(errorsOf(schema, value)).toEqual(errors)
  })
})

describe("lists and objects", () => {
  test.each<[string, JSONSchemaProps, unknown, readonly string[]]>([
    ["too many items", { type: "array", maxItems: 1 }, [1, 2], ["x: Too many: 2: must have at most 1 item"]],
    ["too few items", { type: "array", minItems: 3 }, [1, 2], ["x: Invalid value: 2: x in body should have at least 3 items"]],
    [
      "items",
      { type: "array", items: { type: "string" } },
      ["a", 1],
      ['x[1]: Invalid value: "integer": x[1] in body must be of type string: "integer"'],
    ],
    ["too many properties", { type: "object", maxProperties: 1 }, { a: 1, b: 1 }, ["x: Too many: 2: must have at most 1 item"]],
    ["too few properties", { type: "object", minProperties: 1 }, {}, ["x: Invalid value: 0: x in body should have at least 1 properties"]],
    ["a required field", { type: "object", required: ["a", "b"] }, { b: 1 }, ["x.a: Required value"]],
    ["a required field that is null", { type: "object", required: ["a"] }, { a: null }, []],
    [
      "a required field that every JavaScript object has",
      { type: "object", required: ["constructor"] },
      {},
      ["x.constructor: Required value"],
    ],
    [
      "values of a map",
      { type: "object", additionalProperties: { type: "string" } },
      { "a.b": 1 },
      ['x.a.b: Invalid value: "integer": x.a.b in body must be of type string: "integer"'],
    ],
    [
      "no other fields",
      { type: "object", properties: { a: {} }, additionalProperties: false },
      { a: 1, b: 1 },
      ['x: Invalid value: "b": x.b in body is a forbidden property'],
    ],
    ["one of some values", { type: "string", enum: ["a", "b"] as never }, "c", ['x: Unsupported value: "c": supported values: "a", "b"']],
    ["one of some values of any type", { enum: [1, { a: [1] }, "x"] as never }, { a: [1] }, []],
    [
      "none of some values",
      { enum: [1, { a: [1] }] as never },
      { b: 1, a: 2 },
      ['x: Unsupported value: {"a":2,"b":1}: supported values: "1", "{\\"a\\":[1]}"'],
    ],
    [
      "null is never one of them",
      { nullable: true, type: "string", enum: ["a", null] as never },
      null,
      ['x: Unsupported value: null: supported values: "a", "null"'],
    ],
    ["a fraction is cut for integers, as upstream", { type: "number", enum: [1] as never }, 1.5, []],
    ["an integer is a character, as upstream", { "x-kubernetes-int-or-string": true, enum: ["A"] as never }, 65, []],
    [
      "the same error is reported once",
      { type: "object", required: ["a", "a"], allOf: [{ required: ["a"] }] },
      {},
      ["x.a: Required value", '<nil>: Invalid value: "": "x" must validate all the schemas (allOf). None validated'],
    ],
  ])("%s", (_, schema, value, errors) => {
    expect(errorsOf(schema, value)).toEqual(errors)
  })

  test("at the root", () => {
    const schema = customResourceSchema({ type: "object", required: ["spec"], additionalProperties: { type: "string" } })
    expect(schema.validate({ a: 1 }).map(formatFieldError)).toEqual([
      'a: Invalid value: "integer": .a in body must be of type string: "integer"',
      "spec: Required value",
    ])
  })

  test("100,000 wrong items are reported in linear time", () => {
    expect(errorsOf({ type: "array", items: { type: "string" } }, Array(100_000).fill(1))).toHaveLength(100_000)
  })
})

describe("alternatives", () => {
  const composite = (what: string) => `<nil>: Invalid value: "": "x" ${what}`
  const a = { required: ["a"] }
  const b = { required: ["b"], properties: { b: { minimum: 5 } } }
  test.each<[string, JSONSchemaProps, unknown, readonly string[]]>([
    ["all of", { allOf: [a, b] }, { a: 1, b: 5 }, []],
    ["not all of", { allOf: [a, b] }, { b: 5 }, ["x.a: Required value", composite("must validate all the schemas (allOf)")]],
    [
      "none of all",
      { allOf: [a, b] },
      {},
      ["x.a: Required value", "x.b: Required value", composite("must validate all the schemas (allOf). None validated")],
    ],
    ["any of", { anyOf: [a, b] }, { a: 1 }, []],
    [
      "none of any: the errors of the one with most matches are shown",
      { anyOf: [a, b] },
      { b: 1 },
      [composite("must validate at least one schema (anyOf)"), "x.b: Invalid value: 1: x.b in body should be greater than or equal to 5"],
    ],
    [
      "none of any: the first of equals",
      { anyOf: [a, { required: ["b"] }] },
      {},
      [composite("must validate at least one schema (anyOf)"), "x.a: Required value"],
    ],
    ["one of", { oneOf: [a, b] }, { a: 1 }, []],
    [
      "none of one",
      { oneOf: [a, b] },
      {},
      [composite("must validate one and only one schema (oneOf). Found none valid"), "x.a: Required value"],
    ],
    [
      "two of one",
      { oneOf: [a, b] },
      { a: 1, b: 5 },
      [composite("must validate one and only one schema (oneOf). Found 2 valid alternatives")],
    ],
    ["not", { not: a }, {}, []],
    ["and yet", { not: a }, { a: 1 }, [composite("must not validate the schema (not)")]],
    [
      "an integer or a text, restricted",
      { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }], pattern: "^a" },
      "b",
      [`x: Invalid value: "b": x in body should match '^a'`],
    ],
    [
      "an integer or a text, and more",
      { "x-kubernetes-int-or-string": true, allOf: [{ anyOf: [{ type: "integer" }, { type: "string" }] }, { maximum: 3 }] },
      4,
      ["x: Invalid value: 4: x in body should be less than or equal to 3", composite("must validate all the schemas (allOf)")],
    ],
    ["null is not looked at", { nullable: true, anyOf: [a] }, null, []],
  ])("%s", (_, schema, value, errors) => {
    expect(errorsOf(schema, value)).toEqual(errors)
  })
})

test("a status is validated on its own", () => {
  const status: JSONSchemaProps = {
    type: "object",
    required: ["a"],
    properties: { a: { type: "string" } },
    additionalProperties: { type: "string" },
  }
  const schema = customResourceSchema({ type: "object", required: ["spec"], properties: { status } })
  expect(schema.validateStatus({ status: {} }, {}).map(formatFieldError)).toEqual(["status.a: Required value"])
  expect(schema.validateStatus({ status: 5 }, {}).map(formatFieldError)).toEqual([
    'status: Invalid value: "integer":  in body must be of type object: "integer"',
  ])
  expect(schema.validateStatus({ status: { a: "x", b: 1 } }, {}).map(formatFieldError)).toEqual([
    'status.b: Invalid value: "integer": .b in body must be of type string: "integer"',
  ])
  expect(schema.validateStatus({}, { status: {} })).toEqual([])
})
