import { describe, expect, it } from "vitest"
import {
  type CompileErrors,
  compile,
  Environment,
  newestStringsLibrary,
  optionalsLibrary,
  Program,
  setsLibrary,
  standardLibrary,
  twoVariableComprehensions,
} from "./index.ts"
import { patternCompiler } from "./kubernetes/index.ts"
import { type ConformanceCase, conformanceCases, typeFromWire, valueFromWire } from "./testing/conformance-cases.ts"
import { equal } from "./values/equality.ts"
import type { Value } from "./values/value.ts"

/** The files of cel-spec whose cases concern the language itself; every case of `dynamic` makes a message of protocol buffers. */
const files = [
  "basic",
  "comparisons",
  "conversions",
  "fields",
  "fp_math",
  "integer_math",
  "lists",
  "logic",
  "macros",
  "macros2",
  "namespace",
  "optionals",
  "parse",
  "plumbing",
  "string",
  "string_ext",
  "timestamps",
  "type_deductions",
]

/** Cases that do not apply, and why. */
const skips: readonly { readonly reason: string; applies(test: ConformanceCase): boolean }[] = [
  {
    reason: "protocol buffer messages are not part of this package",
    applies: ({ expr, typeEnv = [], container = "" }) =>
      /TestAllTypes|google\.protobuf|cel\.expr\.conformance|GlobalEnum|proto2|proto3|NestedEnum/.test(expr) ||
      container === "google.protobuf" ||
      typeEnv.some(({ ident }) => ident !== undefined && typeFromWire(ident.type) === undefined),
  },
  { reason: "functions of the test's own", applies: ({ typeEnv = [] }) => typeEnv.some((declared) => declared.function !== undefined) },
  {
    reason: "an expression that the checker refuses is never evaluated",
    applies: ({ disableCheck, suite, expr, name }) =>
      disableCheck === true &&
      (name === "unbound_is_runtime_error" ||
        suite === "parse/receiver_function_names" ||
        /^(?:\['one'\] == \[2, 3\]|1\.0 == 1|\[1\] == \[1\.0\]|2u != 2|true \? 'cows' : 17|false && 32|'horses' && false|true \|\| 32|'horses' \|\| true)$/.test(
          expr,
        )),
  },
  {
    reason: "cel-go 0.26 returns -1 for an offset beyond the end",
    applies: ({ suite, name }) => suite === "string_ext/value_errors" && name.endsWith("indexof_out_of_range"),
  },
  {
    reason: "cel-go 0.26 deduces null",
    applies: ({ name }) => name === "null_assignable_to_abstract_parameter_candidate",
  },
]

const environment = new Environment({
  libraries: [standardLibrary(patternCompiler()), newestStringsLibrary, setsLibrary, optionalsLibrary, twoVariableComprehensions],
  quotedFields: true,
})

const cases = conformanceCases(files).map((test) => ({ test, skip: skips.find(({ applies }) => applies(test))?.reason }))

describe("cel-spec", () => {
  for (const file of files) {
    const own = cases.filter(({ test, skip }) => skip === undefined && test.suite.split("/")[0] === file)
    it(`passes ${file}`, () => {
      expect(
        own.map(({ test }) => [test.suite, test.name, test.expr, outcomeOf(test)]).filter(([, , , outcome]) => outcome !== "passes"),
      ).toEqual([])
      expect(own.length).toBeGreaterThan(0)
    })
  }

  it("leaves out what is listed, and no more", () => {
    expect(cases.filter(({ skip }) => skip === undefined).length).toBeGreaterThanOrEqual(1379)
    expect(skips.every(({ applies }) => cases.some(({ test }) => applies(test)))).toBe(true)
  })
})

/** Returns "passes", or what differs. */
function outcomeOf(test: ConformanceCase): string {
  // A variable that no expression can name is refused: upstream declares one to show that the literal is not hidden by it.
  const declared = (test.typeEnv ?? []).filter(({ name }) => !/^(?:false|in|null|true)$/.test(name))
  const variables = Object.fromEntries(declared.map(({ name, ident }) => [name, typeFromWire(ident?.type) ?? expect.fail(name)]))
  const program = compile(test.expr, environment.extend({ variables, ...(test.container && { container: test.container }) }))
  if (!(program instanceof Program)) return test.evalError ? "passes" : (program as CompileErrors).message
  const deduced = typeFromWire(test.typedResult?.deducedType)
  if (test.typedResult?.deducedType && deduced?.toString() !== program.outputType.toString()) return `has type ${program.outputType}`
  return test.checkOnly ? "passes" : evaluationOf(test, program)
}

function evaluationOf(test: ConformanceCase, program: Program): string {
  const bindings = Object.entries(test.bindings ?? {}).map(([name, { value = {} }]) => [name, valueFromWire(value)])
  const evaluation = program.evaluate(Object.fromEntries(bindings))
  if (test.evalError) return evaluation.kind === "error" ? "passes" : "succeeds"
  if (evaluation.kind === "error") return evaluation.message
  const wire = test.value ?? test.typedResult?.result ?? { boolValue: true }
  return isSame(evaluation.value, valueFromWire(wire) ?? null) ? "passes" : String(evaluation.value)
}

function isSame(value: Value, wanted: Value): boolean {
  return equal(value, wanted) || (Number.isNaN(value) && Number.isNaN(wanted))
}
