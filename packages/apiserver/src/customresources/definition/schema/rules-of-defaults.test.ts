import { formatFieldError } from "@pilothouse/api"
import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { VirtualClock } from "@pilothouse/seams"
import { beforeAll, describe, expect, test } from "vitest"
import { DefaultsCost, loadRules } from "../../schema/rules.ts"
import { forCreate, type Strictness } from "../ratchet.ts"
import { rootSchemaErrors } from "../root-schema-rules.ts"

type Rule = NonNullable<JSONSchemaProps["x-kubernetes-validations"]>[number]

/** The errors of a root schema, as "where: message"; `$` stands for the schema of the field `a` of its `spec`. */
function errorsOf(root: JSONSchemaProps, strictness: Strictness = forCreate): readonly string[] {
  const errors = rootSchemaErrors({ openAPIV3Schema: root }, false, "s", strictness).map(formatFieldError)
  return errors.map((error) => error.replaceAll("s.openAPIV3Schema", "").replaceAll(".properties[spec].properties[a]", "$"))
}

function withField(a: JSONSchemaProps): JSONSchemaProps {
  return { type: "object", properties: { spec: { type: "object", properties: { a } } } }
}

const validations = "x-kubernetes-validations"
const rule = (text: string, more: Partial<Rule> = {}) => ({ [validations]: [{ rule: text, ...more }] })
const integer: JSONSchemaProps = { type: "integer" }
const five: JSONSchemaProps = { type: "integer", default: 5 }
const small: JSONSchemaProps = { ...integer, ...rule("self<3") }
const mustBeY: JSONSchemaProps = { type: "string", default: "x" }
const embedded = { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true } as const
const namedX = { apiVersion: "v1", kind: "K", metadata: { name: "x" } }
const untyped: JSONSchemaProps = { "x-kubernetes-preserve-unknown-fields": true }
const noType = "rule compiler initialization error: failed to convert to declType for CEL validation rules"
const numbers = (length: number) => Array.from({ length }, (_, index) => index)
const spent = "validation failed due to running out of cost budget, no further validation rules will be run"

