import { expect, it } from "vitest"
import { CompileErrors, compile, dynType, mapType, Program, stringType } from "../index.ts"
import { kubernetesEnvironment } from "../kubernetes/index.ts"

const environment = kubernetesEnvironment().extend({ variables: { n: dynType, s: dynType } })

/** Calls whose arguments have the wrong types, and what upstream says of them. */
it.each([
  ["n.find('[a-z]+') == ''", "no such overload"],
  ["n.find(s) == ''", "no such overload: find(int, string)"],
  ["n.matches('a')", "no such overload"],
  ["n.matches(s)", "no such overload: matches"],
  ["s.matches(n)", "no such overload"],
  ["n.findAll('a', 1) == []", "no such overload"],
  ["n.startsWith('a')", "no such overload"],
  ["n.trim()", "no such overload: trim(int)"],
  ["sets.contains(n, [1])", "no such overload: sets.contains(int, list)"],
  ["size(n) == 1", "no such overload: size"],
  ["n.flatten() == []", "no such overload: int.flatten()"],
  ["-dyn([1]) == 1", "no such overload: -_"],
  ["n.x", "no such key: x"],
  ["n[0]", "no such key: 0"],
  ["dyn([1]).x", "unsupported index type 'string' in list"],
  ["has(dyn([1]).x)", "unsupported index type 'string' in list"],
  ["dyn({'a': 1})[dyn(s.split(','))] == 1", "invalid qualifier type: []interface {}"],
  ["n.distinct() == []", "internal error: interface conversion: types.Int is not traits.Lister: missing method Contains"],
  ["[1].map(i, i / 0).sort() == [] || true", "internal error: interface conversion: *types.Err is not traits.Lister: missing method Add"],
  ["{bytes(s): 1}.size() == 1 || true", "internal error: runtime error: hash of unhashable type types.Bytes"],
  ["n + s == 1", "no such overload"],
  ["dyn({'a': 1}) + s == 1", "no such overload: _+_"],
  ["dyn([1]) < n", "no such overload: _<_"],
  ["s - n == 1", "no such overload"],
  ["ip('::1') == dyn({'a': 1})", "no such overload"],
  ["s.all(item, true)", "got 'types.String', expected iterable type"],
])("%s", (expression, message) => {
  const program = compile(expression, environment)
  if (!(program instanceof Program)) throw new Error(program.message)
  expect(program.evaluate({ n: 1, s: "a" })).toMatchObject({ kind: "error", message })
})

it("a map of data has no key that is no text; rules of custom resources ask for texts only", () => {
  const outcomes = [environment, environment.extend({ strictMapKeys: true })].map((one) => {
    const program = compile("dyn(1) in n", one)
    if (!(program instanceof Program)) throw new Error(program.message)
    return program.evaluate({ n: { a: 1 } })
  })
  expect(outcomes).toMatchObject([
    { value: false, cost: 2 },
    { kind: "error", message: "no such overload" },
  ])
})

it("refuses a pattern that is none before any evaluation", () => {
  expect(compile("matches(s, '(')", environment)).toMatchObject({ kind: "instantiation" })
  expect(compile("s.matches('(')", environment)).toBeInstanceOf(CompileErrors)
})

/** Upstream evaluates every item of a fold, and a test that fails replaces the error of an earlier one. */
it.each([
  ["[7, 3, -1, 0].exists_one(i, 'abc'.charAt(i) == '')", "index out of range: -1"],
  ["[7, -1].filter(i, 'abc'.charAt(i) == '') == []", "index out of range: -1"],
  ["[7, -1].map(i, 'abc'.charAt(i)) == []", "index out of range: 7"],
])("%s fails at its last faulty test, or at its first faulty item", (expression, message) => {
  const program = compile(expression, environment)
  if (!(program instanceof Program)) throw new Error(program.message)
  expect(program.evaluate({ n: 1, s: "a" })).toMatchObject({ kind: "error", message })
})

it.each([
  ["labels[?s].hasValue()", 2],
  ["dyn(s.substring(1)) == n", 4],
])("%s costs %i", (expression, cost) => {
  const program = compile(expression, environment.extend({ variables: { labels: mapType(stringType, stringType), s: stringType } }))
  if (!(program instanceof Program)) throw new Error(program.message)
  expect(program.evaluate({ labels: { a: "b" }, n: 1, s: "x" })).toEqual({ kind: "value", value: false, cost })
})

it("values that nest deeper than the stack are an error of the evaluation", () => {
  const nested = () => Array.from({ length: 200_000 }).reduce<readonly unknown[]>((inner) => [inner], []) as never
  const program = compile("n == s", environment) as Program
  expect(program.evaluate({ n: nested(), s: nested() })).toMatchObject({
    kind: "error",
    message: "internal error: Maximum call stack size exceeded",
  })
})

it("a variable that the activation lacks has no value, whatever every object has", () => {
  const program = compile("toString == 1", environment.extend({ variables: { toString: dynType } })) as Program
  expect(program.evaluate({})).toMatchObject({ kind: "error", message: "no such attribute(s): toString" })
  expect(program.evaluate({ toString: 1 })).toMatchObject({ value: true })
})
