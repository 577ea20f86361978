import { describe, expect, it } from "vitest"
import {
  boolType,
  bytesType,
  compile,
  Double,
  Duration,
  doubleType,
  durationType,
  dynType,
  Environment,
  fail,
  intType,
  listType,
  MapValue,
  mapType,
  nullType,
  Optional,
  objectType,
  optionalsLibrary,
  optionalType,
  Program,
  parseTimestamp,
  standardLibrary,
  stringType,
  type Type,
  timestampType,
  Uint,
  uintType,
  type Value,
  type VariableDeclaration,
} from "../index.ts"

const libraries = [standardLibrary(), optionalsLibrary]
const web = { name: "Web", fields: new Map([["replicas", { type: intType }] as const, ["names", { type: listType(stringType) }] as const]) }

function evaluate(expression: string, declared: Type | VariableDeclaration, v: unknown): unknown {
  const program = compile(expression, new Environment({ libraries, objectTypes: [web], variables: { v: declared } }))
  if (!(program instanceof Program)) throw new Error(program.message)
  const evaluation = program.evaluate({ v: v as Value })
  return evaluation.kind === "value" ? evaluation.value : evaluation.message
}

describe("a value that does not fit the type of its variable", () => {
  it.each<readonly [expression: string, type: Type, value: unknown, message: string]>([
    ["v + 1", intType, "x", 'variable v: expected an int, found the string "x"'],
    ["v + 1", intType, "5", 'variable v: expected an int, found the string "5"'],
    ["v + 1", intType, null, "variable v: expected an int, found null"],
    ["v + 1", intType, 1.5, "variable v: expected an int, found the number 1.5"],
    ["v + 1", intType, Number.NaN, "variable v: expected an int, found the number NaN"],
    ["v + 1", intType, 2 ** 60, "variable v: expected an int, found the number 1152921504606847000: beyond 2^53 only a bigint is exact"],
    ["v + 1", intType, 2n ** 63n, "variable v: expected an int, found the bigint 9223372036854775808"],
    ["v + 1", intType, new Uint(1n), "variable v: expected an int, found the uint 1"],
    ["v + 1", intType, () => 1, "variable v: expected an int, found a function"],
    ["v % 2 == 0", intType, true, "variable v: expected an int, found the bool true"],
    ["-v", intType, "2", 'variable v: expected an int, found the string "2"'],
    ["double(v)", intType, "q", 'variable v: expected an int, found the string "q"'],
    ["string(v)", intType, "q".repeat(50), `variable v: expected an int, found the string "${"q".repeat(40)}…"`],
    ["[1, 2].map(y, y * v)", intType, {}, "variable v: expected an int, found an object"],
    ["v + 1u", uintType, -1, "variable v: expected a uint, found the number -1"],
    ["v + 1.0", doubleType, "1", 'variable v: expected a double, found the string "1"'],
    ["v", boolType, 1, "variable v: expected a bool, found the number 1"],
    ["v", stringType, 1, "variable v: expected a string, found the number 1"],
    ["size(v)", bytesType, "eA==", 'variable v: expected bytes, found the string "eA=="'],
    ["v == null", nullType, 0, "variable v: expected null, found the number 0"],
    [
      "v.getFullYear()",
      timestampType,
      "2024-01-01",
      'variable v: expected a timestamp, found the string "2024-01-01": parseTimestamp makes one of a text',
    ],
    ["v.getFullYear()", timestampType, new Date("?"), "variable v: expected a timestamp, found an invalid Date"],
    ["v.getFullYear()", timestampType, null, "variable v: expected a timestamp, found null"],
    ["v.getSeconds()", durationType, "1h", 'variable v: expected a duration, found the string "1h": parseDuration makes one of a text'],
    [
      "v.orValue(2)",
      optionalType(intType),
      3,
      "variable v: expected an optional_type(int), found the number 3: new Optional(value) makes one",
    ],
    ["v.orValue(2)", optionalType(intType), new Optional("3"), 'variable v: expected an int, found the string "3"'],
    ["size(v)", listType(intType), "ab", 'variable v: expected a list(int), found the string "ab"'],
    ["v[0] + 1", listType(intType), [1, "x"], 'variable v[1]: expected an int, found the string "x"'],
    ["size(v)", listType(listType(intType)), [[1], [2, null]], "variable v[1][1]: expected an int, found null"],
    ["v['a'] + 1", mapType(stringType, intType), { a: "x" }, 'variable v["a"]: expected an int, found the string "x"'],
    ["size(v)", mapType(stringType, intType), new Map([[1, 1]]), "variable v: a key: expected a string, found the number 1"],
    [
      "v[1]",
      mapType(intType, intType),
      { 1: 2 },
      "variable v: expected a map(int, int), found an object, whose keys are strings: a Map or a MapValue can have others",
    ],
    ["size(v)", mapType(stringType, intType), new Set(), "variable v: expected a map(string, int), found a Set"],
    ["v.replicas", objectType("Web"), [], "variable v: expected an object of type Web, found a list"],
    ["v.replicas + 1", objectType("Web"), { replicas: "1" }, 'field replicas of Web: expected an int, found the string "1"'],
    ["v.?replicas.orValue(1) + 1", objectType("Web"), { replicas: "1" }, 'field replicas of Web: expected an int, found the string "1"'],
    ["v.names[0]", objectType("Web"), { names: [1] }, "field names of Web[0]: expected a string, found the number 1"],
    ["v.x", dynType, Symbol("x"), "variable v: expected a value of CEL, found a symbol"],
    ["v.x", dynType, new Set(), "variable v: expected a value of CEL, found a Set"],
  ])("%s of %s with %o", (expression, type, value, message) => {
    expect(evaluate(expression, type, value)).toBe(message)
  })

  it("is an error only of expressions that read the variable", () => {
    const program = compile("1 + 1", new Environment({ libraries, variables: { v: intType } })) as Program
    expect(program.evaluate({ v: "x" })).toMatchObject({ kind: "value", value: 2 })
  })

  it("may come from the reader of the variable", () => {
    const read = (value: Value) => (typeof value === "string" ? (parseTimestamp(value) ?? fail(`no timestamp: ${value}`)) : value)
    expect(evaluate("v.getFullYear()", { type: timestampType, read }, "2024-05-06T07:08:09Z")).toBe(2024)
    expect(evaluate("v.getFullYear()", { type: timestampType, read }, "?")).toBe("no timestamp: ?")
    expect(evaluate("v.getFullYear()", { type: timestampType, read }, 5)).toBe("variable v: expected a timestamp, found the number 5")
  })
})

