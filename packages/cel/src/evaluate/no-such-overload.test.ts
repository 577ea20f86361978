import { expect, it } from "vitest"
import { CompileErrors, compile, dynType, Program } from "../index.ts"
import { kubernetesEnvironment } from "../kubernetes/index.ts"

const environment = kubernetesEnvironment().extend({ variables: { n: dynType, s: dynType } })

/** Calls whose arguments have the wrong types, and what upstream says of them. */
it.each([
  ["n.find('[a-z]+') == ''", "no such overload"],
  ["n.find(s) == ''", "no such overload: find(int, string)"],
  ["n.matches('a')", "no such overload"],
  ["n.matches(s)", "no such overload: matches(int, string)"],
  ["n.findAll('a', 1) == []", "no such overload"],
  ["n.startsWith('a')", "no such overload: startsWith(int, string)"],
  ["n + s == 1", "no such overload"],
])("%s", (expression, message) => {
  const program = compile(expression, environment)
  if (!(program instanceof Program)) throw new Error(program.message)
  expect(program.evaluate({ n: 1, s: "a" })).toMatchObject({ kind: "error", message })
})

it("refuses a pattern that is none before any evaluation", () => {
  expect(compile("matches(s, '(')", environment)).toMatchObject({ kind: "instantiation" })
  expect(compile("s.matches('(')", environment)).toBeInstanceOf(CompileErrors)
})
