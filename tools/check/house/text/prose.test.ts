import { describe, expect, test } from "vitest"
import { findingsOf } from "../testing/tree.ts"
import { proseIsNotCompared } from "./prose.ts"

const file = "packages/a/src/decide.ts"
const check = (text: string, more: Readonly<Record<string, string>> = {}) => findingsOf(proseIsNotCompared, { [file]: text, ...more })

describe("prose", () => {
  test("a finding says where, what and what to do", () => {
    expect(check('\nexport const a = operation.reason === "it is gone"')).toEqual([
      `${file}:2 expected prose to be written, never compared or parsed, found operation.reason === "it is gone"; ` +
        'compare a typed field, or say "// prose: why" of words that others wrote and that have no code',
    ])
  })

  test.each([
    ["a sentence", 'operation.reason !== "it is gone"'],
    ["a sentence on the left", '"it is gone" === reason'],
    ["a template with a space", "plan.summary === `${name} is gone`"],
    ["an optional member", 'plan.requeue?.reason === "it is gone"'],
    ["the end of a reason", 'operation.reason.endsWith("is gone")'],
    ["a variable in a reason", "operation.reason.includes(name)"],
    ["a word in a message", 'error.message.includes("gone")'],
    ["a variable in a summary", "summary.includes(message)"],
    ["the text of a line", 'line.text.startsWith("wait for ")'],
    ["a variable at the end of a text", "line.text.endsWith(said)"],
    ["a pattern of words", "/^requeue in/.test(line.text)"],
    ["any pattern on a message", "/(\\\\d+)s/.exec(message)"],
    ["a message taken apart", 'message.split(": ")'],
  ])("refuses a comparison of prose: %s", (_name, code) => {
    expect(check(`export const a = ${code}`)).toHaveLength(1)
  })

  test("refuses a constant that is a sentence, imported ones too", () => {
    const patches = { "packages/a/src/patches.ts": 'export const removes = "nothing is left to clean up"' }
    expect(check('const gone = "it is gone"\nexport const a = reason === gone')).toHaveLength(1)
    expect(check("const gone = /it is gone/\nexport const a = gone.test(plan.reason)")).toHaveLength(1)
    expect(check('import { removes } from "./patches.ts"\nexport const a = operation.reason === removes', patches)).toHaveLength(1)
    expect(check("export const a = (removes: string) => operation.reason === removes", patches)).toEqual([])
  })

  test.each([
    ["a code", 'error.reason === "NotFound"'],
    ["a code that is a parameter", "condition.reason === reason"],
    ["the beginning of a code", 'reason.startsWith("Failed")'],
    ["one of several codes", '["Evicted", "NodeLost"].includes(reason)'],
    ["a text that a parser reads", 'text.startsWith("a b")'],
    ["a pattern on what a parser reads", "/^\\\\d+/.exec(reading.text)"],
    ["whether there is one", "plan.summary === undefined"],
    ["whether it changed", "before.message === message"],
    ["other members", 'pod.status.phase === "Not There"'],
  ])("allows %s", (_name, code) => {
    expect(check(`export const a = ${code}`)).toEqual([])
  })

  test("allows a comparison that a comment with a reason exempts, on the line or before it", () => {
    const code = 'const a = error.message === "etcdserver: request is too large"'
    expect(check(`// prose: etcd's own text, which has no code\n${code}`)).toEqual([])
    expect(check(`${code} // prose: etcd's own text, which has no code`)).toEqual([])
    expect(check(`// prose: etcd\n${code}`)).toHaveLength(1)
    expect(check(`// prose: etcd's own text, which has no code\n\n${code}`)).toHaveLength(1)
  })

  test("leaves tests and tools alone", () => {
    const text = 'export const a = plan.summary === "it is gone"'
    expect(findingsOf(proseIsNotCompared, { "packages/a/src/decide.test.ts": text, "tools/a.ts": text })).toEqual([])
  })
})