describe("what obviously fits", () => {
  it.each<readonly [expression: string, type: Type, value: unknown, result: unknown]>([
    ["v + 1", intType, 5n, 6],
    ["{5: 'x'}[v]", intType, 5n, "x"],
    ["v + 1", intType, 2n ** 53n, 2n ** 53n + 1n],
    ["v + 1u", uintType, 1, new Uint(2n)],
    ["v + 1u", uintType, 1n, new Uint(2n)],
    ["type(v) == double", doubleType, 1, true],
    ["type(v) == double", doubleType, new Double(1), true],
    ["string(v)", timestampType, new Date(-1), "1969-12-31T23:59:59.999Z"],
    ["type(v) == google.protobuf.Timestamp", dynType, new Date(0), true],
    ["v[0] + 1u", listType(uintType), [1, 2], new Uint(2n)],
    ["v['b'] + 1u", mapType(stringType, uintType), { a: undefined, b: 1 }, new Uint(2n)],
    ["v[1]", mapType(intType, stringType), new Map([[1, "x"]]), "x"],
    ["v[1]", mapType(intType, stringType), new Map([[1n, "x"]]), "x"],
    ["size(v)", mapType(intType, stringType), {}, 0],
    ["v.a + 1", mapType(stringType, intType), new Map([["a", 1]]), 2],
    ["v.a + 1", dynType, new Map([["a", 1]]), 2],
    ["v == null", objectType("Web"), null, true],
    ["v.orValue(2u)", optionalType(uintType), new Optional(3), new Uint(3n)],
    ["v.orValue(2u)", optionalType(uintType), Optional.none, new Uint(2n)],
    ["v - duration('1s') == duration('0s')", durationType, new Duration(1_000_000_000n), true],
  ])("%s of %s with %o", (expression, type, value, result) => {
    expect(evaluate(expression, type, value)).toEqual(result)
  })

  it("is not copied", () => {
    const map = new MapValue()
    map.set(1, "x")
    for (const [type, value] of [
      [listType(intType), [1, 2]],
      [mapType(stringType, intType), { a: 1 }],
      [mapType(intType, stringType), map],
    ] as const)
      expect(evaluate("v", type, value)).toBe(value)
  })
})