describe("a default of a schema with rules", () => {
  beforeAll(async () => void (await loadRules(new VirtualClock())))

  test.each<readonly [string, JSONSchemaProps, readonly string[]]>([
    ["the rule's message", { ...mustBeY, ...rule("self=='y'", { message: "must be y" }) }, ['$.default: Invalid value: "x": must be y']],
    [
      "a fieldPath",
      { type: "object", properties: { b: integer }, default: { b: 5 }, ...rule("self.b < 3", { fieldPath: ".b" }) },
      ["$.default.b: Invalid value: failed rule: self.b < 3"],
    ],
    [
      "a rule below",
      { type: "object", properties: { b: small }, default: { b: 5 } },
      ["$.default.b: Invalid value: 5: failed rule: self<3"],
    ],
    [
      "a default below, which is not filled in before",
      { type: "object", properties: { b: { ...integer, default: 7 } }, default: {}, ...rule("self.b < 3") },
      ['$.default: Invalid value: "object": no such key: b evaluating rule: self.b < 3'],
    ],
    ["a default below alone", { type: "object", properties: { b: { ...integer, default: 7 } }, ...rule("self.b < 3") }, []],
    ["a default that holds", { ...five, ...rule("self == 5") }, []],
    ["null", { type: "string", nullable: true, default: null, ...rule("self=='y'") } as JSONSchemaProps, []],
    ["an empty rule beside", { ...five, ...rule(" ") }, [`$.${validations}[0].rule: Required value: rule is not specified`]],
    [
      "a division by zero",
      { ...five, ...rule("1/(self-5) > 0") },
      ['$.default: Invalid value: "integer": division by zero evaluating rule: 1/(self-5) > 0'],
    ],
    ["items", { type: "array", items: small, default: [1, 5] }, ["$.default[1]: Invalid value: 5: failed rule: self<3"]],
    [
      "values of a map",
      { type: "object", additionalProperties: { type: "string", ...rule("self!='bad'", { message: "no bad" }) }, default: { k: "bad" } },
      ['$.default[k]: Invalid value: "bad": no bad'],
    ],
    [
      "a default of items",
      { type: "array", items: { type: "object", properties: { c: { ...small, default: 5 } } } },
      ["$.items.properties[c].default: Invalid value: 5: failed rule: self<3"],
    ],
    [
      "Forbidden",
      { ...mustBeY, ...rule("self=='y'", { reason: "FieldValueForbidden" }) },
      ["$.default: Forbidden: failed rule: self=='y'"],
    ],
    [
      "Required",
      { ...mustBeY, ...rule("self=='y'", { reason: "FieldValueRequired" }) },
      ["$.default: Required value: failed rule: self=='y'"],
    ],
    ["Duplicate", { ...mustBeY, ...rule("self=='y'", { reason: "FieldValueDuplicate" }) }, ['$.default: Duplicate value: "x"']],
    [
      "an unknown field beside",
      { type: "object", properties: { b: small }, default: { b: 5, zz: 1 } },
      ['$.default: Invalid value: {"b":5,"zz":1}: must not have unknown fields', "$.default.b: Invalid value: 5: failed rule: self<3"],
    ],
    [
      "what the schema refuses",
      { ...five, maximum: 4, ...rule("self<3") },
      ["$.default: Invalid value: 5:  in body should be less than or equal to 4"],
    ],
    [
      "an embedded resource",
      { ...embedded, default: namedX, ...rule("self.metadata.name == 'y'") },
      ["$.default: Invalid value: failed rule: self.metadata.name == 'y'"],
    ],
    [
      "an embedded resource below",
      { type: "object", properties: { e: { ...embedded, ...rule("self.kind == 'L'") } }, default: { e: namedX } },
      ["$.default.e: Invalid value: failed rule: self.kind == 'L'"],
    ],
    [
      "the kind of an embedded resource",
      { ...embedded, properties: { kind: { ...mustBeY, ...rule("self=='y'") } } },
      ["$.properties[kind].default: Invalid value: \"x\": failed rule: self=='y'"],
    ],
  ])("is held against them: %s", (_title, schema, errors) => {
    expect(errorsOf(withField(schema))).toEqual(errors)
  })

  test.each<readonly [string, JSONSchemaProps, readonly string[]]>([
    ["it is its own older value", { ...five, ...rule("self == oldSelf") }, []],
    ["which a change refuses", { ...five, ...rule("self != oldSelf") }, ["$.default: Invalid value: 5: failed rule: self != oldSelf"]],
    [
      "it has none as an optional",
      { ...five, ...rule("oldSelf.hasValue() || self < 3", { optionalOldSelf: true }) },
      ["$.default: Invalid value: 5: failed rule: oldSelf.hasValue() || self < 3"],
    ],
    [
      "it has itself as an optional",
      { ...five, ...rule("!oldSelf.hasValue() || self < 3", { optionalOldSelf: true }) },
      ["$.default: Invalid value: 5: failed rule: !oldSelf.hasValue() || self < 3"],
    ],
    [
      "a message without a rule that reads oldSelf, which it cannot read either",
      { ...five, ...rule("self < 3", { messageExpression: "'was ' + string(oldSelf)" }) },
      ["$.default: Invalid value: 5: failed rule: self < 3"],
    ],
    [
      "a message beside such a rule",
      { ...five, [validations]: [{ rule: "self < 3", messageExpression: "'was ' + string(oldSelf)" }, { rule: "self == oldSelf" }] },
      ["$.default: Invalid value: 5: was 5"],
    ],
    [
      "items of a list of type map",
      {
        type: "array",
        items: { type: "object", properties: { k: { type: "string", default: "" } }, ...rule("self.k != oldSelf.k") },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
        default: [{ k: "a" }],
      },
      ["$.default[0]: Invalid value: failed rule: self.k != oldSelf.k"],
    ],
  ])("is validated as an update and as a create: %s", (_title, schema, errors) => {
    expect(errorsOf(withField(schema))).toEqual(errors)
  })

  test.each<readonly [string, JSONSchemaProps, readonly string[]]>([
    [
      "a message that costs too much",
      { ...five, ...rule("self < 3", { messageExpression: "['a'].map(y, y + 'a').size() > 0 ? 'is ' + string(self) : 'x'" }) },
      ["$.default: Invalid value: 5: is 5"],
    ],
    [
      "a message that does not compile",
      { ...five, ...rule("self < 3", { messageExpression: "self" }) },
      ["$.default: Invalid value: 5: failed rule: self < 3"],
    ],
    [
      "a message that does not compile, which leaves the fieldPath out",
      {
        type: "object",
        properties: { b: integer },
        default: { b: 5 },
        ...rule("self.b < 3", { messageExpression: "self.b", fieldPath: ".b" }),
      },
      ["$.default: Invalid value: failed rule: self.b < 3"],
    ],
    [
      "a rule that does not compile",
      { ...five, ...rule("self.x < 3") },
      [
        "$.default: Invalid value: \"integer\": rule compile error: compilation failed: ERROR: <input>:1:5: type 'int' does not support field selection\n | self.x < 3\n | ....^",
      ],
    ],
    ["no type", { ...untyped, default: 5, ...rule("self < 3") }, [`$.default: Invalid value: "": ${noType}`]],
    [
      "items without a type",
      { type: "array", items: { ...untyped, ...rule("self < 3") }, default: [5] },
      [`$.default[0]: Invalid value: "": ${noType}`],
    ],
    ["items of what has no type", { ...untyped, items: small, default: [5] }, [`$.default[0]: Invalid value: "integer": ${noType}`]],
    ["a field of what has no type, which rules do not know", { ...untyped, properties: { c: small }, default: { c: 5 } }, []],
    [
      "but for a name that they cannot say",
      { ...untyped, properties: { "x y": small }, default: { "x y": 5 } },
      ["$.default.x y: Invalid value: 5: failed rule: self<3"],
    ],
    [
      "a rule that costs too much",
      { type: "array", items: integer, default: numbers(300), ...rule("self.all(a, self.all(b, self.all(c, a + b + c >= 0)))") },
      [
        `$.default: Invalid value: "array": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: self.all(a, self.all(b, self.all(c, a + b + c >= 0)))`,
      ],
    ],
    [
      "all together",
      {
        type: "array",
        items: { type: "array", items: integer, ...rule("self.all(a, self.all(b, a + b >= 0))") },
        default: numbers(20).map(() => numbers(300)),
      },
      [`$.default[15]: Invalid value: "array": ${spent}`],
    ],
  ])("that is refused is all that is said of rules: %s", (_title, schema, errors) => {
    expect(errorsOf(withField(schema))).toEqual(errors)
  })

  test("all defaults of a schema share what one object may cost; those after it is spent are not looked at", () => {
    const dear = { type: "array", items: integer, default: numbers(300), ...rule("self.all(a, self.all(b, a + b >= 0))") } as const
    const properties = Object.fromEntries(numbers(40).map((index) => [`p${index}`, dear]))
    expect(errorsOf(withField({ type: "object", properties }))).toEqual([`$.properties[p15].default: Invalid value: "array": ${spent}`])
  })

  test("those of all versions share ten times as much", () => {
    const dear = { type: "array", items: integer, default: numbers(300), ...rule("self.all(a, self.all(b, a + b >= 0))") } as const
    const properties = Object.fromEntries(numbers(15).map((index) => [`p${index}`, dear]))
    const cost = new DefaultsCost()
    const errors = numbers(6).map(() => {
      const schema = { openAPIV3Schema: withField({ type: "object", properties }) }
      return rootSchemaErrors(schema, false, "s", forCreate, cost).some(({ message }) => message.includes(spent))
    })
    expect(errors).toEqual([false, false, false, false, false, true])
  })

  test("defaults of spec and of the whole object are held against their rules", () => {
    const spec: JSONSchemaProps = { type: "object", properties: { a: integer }, default: {}, ...rule("has(self.a)") }
    expect(errorsOf({ type: "object", properties: { spec } })).toEqual([
      ".properties[spec].default: Invalid value: failed rule: has(self.a)",
    ])
    const root: JSONSchemaProps = {
      type: "object",
      default: { apiVersion: "v1", kind: "K" },
      properties: { spec },
      ...rule("has(self.spec)"),
    }
    expect(errorsOf(root)).toEqual([
      ".default: Invalid value: failed rule: has(self.spec)",
      ".properties[spec].default: Invalid value: failed rule: has(self.a)",
    ])
  })

  test("a schema that was accepted before is not held against its rules again", () => {
    const schema = withField({ ...five, ...rule("self<3") })
    expect(errorsOf(schema, { ...forCreate, storedSchemas: [schema] })).toEqual([])
  })
})
