import { formatFieldError } from "@pilothouse/api"
import { describe, expect, it } from "vitest"
import type { JsonSchema, ValidationRule } from "../schema/json-schema.ts"
import { compileRules } from "./compile-rules.ts"
import { validateRules } from "./validate-rules.ts"

type Properties = Readonly<Record<string, JsonSchema>>

/** Returns the schema of a resource whose spec has properties and rules. */
function resource(properties: Properties, rules: readonly (string | ValidationRule)[] = []): JsonSchema {
  const validations = rules.map((rule) => (typeof rule === "string" ? { rule } : rule))
  return { type: "object", properties: { spec: { type: "object", properties, "x-kubernetes-validations": validations } } }
}

function definitionErrors(schema: JsonSchema): string[] {
  return compileRules(schema, { path: "schema" }).errors.map(formatFieldError)
}

/** Compiles a schema that must be accepted and validates a spec against it. */
function validate(schema: JsonSchema, spec: unknown, oldSpec?: unknown): { errors: string[]; warnings: readonly string[] } {
  const compiled = compileRules(schema)
  expect(compiled.errors).toEqual([])
  const { errors, warnings } = validateRules(compiled, "", { spec }, oldSpec === undefined ? undefined : { spec: oldSpec })
  return { errors: errors.map(formatFieldError), warnings }
}

const replicas: Properties = { replicas: { type: "integer" }, max: { type: "integer" }, name: { type: "string", maxLength: 20 } }

describe("compileRules", () => {
  const rulePath = "schema.properties[spec].x-kubernetes-validations[0]"
  const shown = (rule: string): string =>
    JSON.stringify({ Rule: rule, Message: "", MessageExpression: "", Reason: null, FieldPath: "", OptionalOldSelf: null })
      .replaceAll("<", "\\u003c")
      .replaceAll(">", "\\u003e")
      .replaceAll("&", "\\u0026")

  it("accepts a fieldPath to a key of a map whose values have no schema", () => {
    const rules = [{ rule: "true", fieldPath: ".a" }]
    const spec: JsonSchema = { type: "string", additionalProperties: true, "x-kubernetes-validations": rules }
    expect(definitionErrors({ type: "object", properties: { spec } })).toEqual([])
  })

  const truth = { "x-kubernetes-validations": [{ rule: "self == self" }] }
  it.each<[string, JsonSchema, readonly string[]]>([
    [
      "below an int-or-string by its own schema",
      { "x-kubernetes-int-or-string": true, properties: { a: { type: "number", ...truth } } },
      [],
    ],
    ["below values without a type by its own schema", { properties: { a: { type: "string", maxLength: 9, ...truth } } }, []],
    [
      "of values without a type",
      { ...truth, properties: { a: { type: "string" } } },
      [
        "schema.properties[spec].x-kubernetes-validations: Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations",
      ],
    ],
    [
      "of items of an int-or-string with rules",
      { "x-kubernetes-int-or-string": true, maxLength: 9, items: { type: "string", ...truth }, ...truth },
      ["schema.properties[spec].items.x-kubernetes-validations: Internal error: failed to convert to declType for CEL validation rules"],
    ],
  ])("reads a rule %s", (_, spec, expected) => {
    expect(definitionErrors({ type: "object", properties: { spec } })).toEqual(expected)
  })

  it.each<[string, ValidationRule, string]>([
    ["an empty rule", { rule: " " }, `${rulePath}.rule: Required value: rule is not specified`],
    ["an empty message", { rule: "true", message: " " }, `${rulePath}.message: Invalid value: " ": must be non-empty if specified`],
    [
      "a message of two lines",
      { rule: "true", message: "a\nb" },
      `${rulePath}.message: Invalid value: "a\\nb": must not contain line breaks`,
    ],
    [
      "a rule of two lines without a message",
      { rule: "true &&\ntrue" },
      `${rulePath}.message: Required value: message must be specified if rule contains line breaks`,
    ],
    [
      "an empty messageExpression",
      { rule: "true", messageExpression: " " },
      `${rulePath}.messageExpression: Required value: messageExpression must be non-empty if specified`,
    ],
    [
      "an unknown reason",
      { rule: "true", reason: "Other" },
      `${rulePath}.reason: Unsupported value: "Other": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`,
    ],
    [
      "a path to nowhere",
      { rule: "true", fieldPath: ".missing" },
      `${rulePath}.fieldPath: Invalid value: ".missing": must be a valid path`,
    ],
    [
      "a rule of another type",
      { rule: "self.replicas" },
      `${rulePath}.rule: Invalid value: ${shown("self.replicas")}: cel expression must evaluate to a bool`,
    ],
    [
      "an undefined field",
      { rule: "self.z > 0" },
      `${rulePath}.rule: Invalid value: ${shown("self.z > 0")}: compilation failed: ERROR: <input>:1:5: undefined field 'z'\n | self.z > 0\n | ....^`,
    ],
    [
      "a constant that cannot be computed",
      { rule: "int('x') > 0" },
      `${rulePath}.rule: Invalid value: ${shown("int('x') > 0")}: program instantiation failed: type conversion error from 'string' to 'int'`,
    ],
    [
      "a literal that is no duration",
      { rule: "duration('x') > duration('1s')" },
      `${rulePath}.rule: Invalid value: ${shown("duration('x') > duration('1s')")}: compilation failed: ERROR: <input>:1:10: invalid duration argument\n | duration('x') > duration('1s')\n | .........^`,
    ],
    [
      "optionalOldSelf without oldSelf",
      { rule: "true", optionalOldSelf: true },
      `${rulePath}.optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`,
    ],
  ])("refuses %s", (_what, rule, expected) => {
    expect(definitionErrors(resource(replicas, [rule]))).toEqual([expected])
  })

  it("refuses a messageExpression of another type", () => {
    const [error] = definitionErrors(resource(replicas, [{ rule: "true", messageExpression: "self.replicas" }]))
    expect(error).toContain(`${rulePath}.messageExpression: Invalid value: `)
    expect(error).toContain(": messageExpression must evaluate to a string")
  })

  it("refuses oldSelf inside lists whose items have no keys", () => {
    const items: JsonSchema = { type: "string", maxLength: 5, "x-kubernetes-validations": [{ rule: "self == oldSelf" }] }
    expect(definitionErrors(resource({ names: { type: "array", items, maxItems: 5 } }))).toEqual([
      'schema.properties[spec].properties[names].items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within schema.properties[spec].properties[names]',
    ])
  })

  it("refuses a rule that costs too much, and says by how much", () => {
    const lists: Properties = { list: { type: "array", items: { type: "array", items: { type: "string" } } } }
    expect(definitionErrors(resource(lists, ["self.list.all(x, x.all(y, y.contains('a')))"]))).toEqual([
      `${rulePath}.rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`,
      `${rulePath}.rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema`,
      "schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
    ])
  })

  it("has nothing to do for a schema without rules", () => {
    expect(compileRules(resource(replicas)).root).toBeUndefined()
  })
})

