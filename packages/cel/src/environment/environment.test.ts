import { describe, expect, it } from "vitest"
import {
  CompileErrors,
  compile,
  dynType,
  Environment,
  type EnvironmentOptions,
  intType,
  listType,
  type Program,
  standardLibrary,
  unbounded,
} from "../index.ts"

const libraries = [standardLibrary()]

describe("an environment", () => {
  it.each(["a-b", "in", "true", "null", "while", "1a", "", ".a", "a.", "a.in", "a b"])("refuses a variable that is named '%s'", (name) => {
    const message = `expected the name of a variable that an expression can write, such as my_variable, found ${JSON.stringify(name)}`
    expect(() => new Environment({ libraries, variables: { [name]: intType } })).toThrow(new TypeError(message))
  })

  it.each(["a", "_a1", "int", "toString", "a.b", "a.while"])("takes a variable that is named '%s'", (name) => {
    const program = compile(`${name} + 1`, new Environment({ libraries, variables: { [name]: intType } })) as Program
    expect(program.evaluate({ [name]: 1 })).toMatchObject({ kind: "value", value: 2 })
  })

  it.each([["int"], [undefined], [null], [{}]])("refuses %o as the type of a variable", (type) => {
    const variables = { i: type } as unknown as NonNullable<EnvironmentOptions["variables"]>
    expect(() => new Environment({ variables })).toThrow(
      new TypeError(`expected the type of the variable i, such as intType, or { type, read }, found ${String(type)}`),
    )
  })
})

describe("an environment of a caller without a compiler", () => {
  it.each([
    [{ library: libraries }, "expected options of an Environment, such as libraries and variables, found library"],
    [{ libraries: [standardLibrary] }, "expected a library, such as standardLibrary(), found the function standardLibrary: call it"],
    [{ libraries: ["strings"] }, "expected a library, such as standardLibrary(), found strings"],
    [{ libraries: [undefined] }, "expected a library, such as standardLibrary(), found undefined"],
  ])("refuses %o", (options, message) => {
    expect(() => new Environment(options as never)).toThrow(new TypeError(message))
  })
})

describe("compile", () => {
  it("says what it was not given", () => {
    const environment = new Environment({ libraries })
    const any = compile as (expression: unknown, environment: unknown) => unknown
    expect(() => any(undefined, environment)).toThrow(new TypeError("compile: expected an expression as a string, found undefined"))
    expect(() => any("1", {})).toThrow(new TypeError("compile: expected an Environment, found [object Object]"))
  })

  it("counts columns from 0, and has none in a text without characters", () => {
    const environment = new Environment({ libraries })
    const locations = ["1 +\n  'a'", ""].map((text) => {
      const errors = compile(text, environment)
      return errors instanceof CompileErrors ? errors.issues[0]?.location : undefined
    })
    expect(locations).toEqual([
      { line: 1, column: 2 },
      { line: 1, column: -1 },
    ])
  })

  it("estimates the cost of what no size bounds as unbounded", () => {
    const program = compile(
      "names.all(n, n.all(m, m > 0))",
      new Environment({ libraries, variables: { names: listType(listType(intType)) } }),
    ) as Program
    expect(program.estimateCost().max).toBe(unbounded)
  })
})

describe("evaluate", () => {
  const program = compile("i + 1", new Environment({ libraries, variables: { i: intType } })) as Program

  it.each([
    [undefined, "no such attribute(s): i"],
    [{}, "no such attribute(s): i"],
    [null, "expected an object with the values of variables, found null"],
    ["i", "expected an object with the values of variables, found i"],
  ])("answers %o in place of the variables with an error", (activation, message) => {
    expect(program.evaluate(activation as never)).toMatchObject({ kind: "error", message })
  })

  it.each([Number.NaN, "1000", null])("refuses %o as the cost limit, which would be none", (costLimit) => {
    const message = `evaluate: expected a number as the costLimit, found ${String(costLimit)}`
    expect(() => program.evaluate({ i: 1 }, { costLimit: costLimit as never })).toThrow(new TypeError(message))
  })

  it.each([
    ["d.at.getFullYear() == 1970", "no such overload: getFullYear(map)"],
    ["has(d.at.year)", "expected a value of CEL inside of dyn, found a Date: parseTimestamp(date.toISOString()) is its form inside of dyn"],
    ["d.at == {}", "expected a value of CEL inside of dyn, found a Date: parseTimestamp(date.toISOString()) is its form inside of dyn"],
    ["size(d.names) == 0", "expected a value of CEL inside of dyn, found a Map: a MapValue is its form inside of dyn"],
    ["d.names[1] == 'one'", "expected a value of CEL inside of dyn, found a Map: a MapValue is its form inside of dyn"],
    ["'one' in d.set", "expected a value of CEL inside of dyn, found a Set"],
  ])("does not take what is no JSON inside of dyn for an empty map: %s", (text, message) => {
    const inner = compile(text, new Environment({ libraries, variables: { d: dynType } })) as Program
    const d = { at: new Date(0), names: new Map([[1, "one"]]), set: new Set(["one"]) }
    expect(inner.evaluate({ d } as never)).toMatchObject({ kind: "error", message })
  })

  it("takes instances of classes for what their properties are", () => {
    const inner = compile("d.x == 1 && !has(d.y)", new Environment({ libraries, variables: { d: dynType } })) as Program
    expect(inner.evaluate({ d: Object.assign(Object.create({}), { x: 1 }) })).toMatchObject({ kind: "value", value: true })
  })
})
