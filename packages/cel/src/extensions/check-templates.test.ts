import { describe, expect, it } from "vitest"
import { type CompileErrors, compile, Program } from "../index.ts"
import { kubernetesEnvironment } from "../kubernetes/index.ts"
import { dynType, intType, listType, stringType } from "../types/types.ts"

const environment = kubernetesEnvironment().extend({
  variables: { n: intType, s: stringType, names: listType(stringType), anything: dynType },
})

/** Calls of `format`, and what is said of them with its column. */
const refused: readonly (readonly [expression: string, column: number, message: string])[] = [
  ["'%d'.format([s])", 14, "error during formatting: decimal clause can only be used on integers, was given string"],
  ["'%s %d'.format([s, 1.5])", 20, "error during formatting: decimal clause can only be used on integers, was given double"],
  ["'%f'.format([n])", 14, "error during formatting: fixed-point clause can only be used on doubles, was given int"],
  ["'%.3e'.format([n])", 16, "error during formatting: scientific clause can only be used on doubles, was given int"],
  ["'%b'.format([s])", 14, "error during formatting: only integers and bools can be formatted as binary, was given string"],
  ["'%X'.format([1.0])", 14, "error during formatting: only integers, byte buffers, and strings can be formatted as hex, was given double"],
  ["'%o'.format([names])", 14, "error during formatting: octal clause can only be used on integers, was given list"],
  [
    "'%s'.format([['a', quantity('1')]])",
    28,
    "error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given kubernetes.Quantity",
  ],
  ["'%s'.format([s, n])", 12, "too many arguments supplied to string.format (expected 1, got 2)"],
  ["'%s%s'.format([s])", 14, "index 1 out of range"],
  ["'%'.format([s])", 11, "unexpected end of string"],
  ["'%'.format([])", 11, "unexpected end of string"],
  ["'%q'.format([s])", 12, 'could not parse formatting clause: unrecognized formatting clause "q"'],
  ["'%.'.format([s])", 12, "could not parse formatting clause: error while parsing precision: could not find end of precision specifier"],
  [
    "'%.x'.format([s])",
    13,
    'could not parse formatting clause: error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
  ],
]

describe("templates of format", () => {
  it.each(refused)("%s is refused before any evaluation", (expression, column, message) => {
    const { issues } = compile(expression, environment) as CompileErrors
    expect(issues).toEqual([{ message, location: { line: 1, column: column - 1 } }])
  })

  it.each([
    "'%d %s %%'.format([n, names]) == ''",
    "'%d %f %b'.format([anything, 'NaN', true]) == ''",
    "s.format([1, 'a']) == ''",
    "'%d'.format(names) == ''",
    "'%s'.format([[1, 'a', {'b': 2.5}]]) == ''",
  ])("%s is accepted", (expression) => {
    expect(compile(expression, environment)).toBeInstanceOf(Program)
  })

  it("reports all faults of literals together", () => {
    const { issues } = compile(
      "'%d'.format([s]) == 'x' && duration('later') == duration('1h') && [1, 'a'] == []",
      environment,
    ) as CompileErrors
    expect(issues.map(({ message }) => message)).toEqual([
      "error during formatting: decimal clause can only be used on integers, was given string",
      "invalid duration argument",
      "expected type 'int' but found 'string'",
    ])
  })
})
