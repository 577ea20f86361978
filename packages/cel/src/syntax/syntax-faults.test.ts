import { describe, expect, it } from "vitest"
import { CompileErrors, compile, Environment, optionalsLibrary, standardLibrary } from "../index.ts"

const environment = new Environment({ libraries: [standardLibrary(), optionalsLibrary], quotedFields: true })

/** What an operand can begin with. */
const operand = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"

/** Texts, and every fault that cel-go 0.26 reports of them. */
const faults: readonly (readonly [text: string, reports: readonly string[]])[] = [
  ["", [`1:0: Syntax error: mismatched input '<EOF>' expecting ${operand}`]],
  ["1 +", [`1:4: Syntax error: mismatched input '<EOF>' expecting ${operand}`]],
  ["1 2", ["1:3: Syntax error: extraneous input '2' expecting <EOF>"]],
  ["a.", ["1:3: Syntax error: no viable alternative at input '.'"]],
  ["a.true", ["1:3: Syntax error: mismatched input 'true' expecting IDENTIFIER"]],
  ["a..b", ["1:3: Syntax error: no viable alternative at input '..'"]],
  ["a.?", ["1:4: Syntax error: mismatched input '<EOF>' expecting {IDENTIFIER, ESC_IDENTIFIER}", "1:4: unsupported ident kind"]],
  ["a.?(", ["1:4: Syntax error: mismatched input '(' expecting {IDENTIFIER, ESC_IDENTIFIER}", "1:4: unsupported ident kind"]],
  ["(1", ["1:3: Syntax error: missing ')' at '<EOF>'"]],
  ["[1, 2", ["1:6: Syntax error: mismatched input '<EOF>' expecting {']', ','}"]],
  ["[1,", ["1:4: Syntax error: missing ']' at '<EOF>'"]],
  ["[, 2]", ["1:4: Syntax error: extraneous input '2' expecting ']'"]],
  ["{'a': 1", ["1:8: Syntax error: mismatched input '<EOF>' expecting {'}', ','}"]],
  ["{'a' 1}", ["1:6: Syntax error: missing ':' at '1'"]],
  ["f(1 2)", ["1:5: Syntax error: extraneous input '2' expecting ')'"]],
  ["f(g(1)", ["1:7: Syntax error: missing ')' at '<EOF>'"]],
  ["a ? b", ["1:6: Syntax error: mismatched input '<EOF>' expecting ':'"]],
  [
    "a ? : b",
    [`1:5: Syntax error: extraneous input ':' expecting ${operand}`, "1:8: Syntax error: mismatched input '<EOF>' expecting ':'"],
  ],
  ["for + while", ["1:1: reserved identifier: for", "1:7: reserved identifier: while"]],
  ["'open", ["1:1: Syntax error: token recognition error at: ''open'", `1:6: Syntax error: mismatched input '<EOF>' expecting ${operand}`]],
  ["a && || b", [`1:6: Syntax error: extraneous input '||' expecting ${operand}`]],
  ["!-b'x'", ["1:3: Syntax error: no viable alternative at input '-b'x''"]],
  ["!-a", ["1:3: Syntax error: no viable alternative at input '-a'"]],
  ["-!", ["1:2: Syntax error: no viable alternative at input '-!'", `1:3: Syntax error: extraneous input '<EOF>' expecting ${operand}`]],
  ["--", ["1:3: Syntax error: no viable alternative at input '-'", `1:3: Syntax error: mismatched input '<EOF>' expecting ${operand}`]],
  ["f(--)", ["1:5: Syntax error: no viable alternative at input '-)'", `1:5: Syntax error: mismatched input ')' expecting ${operand}`]],
  ["1 + + 2", [`1:5: Syntax error: extraneous input '+' expecting ${operand}`]],
  ["a = b", ["1:3: Syntax error: token recognition error at: '= '", "1:5: Syntax error: extraneous input 'b' expecting <EOF>"]],
  ["a & b", ["1:3: Syntax error: token recognition error at: '& '", "1:5: Syntax error: extraneous input 'b' expecting <EOF>"]],
  ["x `y", ["1:3: Syntax error: token recognition error at: '`y'"]],
  [
    "a\n  .b(\n  +",
    [
      "3:3: Syntax error: mismatched input '+' expecting {'[', '{', '(', ')', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
      `3:4: Syntax error: mismatched input '<EOF>' expecting ${operand}`,
    ],
  ],
  ["has(a.b", ["1:8: Syntax error: missing ')' at '<EOF>'"]],
  ["T{a: 1, b}", ["1:10: Syntax error: mismatched input '}' expecting ':'"]],
  ["[?a, ?]", [`1:7: Syntax error: mismatched input ']' expecting ${operand}`]],
  ["))", [`1:1: Syntax error: mismatched input ')' expecting ${operand}`]],
  ["f(a, )", [`1:6: Syntax error: mismatched input ')' expecting ${operand}`]],
  ["'127.\\0.1'", ["1:1: Syntax error: token recognition error at: ''127.\\0.'", "1:10: Syntax error: token recognition error at: '''"]],
  ["a.in", ["1:3: Syntax error: no viable alternative at input '.in'", `1:5: Syntax error: mismatched input '<EOF>' expecting ${operand}`]],
  ["1 2 3 4", ["1:3: Syntax error: mismatched input '2' expecting <EOF>"]],
  ["a.\\ b", ["1:3: Syntax error: token recognition error at: '\\'"]],
  ["a[?]", [`1:4: Syntax error: mismatched input ']' expecting ${operand}`]],
  ["a[1", ["1:4: Syntax error: missing ']' at '<EOF>'"]],
  [
    "a[",
    [
      "1:3: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
  ],
  ["1 ? 2 : 3 : 4", ["1:11: Syntax error: mismatched input ':' expecting <EOF>"]],
  [
    "f(,)",
    [
      "1:3: Syntax error: extraneous input ',' expecting {'[', '{', '(', ')', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
  ],
  [
    "f(,1)",
    [
      "1:3: Syntax error: extraneous input ',' expecting {'[', '{', '(', ')', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
  ],
  [
    "{:}",
    [
      "1:2: Syntax error: extraneous input ':' expecting {'[', '{', '}', '(', '.', ',', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
  ],
  ["{a}", ["1:3: Syntax error: mismatched input '}' expecting ':'"]],
  ["{a:}", [`1:4: Syntax error: mismatched input '}' expecting ${operand}`]],
  ["T{a}", ["1:4: Syntax error: mismatched input '}' expecting ':'"]],
  ["true.a.b c", ["1:10: Syntax error: extraneous input 'c' expecting <EOF>"]],
  ["b'a", ["1:2: Syntax error: token recognition error at: ''a'"]],
  ["r'a", ["1:2: Syntax error: token recognition error at: ''a'"]],
  ["0x", ["1:2: Syntax error: extraneous input 'x' expecting <EOF>"]],
  ["1u2", ["1:3: Syntax error: extraneous input '2' expecting <EOF>"]],
  [".for", ["1:1: reserved identifier: for"]],
  ["99999999999999999999 + 1e999", ["1:1: invalid int literal", "1:24: invalid double literal"]],
  [
    "[1].all(1 + 2, x) + [2].all(3, x) - 1 2",
    [
      "1:11: argument must be a simple name",
      "1:29: argument must be a simple name",
      "1:39: Syntax error: extraneous input '2' expecting <EOF>",
    ],
  ],
  [
    "has(has(s)",
    ["1:9: invalid argument to has() macro", "1:9: invalid argument to has() macro", "1:11: Syntax error: missing ')' at '<EOF>'"],
  ],
  ["for(1 +", ["1:1: reserved identifier: for", `1:8: Syntax error: mismatched input '<EOF>' expecting ${operand}`]],
  ["T{?a: 1, ?}", ["1:11: Syntax error: mismatched input '}' expecting {IDENTIFIER, ESC_IDENTIFIER}"]],
]

describe("faults of the syntax", () => {
  it.each(faults)("%j", (text, reports) => {
    const program = compile(text, environment)
    if (!(program instanceof CompileErrors)) throw new Error("expected faults, found a program")
    const heads = program.message.split("\n").filter((line) => line.startsWith("ERROR: "))
    expect(heads.map((line) => line.slice("ERROR: <input>:".length))).toEqual(reports)
  })

  it("are found within bounds, however long the text is", () => {
    const texts = ["(".repeat(245), "f(", ") ( ", "[1,", "{1:", "? : ", "!-", "a`b ", "1 2 "].map((part) =>
      part.repeat(90_000 / part.length),
    )
    for (const text of texts) expect(compile(text, environment)).toBeInstanceOf(CompileErrors)
  })
})
