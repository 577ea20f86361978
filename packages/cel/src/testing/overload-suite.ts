import { describe, expect, it } from "vitest"
import { check } from "../checker/checker.ts"
import { compile } from "../compile.ts"
import type { Environment, Library } from "../environment/environment.ts"
import { type Activation, Program } from "../program.ts"
import { inspectExpressions } from "../syntax/expressions-in.ts"
import { parse } from "../syntax/parser.ts"
import { Issues, Source } from "../syntax/source.ts"

/** Defines the tests that every library's rows pass: complete, with an example that holds and a failure in upstream's words. */
export function describeOverloads(libraries: readonly Library[], environment: Environment, activation: Activation = {}): void {
  describe.each(libraries)("the rows of $name", ({ overloads }) => {
    it("are complete", () => {
      const incomplete = overloads.filter(
        ({ id, name, evaluate, cost, example }) =>
          id === "" ||
          name === "" ||
          example === "" ||
          !evaluate ||
          typeof cost.actual !== "function" ||
          typeof cost.estimate !== "function",
      )
      expect(incomplete).toEqual([])
      expect(new Set(overloads.map(({ id }) => id)).size).toBe(overloads.length)
    })

    it.each(overloads.map(({ id, example }) => [id, example]))("%s has an example that holds: %s", (id, example) => {
      expect(outcomeOf(example, environment, activation)).toBe(true)
      expect(overloadsIn(example, environment)).toContain(id)
    })

    const failures = overloads.flatMap(({ id, failure }) => (failure ? [{ id, expression: failure[0], message: failure[1] }] : []))

    it.each(failures)("$id fails in upstream's words: $expression", ({ id, expression, message }) => {
      expect(outcomeOf(expression, environment, activation)).toBe(message)
      expect(overloadsIn(expression, environment)).toContain(id)
    })
  })
}

/** Returns the value or the words of the error, of the compiler or of the evaluation. */
function outcomeOf(expression: string, environment: Environment, activation: Activation): unknown {
  const program = compile(expression, environment)
  if (!(program instanceof Program)) return program.message
  const evaluation = program.evaluate(activation)
  return evaluation.kind === "value" ? evaluation.value : evaluation.message
}

function overloadsIn(expression: string, environment: Environment): string[] {
  const source = new Source(expression)
  const issues = new Issues(source)
  const tree = parse(source, environment, issues)
  if (!tree) return []
  const checked = check(tree, environment, issues)
  const ids: string[] = []
  inspectExpressions(tree, issues, (node) => {
    const reference = checked.reference(node)
    if (reference?.kind === "overloads") ids.push(...reference.overloads.map(({ id }) => id))
    return true
  })
  return ids
}
