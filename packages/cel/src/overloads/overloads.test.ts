import { describe, expect, it } from "vitest"
import { check } from "../checker/checker.ts"
import {
  compile,
  Environment,
  type Library,
  listsLibrary,
  optionalsLibrary,
  Program,
  reverseLibrary,
  setsLibrary,
  standardLibrary,
  stringsLibrary,
  twoVariableComprehensions,
} from "../index.ts"
import { parse } from "../syntax/parser.ts"
import { Issues, Source } from "../syntax/source.ts"
import { expressionsIn } from "../testing/expressions-in.ts"

const libraries: readonly Library[] = [
  standardLibrary(),
  stringsLibrary,
  reverseLibrary,
  setsLibrary,
  listsLibrary,
  optionalsLibrary,
  twoVariableComprehensions,
]
const environment = new Environment({ libraries })

describe.each(libraries)("the rows of $name", ({ overloads }) => {
  it("are complete", () => {
    const incomplete = overloads.filter(
      ({ id, name, evaluate, cost, example }) =>
        id === "" || name === "" || example === "" || !evaluate || typeof cost.actual !== "function" || typeof cost.estimate !== "function",
    )
    expect(incomplete).toEqual([])
    expect(new Set(overloads.map(({ id }) => id)).size).toBe(overloads.length)
  })

  it.each(overloads.map(({ id, example }) => [id, example]))("%s has an example that holds: %s", (id, example) => {
    expect(outcomeOf(example)).toBe(true)
    expect(overloadsIn(example)).toContain(id)
  })

  const failures = overloads.flatMap(({ id, failure }) => (failure ? [{ id, expression: failure[0], message: failure[1] }] : []))

  it.each(failures)("$id fails in upstream's words: $expression", ({ id, expression, message }) => {
    expect(outcomeOf(expression)).toBe(message)
    expect(overloadsIn(expression)).toContain(id)
  })
})

/** Returns the value or the words of the error, of the compiler or of the evaluation. */
function outcomeOf(expression: string): unknown {
  const program = compile(expression, environment)
  if (!(program instanceof Program)) return program.message
  const evaluation = program.evaluate({})
  return evaluation.kind === "value" ? evaluation.value : evaluation.message
}

function overloadsIn(expression: string): string[] {
  const source = new Source(expression)
  const issues = new Issues(source)
  const tree = parse(source, environment, issues)
  if (!tree) return []
  const checked = check(tree, environment, issues)
  return expressionsIn(tree).flatMap((node) => {
    const reference = checked.reference(node)
    return reference?.kind === "overloads" ? reference.overloads.map(({ id }) => id) : []
  })
}