describe("validateRules", () => {
  it.each<[string, ValidationRule, unknown, string]>([
    [
      "the rule without a message",
      { rule: "self.replicas <= self.max" },
      { replicas: 2, max: 1 },
      "spec: Invalid value: failed rule: self.replicas <= self.max",
    ],
    ["the message", { rule: "self.replicas <= self.max", message: " too many " }, { replicas: 2, max: 1 }, "spec: Invalid value: too many"],
    [
      "the message of an expression",
      { rule: "self.replicas <= self.max", messageExpression: "self.name + ' has too many'" },
      { replicas: 2, max: 1, name: "a" },
      "spec: Invalid value: a has too many",
    ],
    [
      "the message if its expression fails",
      { rule: "self.replicas < 2", message: "too many", messageExpression: "string(self.max)" },
      { replicas: 2 },
      "spec: Invalid value: too many",
    ],
    [
      "another reason",
      { rule: "has(self.max)", reason: "FieldValueRequired", message: "max is needed" },
      {},
      "spec: Required value: max is needed",
    ],
    [
      "a field",
      { rule: "self.replicas < 2", fieldPath: ".replicas", reason: "FieldValueForbidden", message: "no" },
      { replicas: 2 },
      "spec.replicas: Forbidden: no",
    ],
    ["a missing key", { rule: "self.max > 1" }, {}, 'spec: Invalid value: "object": no such key: max evaluating rule: self.max > 1'],
    [
      "a division by zero",
      { rule: "self.replicas / self.max > 1" },
      { replicas: 1, max: 0 },
      'spec: Invalid value: "object": division by zero evaluating rule: self.replicas / self.max > 1',
    ],
  ])("reports %s", (_what, rule, spec, expected) => {
    expect(validate(resource(replicas, [rule]), spec).errors).toEqual([expected])
  })

  it("accepts what its rules accept, and shows the value of a scalar", () => {
    const schema = resource({ name: { type: "string", maxLength: 20, "x-kubernetes-validations": [{ rule: "self.startsWith('a')" }] } })
    expect(validate(schema, { name: "abc" }).errors).toEqual([])
    expect(validate(schema, { name: "xyz" }).errors).toEqual([`spec.name: Invalid value: "xyz": failed rule: self.startsWith('a')`])
    expect(validate(schema, { name: null }).errors).toEqual([])
  })

  it("reads integers, numbers, moments, durations and bytes by their schema", () => {
    const properties: Properties = {
      count: { type: "integer" },
      ratio: { type: "number" },
      at: { type: "string", format: "date-time" },
      every: { type: "string", format: "duration" },
      data: { type: "string", format: "byte", maxLength: 10 },
      port: { "x-kubernetes-int-or-string": true },
      "a-b": { type: "boolean" },
      namespace: { type: "string", maxLength: 5 },
    }
    const rules = [
      "self.count + 1 == 3",
      "self.ratio + 0.5 == 2.5",
      "self.at == timestamp('2020-01-01T00:00:00Z')",
      "self.every == duration('90s')",
      "self.data == b'hi'",
      "self.port == 80 || self.port == 'http'",
      "self.a__dash__b && self.__namespace__ == 'x'",
    ]
    const spec = {
      count: 2,
      ratio: 2,
      at: "2020-01-01T01:00:00+01:00",
      every: "1m30s",
      data: "aGk=",
      port: "http",
      "a-b": true,
      namespace: "x",
    }
    expect(validate(resource(properties, rules), spec).errors).toEqual([])
  })

  it("adds integers beyond 2^53 to quantities", () => {
    const rule = "quantity('1').add(self.replicas).isGreaterThan(quantity('9007199254740992'))"
    expect(validate(resource(replicas, [rule]), { replicas: 2 ** 53 }).errors).toEqual([])
  })

  it("compares lists of type map and set without order, and joins them by key", () => {
    const item: JsonSchema = {
      type: "object",
      required: ["name"],
      properties: { name: { type: "string", maxLength: 5 }, value: { type: "integer" } },
    }
    const properties: Properties = {
      keyed: { type: "array", maxItems: 5, items: item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
      names: { type: "array", maxItems: 5, items: { type: "string", maxLength: 5 }, "x-kubernetes-list-type": "set" },
    }
    const rules = [
      "self.names == oldSelf.names",
      "self.keyed == oldSelf.keyed",
      "size(self.keyed + oldSelf.keyed) == 2",
      "size(self.names + ['c']) == 3",
    ]
    const before = {
      names: ["a", "b"],
      keyed: [
        { name: "x", value: 1 },
        { name: "y", value: 2 },
      ],
    }
    const after = {
      names: ["b", "a"],
      keyed: [
        { name: "y", value: 2 },
        { name: "x", value: 1 },
      ],
    }
    expect(validate(resource(properties, rules), after, before).errors).toEqual([])
  })

  describe("on update", () => {
    const immutable = resource(replicas, [{ rule: "self.replicas == oldSelf.replicas", message: "immutable" }])

    it("skips transition rules without an old value", () => {
      expect(validate(immutable, { replicas: 2 }).errors).toEqual([])
      expect(validate(immutable, { replicas: 2 }, { replicas: 1 }).errors).toEqual(["spec: Invalid value: immutable"])
    })

    it("evaluates rules with an optional old value always", () => {
      const rule = { rule: "oldSelf.hasValue() || self.replicas == 1", optionalOldSelf: true, message: "must begin with 1" }
      const schema = resource(replicas, [rule])
      expect(validate(schema, { replicas: 2 }).errors).toEqual(["spec: Invalid value: must begin with 1"])
      expect(validate(schema, { replicas: 2 }, { replicas: 1 }).errors).toEqual([])
    })

    it("finds the old items of lists of type map by their keys", () => {
      const items: JsonSchema = {
        type: "object",
        required: ["name"],
        properties: { name: { type: "string", maxLength: 5 }, value: { type: "integer" } },
        "x-kubernetes-validations": [{ rule: "self.value >= oldSelf.value", message: "must not shrink" }],
      }
      const schema = resource({
        list: { type: "array", maxItems: 5, items, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
      })
      const before = {
        list: [
          { name: "a", value: 1 },
          { name: "b", value: 5 },
        ],
      }
      expect(
        validate(
          schema,
          {
            list: [
              { name: "b", value: 4 },
              { name: "c", value: 0 },
              { name: "a", value: 2 },
            ],
          },
          before,
        ).errors,
      ).toEqual(["spec.list[0]: Invalid value: must not shrink"])
    })

    it("only warns of a failure that was there before", () => {
      const schema = resource({
        ...replicas,
        name: { type: "string", maxLength: 20, "x-kubernetes-validations": [{ rule: "self != 'bad'" }] },
      })
      const unchanged = validate(schema, { name: "bad", replicas: 2 }, { name: "bad", replicas: 1 })
      expect(unchanged).toEqual({ errors: [], warnings: [`spec.name: Invalid value: "bad": failed rule: self != 'bad'`] })
      expect(validate(schema, { name: "bad" }, { name: "good" }).errors).toHaveLength(1)
      const [bad, compiled] = [{ spec: { name: "bad" } }, compileRules(schema)]
      expect(validateRules(compiled, "", bad, bad, { ratchets: false })).toMatchObject({ errors: [{ field: "spec.name" }], warnings: [] })
    })
  })

  it("stops when an evaluation or the object costs too much", () => {
    const schema = resource({ list: { type: "array", maxItems: 300, items: { type: "integer" } } }, [
      "self.list.all(x, self.list.all(y, x + y >= 0))",
    ])
    const list = Array.from({ length: 300 }, (_unused, index) => index)
    const rule = "self.list.all(x, self.list.all(y, x + y >= 0))"
    const compiled = compileRules(schema)
    const { errors, stopped } = validateRules(compiled, "", { spec: { list } }, undefined, { costBudget: 100 })
    expect([stopped, validateRules(compiled, "", { spec: { list } }).stopped]).toEqual([true, false])
    expect(errors.map(formatFieldError)).toEqual([
      'spec: Invalid value: "object": validation failed due to running out of cost budget, no further validation rules will be run',
    ])
    const many = { spec: { list: Array.from({ length: 2_000 }, (_unused, index) => index) } }
    expect(validateRules(compiled, "", many).errors.map(formatFieldError)).toEqual([
      `spec: Invalid value: "object": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`,
    ])
  })

  it("evaluates rules of maps, lists and allOf at their places", () => {
    const schema = resource({
      labels: {
        type: "object",
        maxProperties: 5,
        additionalProperties: { type: "string", maxLength: 5, "x-kubernetes-validations": [{ rule: "self != ''" }] },
      },
      ports: { type: "array", maxItems: 5, items: { type: "integer", "x-kubernetes-validations": [{ rule: "self > 0" }] } },
      size: { type: "integer", allOf: [{ "x-kubernetes-validations": [{ rule: "self < 10" }] }] },
    })
    expect(validate(schema, { labels: { a: "" }, ports: [80, 0], size: 10 }).errors).toEqual([
      `spec.labels[a]: Invalid value: "": failed rule: self != ''`,
      "spec.ports[1]: Invalid value: 0: failed rule: self > 0",
      "spec.size: Invalid value: 10: failed rule: self < 10",
    ])
  })

  it("gives rules of the whole resource its metadata", () => {
    const schema: JsonSchema = {
      type: "object",
      properties: {},
      "x-kubernetes-validations": [{ rule: "self.metadata.name.startsWith('a') && self.kind == 'Test'" }],
    }
    const compiled = compileRules(schema)
    expect(compiled.errors).toEqual([])
    expect(validateRules(compiled, "", { kind: "Test", metadata: { name: "abc" } }).errors).toEqual([])
    expect(validateRules(compiled, "", { kind: "Test", metadata: { name: "xyz" } }).errors.map(formatFieldError)).toEqual([
      "<nil>: Invalid value: failed rule: self.metadata.name.startsWith('a') && self.kind == 'Test'",
    ])
  })
})
