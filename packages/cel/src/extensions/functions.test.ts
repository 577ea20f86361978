import { describe, expect, it } from "vitest"
import {
  boolType,
  compile,
  Environment,
  type FunctionDeclaration,
  fail,
  functionsLibrary,
  intType,
  listType,
  nullType,
  Program,
  standardLibrary,
  stringType,
} from "../index.ts"

const functions: readonly FunctionDeclaration[] = [
  { name: "isEven", parameters: [intType], result: boolType, evaluate: (n: number | bigint) => BigInt(n) % 2n === 0n },
  { name: "shout", receiver: stringType, parameters: [], result: stringType, evaluate: (text: string) => `${text.toUpperCase()}!` },
  {
    name: "shout",
    receiver: stringType,
    parameters: [intType],
    result: stringType,
    evaluate: (text: string, times: number) => text.toUpperCase() + "!".repeat(times),
    cost: 5,
  },
  { name: "dates.today", parameters: [], result: stringType, evaluate: () => fail("no clock"), cost: 100 },
  { name: "wrong", parameters: [], result: listType(intType), evaluate: () => [1, "two"] },
  { name: "nothing", parameters: [], result: nullType, evaluate: () => null },
]
const environment = new Environment({
  libraries: [standardLibrary(), functionsLibrary("mine", functions)],
  variables: { n: intType, s: stringType },
})

describe("functions of a caller", () => {
  it.each([
    ["isEven(n) && !isEven(n + 1)", true, 6],
    ["s.shout() == 'HI!' && 'a'.shout(3) == 'A!!!'", true, 9],
    ["nothing() == null", true, 2],
    ["[1, 2, 3].filter(x, isEven(x)) == [2]", true, undefined],
  ])("are called: %s", (text, value, cost) => {
    const program = compile(text, environment) as Program
    expect(program.evaluate({ n: 2, s: "hi" })).toMatchObject({ kind: "value", value, ...(cost !== undefined && { cost }) })
  })

  it.each([
    ["dates.today() == ''", "no clock"],
    ["wrong() == []", 'result of wrong[1]: expected an int, found the string "two"'],
  ])("fail: %s", (text, message) => {
    expect((compile(text, environment) as Program).evaluate({})).toMatchObject({ kind: "error", message })
  })

  it("are checked by their types", () => {
    const found = compile("isEven('2')", environment)
    expect(found instanceof Program ? "" : found.message).toContain("found no matching overload for 'isEven' applied to '(string)'")
  })

  it("are estimated at what they cost, and end at the limit", () => {
    const program = compile("s.shout(2) != '' || dates.today() != ''", environment) as Program
    expect(program.estimateCost()).toEqual({ min: 6, max: 106 })
    expect(program.evaluate({ s: "a" }, { costLimit: 5 })).toMatchObject({ kind: "error", costLimitExceeded: true })
  })

  it.each<[string, FunctionDeclaration[], string]>([
    [
      "a name that none can write",
      [{ name: "a-b", parameters: [], result: boolType, evaluate: () => true }],
      'expected the name of a function that an expression can write, found "a-b"',
    ],
    [
      "a cost that is no number",
      [{ name: "a", parameters: [], result: boolType, evaluate: () => true, cost: Number.NaN }],
      "expected the cost of a as a number from 0 on, found NaN",
    ],
    [
      "two that are the same",
      [
        { name: "a", receiver: intType, parameters: [stringType], result: boolType, evaluate: () => true },
        { name: "a", receiver: intType, parameters: [stringType], result: intType, evaluate: () => 1 },
      ],
      "expected signatures that differ, found int.a(string) twice",
    ],
  ])("are refused with %s", (_what, declared, message) => {
    expect(() => functionsLibrary("mine", declared)).toThrow(new TypeError(message))
  })
})
