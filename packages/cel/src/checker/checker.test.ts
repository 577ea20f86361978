import { describe, expect, it } from "vitest"
import { type CompileErrors, compile, Environment, optionalsLibrary, Program, standardLibrary } from "../index.ts"
import { dynType, intType, listType, mapType, objectType, stringType } from "../types/types.ts"

const environment = new Environment({
  libraries: [standardLibrary(), optionalsLibrary],
  homogeneousLiterals: true,
  variables: {
    count: intType,
    name: stringType,
    names: listType(stringType),
    labels: mapType(stringType, stringType),
    anything: dynType,
    pod: objectType("Pod"),
  },
  objectTypes: [
    {
      name: "Pod",
      fields: new Map([
        ["name", { type: stringType }],
        ["ports", { type: listType(intType) }],
      ]),
    },
  ],
})

/** Expressions, and how cel-go reports their faults. */
const faults: readonly (readonly [expression: string, report: string])[] = [
  ["missing", "ERROR: <input>:1:1: undeclared reference to 'missing' (in container '')\n | missing\n | ^"],
  ["missing(1)", "ERROR: <input>:1:8: undeclared reference to 'missing' (in container '')\n | missing(1)\n | .......^"],
  ["count + name", "ERROR: <input>:1:7: found no matching overload for '_+_' applied to '(int, string)'\n | count + name\n | ......^"],
  ["name > 1", "ERROR: <input>:1:6: found no matching overload for '_>_' applied to '(string, int)'\n | name > 1\n | .....^"],
  ["count.size()", "ERROR: <input>:1:11: found no matching overload for 'size' applied to 'int.()'\n | count.size()\n | ..........^"],
  [
    "[1].existsOne(x, true)",
    "ERROR: <input>:1:14: undeclared reference to 'existsOne' (in container '')\n | [1].existsOne(x, true)\n | .............^\nERROR: <input>:1:15: undeclared reference to 'x' (in container '')\n | [1].existsOne(x, true)\n | ..............^",
  ],
  [".size(count)", "ERROR: <input>:1:6: found no matching overload for 'size' applied to '(int)'\n | .size(count)\n | .....^"],
  ["!count", "ERROR: <input>:1:1: found no matching overload for '!_' applied to '(int)'\n | !count\n | ^"],
  ["count in count", "ERROR: <input>:1:7: found no matching overload for '@in' applied to '(int, int)'\n | count in count\n | ......^"],
  ["pod.z", "ERROR: <input>:1:4: undefined field 'z'\n | pod.z\n | ...^"],
  ["count.z", "ERROR: <input>:1:6: type 'int' does not support field selection\n | count.z\n | .....^"],
  ["count && true", "ERROR: <input>:1:1: expected type 'bool' but found 'int'\n | count && true\n | ^"],
  ["[1, 'a']", "ERROR: <input>:1:5: expected type 'int' but found 'string'\n | [1, 'a']\n | ....^"],
  ["{'a': 1, 'b': 'c'}", "ERROR: <input>:1:15: expected type 'int' but found 'string'\n | {'a': 1, 'b': 'c'}\n | ..............^"],
  [
    "count.all(x, true)",
    "ERROR: <input>:1:1: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)\n | count.all(x, true)\n | ^",
  ],
  ["names.map(count + 1, 2)", "ERROR: <input>:1:17: argument is not an identifier\n | names.map(count + 1, 2)\n | ................^"],
  ["has(count)", "ERROR: <input>:1:5: invalid argument to has() macro\n | has(count)\n | ....^"],
  [
    "timestamp(0) + timestamp(0)",
    "ERROR: <input>:1:14: found no matching overload for '_+_' applied to '(timestamp, timestamp)'\n | timestamp(0) + timestamp(0)\n | .............^",
  ],
  [
    "Pod{name: 1}",
    "ERROR: <input>:1:9: expected type of field 'name' is 'string' but provided type is 'int'\n | Pod{name: 1}\n | ........^",
  ],
  ["Pod{other: 1}", "ERROR: <input>:1:10: undefined field 'other'\n | Pod{other: 1}\n | .........^"],
  ["[?1]", "ERROR: <input>:1:3: expected type 'optional_type(int)' but found 'int'\n | [?1]\n | ..^"],
  ["'é' + 1", "ERROR: <input>:1:5: found no matching overload for '_+_' applied to '(string, int)'\n | 'é' + 1\n | .．..^"],
  [
    "true ?\n  1 : 'a'",
    "ERROR: <input>:1:6: found no matching overload for '_?_:_' applied to '(bool, int, string)'\n | true ?\n | .....^",
  ],
  ["for", "ERROR: <input>:1:1: reserved identifier: for\n | for\n | ^"],
  ["9223372036854775808", "ERROR: <input>:1:1: invalid int literal\n | 9223372036854775808\n | ^"],
  ["a ~ b", "ERROR: <input>:1:3: Syntax error: token recognition error at: '~'\n | a ~ b\n | ..^"],
  ["a. ", "ERROR: <input>:1:4: Syntax error: no viable alternative at input '. '\n | a. \n | ...^"],
  ["(1", "ERROR: <input>:1:3: Syntax error: missing ')' at '<EOF>'\n | (1\n | ..^"],
  ["1 2", "ERROR: <input>:1:3: Syntax error: extraneous input '2' expecting <EOF>\n | 1 2\n | ..^"],
  ["'abc", "ERROR: <input>:1:1: Syntax error: token recognition error at: ''abc'\n | 'abc\n | ^"],
  ["1 = 2", "ERROR: <input>:1:3: Syntax error: token recognition error at: '= '\n | 1 = 2\n | ..^"],
]

