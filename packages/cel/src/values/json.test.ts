import { describe, expect, it } from "vitest"
import {
  compile,
  Environment,
  jsonOf,
  Optional,
  optionalsLibrary,
  optionalType,
  Program,
  standardLibrary,
  stringType,
  Uint,
} from "../index.ts"
import { kubernetesEnvironment } from "../kubernetes/index.ts"

const environment = new Environment({ libraries: [standardLibrary(), optionalsLibrary], variables: { o: optionalType(stringType) } })

function resultOf(expression: string, base = environment) {
  const program = compile(expression, base)
  if (!(program instanceof Program)) throw new Error(program.message)
  const evaluation = program.evaluate({ o: Optional.none })
  if (evaluation.kind === "error") throw new Error(evaluation.message)
  return evaluation.value
}

describe("the JSON of a result", () => {
  it.each([
    ["{'a': 1, 'b': [1.0, 2u]}", '{"a":1,"b":[1,2]}'],
    ["{1: 'int', 2u: 'uint', true: 'bool'}", '{"1":"int","2":"uint","true":"bool"}'],
    ["{'__proto__': 1}", '{"__proto__":1}'],
    ["9007199254740991", "9007199254740991"],
    ["9007199254740992", '"9007199254740992"'],
    ["-9223372036854775807", '"-9223372036854775807"'],
    ["18446744073709551615u", '"18446744073709551615"'],
    ["0.0 / 0.0", '"NaN"'],
    ["-1.0 / 0.0", '"-Infinity"'],
    ["[duration('1h30m'), duration('1500ms')]", '["5400s","1.5s"]'],
    ["timestamp('2024-05-06T07:08:09.5+02:00')", '"2024-05-06T07:08:09.5+02:00"'],
    ["b'\\xff\\x00'", '"/wA="'],
    ["[o, optional.of('x')]", '[null,"x"]'],
    ["{'n': null}", '{"n":null}'],
  ])("%s is %s", (expression, text) => {
    expect(JSON.stringify(jsonOf(resultOf(expression)))).toBe(text)
  })

  it("is what JSON.stringify writes of values itself, except bytes and bigints", () => {
    const value = resultOf("{'a': {1u: 2u}, 'b': [1.0, duration('1s')], 'c': timestamp(0), 'd': o}")
    expect(JSON.parse(JSON.stringify(value))).toEqual(jsonOf(value))
    expect(JSON.stringify(new Uint(2n ** 60n))).toBe('"1152921504606846976"')
  })

  it("is refused for a value that only its library knows", () => {
    const message = "expected a value that JSON can hold, found one of type kubernetes.Quantity"
    expect(() => jsonOf(resultOf("[quantity('1Gi')]", kubernetesEnvironment()))).toThrow(new TypeError(message))
  })
})

it("refuses to write a small value whose parts are used more than a million times", () => {
  const doubled = resultOf(`[1]${".map(x, [x, x])".repeat(30)}`, kubernetesEnvironment())
  expect(() => jsonOf(doubled)).toThrow("expected a value of at most 1000000 parts, found more")
})
