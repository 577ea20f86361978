import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Overload } from "../environment/overload.ts"
import {
  compile,
  Double,
  Duration,
  dynType,
  type Environment,
  listsLibrary,
  MapValue,
  Optional,
  optionalsLibrary,
  Program,
  setsLibrary,
  standardLibrary,
  stringsLibrary,
  Timestamp,
  type Type,
  twoVariableComprehensions,
  Uint,
  type Value,
} from "../index.ts"
import { kubernetesEnvironment, patternCompiler } from "../kubernetes/index.ts"
import { kubernetesLibraries } from "../kubernetes/libraries/libraries.ts"

const libraries = [
  standardLibrary(patternCompiler()),
  stringsLibrary,
  setsLibrary,
  listsLibrary,
  optionalsLibrary,
  twoVariableComprehensions,
  ...kubernetesLibraries(patternCompiler()),
]
const overloads = libraries.flatMap((library) => library.overloads)
const environment = kubernetesEnvironment()

const names = ["a", "b", "c", "d", "e"]

/** Writes a call of an overload with a variable for each argument; undefined for what only macros call. */
function callOf({ name, method, parameters }: Overload): string | undefined {
  const args = names.slice(0, parameters.length)
  if (name === "@in") return "a in b"
  if (name === "_[?_]") return "a[?b]"
  if (name === "_?._" || name.startsWith("@") || name.startsWith("cel.")) return undefined
  if (name.includes("_")) {
    let next = 0
    const text = name.replaceAll("_", () => ` ${args[next++]} `)
    if (next === args.length && !/^\w+$/.test(name)) return text
  }
  return method ? `${args[0]}.${name}(${args.slice(1).join(", ")})` : `${name}(${args.join(", ")})`
}

function known(type: Type): Type {
  return type.kind === "param" || type.parameters.some((parameter) => known(parameter) !== parameter) ? dynType : type
}

/** An overload as an expression over variables of its own types, and over variables of type dyn. */
function programsOf(overload: Overload, base: Environment): Program[] {
  const expression = callOf(overload)
  if (expression === undefined) return []
  return [known, () => dynType].flatMap((typeOf) => {
    const variables = Object.fromEntries(overload.parameters.map((parameter, index) => [names[index] as string, typeOf(parameter)]))
    const program = compile(expression, base.extend({ variables }))
    return program instanceof Program ? [program] : []
  })
}

const map = new MapValue()
map.set(1, "x")

const oddities: readonly unknown[] = [
  undefined,
  null,
  "",
  "x",
  "5",
  "1h",
  "2024-01-01T00:00:00Z",
  -1,
  -0,
  1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  2 ** 53,
  2 ** 70,
  5n,
  2n ** 63n,
  2n ** 70n,
  true,
  new Date(0),
  new Date(Number.NaN),
  new Map([[1, "x"]]),
  new Set([1]),
  /x/,
  Promise.resolve(),
  Object.create(null),
  () => 1,
  Symbol("x"),
  new Uint(5n),
  new Uint(2n ** 70n),
  new Double(1),
  new Uint8Array([255]),
  new Duration(1n),
  Timestamp.of(0, 0),
  Optional.none,
  new Optional("x"),
  map,
  dynType,
  [undefined],
  [[1], "x"],
  [() => 1],
  { toString: null },
  { valueOf: 1, length: "x" },
]

const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...oddities) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  { weight: 1, arbitrary: fc.array(fc.constantFrom(...oddities), { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.dictionary(fc.string({ maxLength: 2 }), fc.constantFrom(...oddities), { maxKeys: 2 }) },
)

/** The two places where cel-go itself panics. */
const panics = /^internal error: (?:interface conversion|runtime error): /

describe("values of any types", () => {
  const programs = overloads.flatMap((overload) => programsOf(overload, environment).map((program) => ({ id: overload.id, program })))

  it("reach most overloads", () => {
    expect(new Set(programs.map(({ id }) => id)).size).toBeGreaterThan(overloads.length * 0.8)
  })

  it("end evaluations with a value or an error, and never with one of JavaScript", () => {
    const failures = new Map<string, unknown>()
    fc.assert(
      fc.property(fc.tuple(value, value, value, value, value), ([a, b, c, d, e]) => {
        for (const { id, program } of programs) {
          const evaluation = program.evaluate({ a, b, c, d, e } as Record<string, Value>, { costLimit: 1_000_000 })
          if (evaluation.kind !== "error" || !evaluation.message.startsWith("internal error: ") || panics.test(evaluation.message)) continue
          failures.set(`${id}: ${evaluation.message}`, [program.uses("c"), a, b, c])
        }
      }),
      { numRuns: 200 },
    )
    expect([...failures]).toEqual([])
  })
})