describe("check", () => {
  it.each(faults)("reports %j", (expression, report) => {
    const errors = compile(expression, environment) as CompileErrors
    expect(errors.message.startsWith(report) ? report : errors.message).toBe(report)
  })

  it("lists several faults in the order of their places", () => {
    const { issues } = compile("missing1 + missing2", environment) as CompileErrors
    expect(issues.map(({ message, location }) => [location.column, message.slice(0, 32)])).toEqual([
      [0, "undeclared reference to 'missing"],
      [11, "undeclared reference to 'missing"],
    ])
  })

  /** Expressions and the types that cel-go deduces. */
  it.each([
    ["count + 1", "int"],
    ["names.map(x, size(x))", "list(int)"],
    ["labels.filter(k, k != '')", "list(string)"],
    ["[]", "list(dyn)"],
    ["{}", "map(dyn, dyn)"],
    ["[[], [1]]", "list(list(int))"],
    ["anything.field[0]", "dyn"],
    ["anything + 1", "int"],
    ["dyn(1) + dyn(2)", "dyn"],
    ["pod.?ports[0]", "optional_type(int)"],
    ["labels[?'a'].orValue('b')", "string"],
    ["type(1)", "type(int)"],
    ["duration('1s')", "duration"],
    ["null", "null"],
    ["has(pod.name)", "bool"],
    ["optional.none()", "optional_type(dyn)"],
  ])("deduces the type of %s", (expression, type) => {
    const program = compile(expression, environment) as Program
    expect(program.outputType?.toString()).toBe(type)
  })

  it("refuses what nests too deeply, in any form, and accepts what does not", () => {
    const nested = (depth: number, open: string, close: string) => `${open.repeat(depth)}1${close.repeat(depth)}`
    const sums = (count: number) => Array.from({ length: count }, () => "1").join(" + ")
    const outcome = (expression: string) => {
      const program = compile(expression, environment)
      return program instanceof Program ? "accepted" : program.message
    }
    const nesting = "ERROR: <input>:-1:0: expression recursion limit exceeded: 250"
    const height = "ERROR: <input>:-1:0: max recursion depth exceeded"
    expect([nested(249, "(", ")"), nested(250, "(", ")"), nested(250, "[", "]")].map(outcome)).toEqual(["accepted", nesting, nesting])
    expect([sums(251), sums(252), `anything${".a".repeat(250)}`, `anything${".a".repeat(251)}`].map(outcome)).toEqual([
      "accepted",
      height,
      "accepted",
      height,
    ])
    expect([nested(124, "1 + (", ")"), nested(126, "1 + (", ")")].map(outcome)).toEqual(["accepted", nesting])
  })

  it("checks many literals without items in linear time", () => {
    // Each has a type variable of its own; a copy of all of them for each took 41 s.
    const program = compile(`[${"[], ".repeat(24_000)}[]].size() == 24001`, environment) as Program
    expect(program.evaluate({})).toMatchObject({ value: true })
  })

  it("refuses types that double with each link of a chain", () => {
    const { message } = compile(`[1]${".map(x, {x: x})".repeat(40)}.size() == 1`, environment) as CompileErrors
    expect(message).toBe("ERROR: <input>:-1:0: types of the expression are too large: limit 10000 parts")
    expect(compile(`[1]${".map(x, {x: x})".repeat(8)}.size() == 1`, environment)).toBeInstanceOf(Program)
  })

  it("refuses an expression of more than 100,000 characters", () => {
    const { message } = compile(`'${"x".repeat(100_000)}'`, environment) as CompileErrors
    expect(message).toBe("ERROR: <input>:-1:0: expression code point size exceeds limit: size: 100002, limit 100000")
  })
})
