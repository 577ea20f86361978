import { describe, expect, it } from "vitest"
import { compile, dynType, Program, stringType } from "../../index.ts"
import { kubernetesEnvironment } from "./kubernetes-environment.ts"

const environment = kubernetesEnvironment().extend({ variables: { s: stringType, d: dynType } })
const long = "a".repeat(3_000_000)
const keys = Object.fromEntries(Array.from({ length: 100_000 }, (_unused, index) => [`k${index}`, index]))
const words = Object.keys(keys).slice(0, 20_000).sort()
/** A tenth of the limit of rules: the tests are to be quick. */
const costLimit = 100_000
const overLimit = "operation cancelled: actual cost limit exceeded"

function evaluate(expression: string, activation: Record<string, string | object>) {
  const program = compile(expression, environment)
  if (!(program instanceof Program)) throw new Error(program.message)
  const start = process.cpuUsage()
  const evaluation = program.evaluate(activation as never, { costLimit })
  const { user } = process.cpuUsage(start)
  return { ...evaluation, seconds: user / 1e6 }
}

/** A test that reads what the request has, for each item of a long list: cel-go's cost is that of short texts and of known types, and ends some of these after hours. */
describe("calls of one unit that read a long text many times end at the cost limit", () => {
  it.each([
    ["size(s) > 0", long],
    ["!isURL(s)", long],
    ["s.charAt(1) == 'a'", long],
    ["int(s) == 1 || true", "9".repeat(3_000_000)],
    ["duration(s) == duration('1s') || true", `${"9".repeat(3_000_000)}s`],
    ["s in [s + 'a', 'a' + s] || true", long],
    ["size(d) > 0", keys],
    ["d.exists(k, true)", keys],
    ["s.charAt(399999) != ''", "😀".repeat(400_000)],
    ["s.findAll('').size() > 0", "a".repeat(1000)],
    ["isURL('http://h/' + s)", "é".repeat(100_000)],
    ["url('/?' + s).getQuery().size() > 0", "k=v&".repeat(5000)],
    ["url(s).getEscapedPath() != ''", `/${"é".repeat(5000)}`],
    ["duration(s).getHours() >= 0", "1h1m1s1ms1us1ns".repeat(200)],
    ["timestamp(i).getHours('Nowhere/' + string(i)) >= 0 || true", ""],
    ["d.sort().size() > 0", words],
    ["d.isSorted() && d.max() != ''", words],
    ["!('' in d)", words],
    ["d.indexOf('b') == -1", long],
    ["d.substring(9) != ''", "😀".repeat(100_000)],
  ])("%s", (test, value) => {
    const { seconds, ...evaluation } = evaluate(`lists.range(50000).all(i, ${test})`, { s: value, d: value })
    expect(evaluation).toMatchObject({ kind: "error", message: overLimit, costLimitExceeded: true })
    expect(seconds).toBeLessThan(2)
  })
})

it("counts nothing of what texts of usual sizes are read for", () => {
  const bindings = { s: "a".repeat(30_000), d: { a: 1 } }
  expect(evaluate("lists.range(1000).all(i, size(s) == 30000 && size(d) == 1)", bindings)).toMatchObject({ value: true, cost: 10_012 })
})

it("counts the instructions of a pattern that is data, and not those of a constant", () => {
  const test = (pattern: string) => evaluate(`lists.range(1000).all(i, s.matches(${pattern}))`, { s: "a", d: "^[a-z]{1,1000}$" })
  expect(test("d")).toMatchObject({ kind: "error", message: overLimit })
  expect(test("'^[a-z]{1,1000}$'")).toMatchObject({ value: true, cost: 9012 })
})

describe("a match takes a step for each instruction of its pattern at each character", () => {
  const large = "[ab].{900}$"
  it.each([
    ["matches(s, d)", large],
    [`matches(s, '${large}')`, ""],
    ["s.matches(d)", large],
    [`s.matches('${large}')`, ""],
    ["s.find(d) == ''", large],
    [`s.find('${large}') == ''`, ""],
    [`s.findAll('${large}', 1).size() >= 0`, ""],
  ])("%s with a pattern of 904 instructions ends at the cost limit", (test, d) => {
    const evaluation = evaluate(`lists.range(4).all(i, ${test} || true)`, { s: "ab".repeat(7000), d })
    expect(evaluation).toMatchObject({ kind: "error", message: overLimit, costLimitExceeded: true })
  })

  it("costs what it does upstream for names", () => {
    const name = "'^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'"
    const cost = (test: string) => evaluate(`lists.range(1000).all(i, ${test})`, { s: "a".repeat(63), d: "" })
    expect(cost(`matches(s, ${name})`)).toMatchObject({ value: true, cost: 6012 })
    expect(cost(`s.matches(${name})`)).toMatchObject({ value: true, cost: 61_012 })
    expect(cost(`s.find(${name}) == s`)).toMatchObject({ value: true, cost: 69_012 })
  })
})

it("a part that almost occurs everywhere is looked for in linear time", () => {
  const part = `${"a".repeat(200_000)}b${"a".repeat(200_000)}`
  const { seconds, ...evaluation } = evaluate("s.indexOf(d) == -1", { s: "a".repeat(800_000), d: part })
  expect(evaluation).toMatchObject({ kind: "value", value: true })
  expect(seconds).toBeLessThan(1)
})
