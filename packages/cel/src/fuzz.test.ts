import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { compile, dynType, intType, listType, mapType, Program, stringType, type Value } from "./index.ts"
import { kubernetesEnvironment } from "./kubernetes/index.ts"

const environment = kubernetesEnvironment().extend({
  variables: { i: intType, s: stringType, l: listType(intType), m: mapType(stringType, intType), d: dynType },
})

/** Expressions of the grammar: most are well formed, about half are well typed. */
const { expression } = fc.letrec<Record<string, string>>((tie) => {
  const inner = tie("expression")
  const binary = fc.constantFrom("+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=", "in", "&&", "||")
  const method = fc.constantFrom(
    "size",
    "all",
    "exists",
    "map",
    "filter",
    "exists_one",
    "contains",
    "startsWith",
    "matches",
    "split",
    "join",
    "sum",
    "sort",
    "replace",
    "indexOf",
    "orValue",
    "optMap",
    "transformMap",
    "transformList",
  )
  const call = fc.constantFrom(
    "size",
    "int",
    "string",
    "double",
    "type",
    "dyn",
    "bytes",
    "duration",
    "timestamp",
    "has",
    "quantity",
    "ip",
    "semver",
    "lists.range",
    "optional.of",
    "sets.contains",
  )
  return {
    expression: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      tie("leaf"),
      fc.tuple(inner, binary, inner).map(([left, operator, right]) => `${left} ${operator} ${right}`),
      fc
        .tuple(inner, method, fc.constantFrom("x", "i", "k, x"), inner)
        .map(([target, name, variable, body]) => `${target}.${name}(${variable}, ${body})`),
      fc.tuple(inner, method, fc.array(inner, { maxLength: 2 })).map(([target, name, args]) => `${target}.${name}(${args.join(", ")})`),
      fc.tuple(call, fc.array(inner, { maxLength: 2 })).map(([name, args]) => `${name}(${args.join(", ")})`),
      fc.tuple(inner, inner, inner).map(([condition, yes, no]) => `(${condition} ? ${yes} : ${no})`),
      fc.tuple(inner, inner).map(([container, index]) => `${container}[${index}]`),
      fc.array(inner, { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
      fc.tuple(inner, inner).map(([key, value]) => `{${key}: ${value}}`),
      inner.map((operand) => `(${operand})`),
      fc.tuple(fc.constantFrom("!", "-"), inner).map(([operator, operand]) => `${operator}${operand}`),
      fc.tuple(inner, fc.constantFrom("a", "?a")).map(([operand, field]) => `${operand}.${field}`),
    ),
    leaf: fc.constantFrom(
      "i",
      "s",
      "l",
      "m",
      "d",
      "x",
      "k",
      "true",
      "null",
      "1",
      "0",
      "-7",
      "2.5",
      "3u",
      "9223372036854775807",
      "'abc'",
      "'a,b'",
      "b'x'",
      "'[a-z]+'",
      "''",
      "'1h'",
    ),
  }
})

/** Texts that look like expressions only here and there. */
const noise = fc
  .array(
    fc.oneof(
      fc.string({ maxLength: 4 }),
      fc.constantFrom("(", ")", "[", "{", "}", "'", '"', "'''", "r'", "?", ".", "\\u12", "//", "in", "😀", "\n"),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(""))

const data: fc.Arbitrary<Value> = fc.jsonValue({ maxDepth: 2 }).map((value) => value as Value)

const costLimit = 20_000

/** Only where cel-go itself panics an evaluation may end with an internal error. */
function isOfJavaScript(message: string): boolean {
  return message.startsWith("internal error: ") && !/^internal error: (?:interface conversion|runtime error): /.test(message)
}

describe("any expression", () => {
  it("compiles or is refused with a place, and evaluates within its cost limit", () => {
    let evaluated = 0
    fc.assert(
      fc.property(
        fc.oneof({ weight: 5, arbitrary: expression as fc.Arbitrary<string> }, { weight: 1, arbitrary: noise }),
        data,
        (text, value) => {
          const program = compile(text, environment)
          if (!(program instanceof Program)) {
            expect(program.message).not.toBe("")
            return
          }
          const { min, max } = program.estimateCost()
          expect(min).toBeLessThanOrEqual(max)
          const evaluation = program.evaluate({ i: 3, s: "a,b", l: [3, 1, 2], m: { a: 1 }, d: value }, { costLimit })
          evaluated++
          if (evaluation.kind === "value") expect(evaluation.cost).toBeLessThanOrEqual(costLimit)
          expect(evaluation.cost).toBeGreaterThanOrEqual(0)
          const mismatch = program.evaluate({ i: value, s: value, l: [value], m: { a: value }, d: [value] }, { costLimit })
          expect(mismatch.kind === "error" && isOfJavaScript(mismatch.message) ? `${text}: ${mismatch.message}` : "").toBe("")
        },
      ),
      { numRuns: 5_000 },
    )
    expect(evaluated).toBeGreaterThan(500)
  })

  it("gives the same result each time", () => {
    fc.assert(
      fc.property(expression as fc.Arbitrary<string>, (text) => {
        const program = compile(text, environment)
        if (!(program instanceof Program)) return
        const activation = { i: 3, s: "a,b", l: [3, 1, 2], m: { a: 1 }, d: null }
        expect(program.evaluate(activation, { costLimit })).toEqual(program.evaluate(activation, { costLimit }))
      }),
      { numRuns: 1_000 },
    )
  })
})
