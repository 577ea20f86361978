import { describe, expect, it } from "vitest"
import {
  CompileErrors,
  compile,
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
})
