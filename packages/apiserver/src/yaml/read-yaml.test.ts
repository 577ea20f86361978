import { expect, test } from "vitest"
import { readYaml as readInSlices } from "./read-yaml.ts"

const readYaml = (text: string) => readInSlices(text, () => undefined, 100)

test.each<[text: string, value: unknown]>([
  ["a: yes\nb: no\nc: on\nd: Off\ne: y\nf: N\ng: TRUE", { a: true, b: false, c: true, d: false, e: true, f: false, g: true }],
  ["a: 0o17\nb: 017\nc: 0x1F\nd: 0b11\ne: 1_000\nf: -017\ng: +1", { a: 15, b: 15, c: 31, d: 3, e: 1000, f: -15, g: 1 }],
  ["a: 1e3\nb: .5\nc: 1.\nd: 1.50\ne: 1e400\nf: 0o9\ng: 1:30", { a: 1000, b: 0.5, c: 1, d: 1.5, e: "1e400", f: "0o9", g: "1:30" }],
  ["a: 2001-01-01\nb: v1\nc: 1.2.3\nd: 0x", { a: "2001-01-01", b: "v1", c: "1.2.3", d: "0x" }],
  ["a: ~\nb:\nc: Null\nd: ''", { a: null, b: null, c: null, d: "" }],
  ['a: "on"\nb: \'1\'\nc: !!str 1\nd: !!int "3"\ne: !!binary aGk=\nf: !mine 1', { a: "on", b: "1", c: "1", d: 3, e: "hi", f: "1" }],
  ["a: &x {p: 1, q: 2}\nb:\n  <<: *x\n  r: 3\nc: [*x]", { a: { p: 1, q: 2 }, b: { p: 1, q: 2, r: 3 }, c: [{ p: 1, q: 2 }] }],
  ["a:\n  <<: [{p: 1}, {p: 2, q: 2}]", { a: { p: 1, q: 2 } }],
  ["a: &x 1\nb: *x\nc: &x 2\nd: *x", { a: 1, b: 1, c: 2, d: 2 }],
  ["a: &x {p: &y 1, q: *y}\nb: &y 2\nc: *x\nd: *y", { a: { p: 1, q: 1 }, b: 2, c: { p: 1, q: 1 }, d: 2 }],
  ["&k a: *k\n*k : 2\nb: &x {p: 1}\nc: {<<: *x, <<: {q: *k}}", { a: 2, b: { p: 1 }, c: { p: 1, q: "a" } }],
  ["1: a\ntrue: b\n1.5: c", { 1: "a", true: "b", "1.5": "c" }],
  ["a: 1\n---\nb: 2", { a: 1 }],
  ["", null],
  ["# nothing", null],
  ["__proto__: 1", JSON.parse('{"__proto__":1}')],
])("%j", async (text, value) => {
  expect((await readYaml(text)).value).toEqual(value)
})

test("keys come in the order of Go's JSON", async () => {
  expect(JSON.stringify((await readYaml("b: 1\na: {d: 1, c: 2}")).value)).toBe('{"a":{"c":2,"d":1},"b":1}')
})

test.each<[text: string, duplicates: readonly string[]]>([
  ["a: 1\nb: 2\na: 3", ['line 3: key "a" already set in map']],
  ["m:\n  x: 1\n  x: 2\nm:\n  y: 1", ['line 3: key "x" already set in map', 'line 5: key "m" already set in map']],
  ['1: x\n1: y\n"1": z', ["line 2: key 1 already set in map"]],
  ["true: x\non: y", ["line 2: key true already set in map"]],
  ["a: 1\n'a':", ['line 2: key "a" already set in map']],
  ["a: {x: 1}\nb: {x: 1}", []],
])("%j says twice: %j", async (text, duplicates) => {
  expect((await readYaml(text)).duplicates).toEqual(duplicates)
})

test.each([
  ["a: b: c", "yaml: mapping values are not allowed in this context"],
  ["x: 1\na: @b", "yaml: line 2: found character that cannot start any token"],
  ["\ta: 1", "yaml: found character that cannot start any token"],
  ['a: "x', "yaml: found unexpected end of stream"],
  ["x: 1\na: [1, 2", "yaml: line 2: did not find expected ',' or ']'"],
  ["x: 1\na: {b: 2", "yaml: line 2: did not find expected ',' or '}'"],
  ["a: *nope", "yaml: unknown anchor 'nope' referenced"],
  ["a: &x [*x]", "yaml: anchor 'x' value contains itself"],
  ["a: &x {<<: *x}", "yaml: anchor 'x' value contains itself"],
  ["a: &x {b: {<<: [{}, *x]}}", "yaml: anchor 'x' value contains itself"],
  ["a: *x\nb: &x 1", "yaml: unknown anchor 'x' referenced"],
  ["a: {<<: *nope}", "yaml: unknown anchor 'nope' referenced"],
  ["a: &x [{}]\nb: {<<: *x}", "yaml: map merge requires map or sequence of maps as the value"],
  ["a: {<<: [[{}]]}", "yaml: map merge requires map or sequence of maps as the value"],
  ["[1, 2]: a", "yaml: invalid map key"],
  ["a: .inf", "json: unsupported value: +Inf"],
  ["a: .nan", "json: unsupported value: NaN"],
  ["a: {<<: 1}", "yaml: map merge requires map or sequence of maps as the value"],
])("%j is refused: %s", async (text, message) => {
  await expect(readYaml(text)).rejects.toThrow(message)
})

test("a small text does not become a huge object", async () => {
  const level = (name: string, of: string) => `${name}: &${name} [${`*${of}, `.repeat(9)}*${of}]`
  const text = ["a: &a [x, x, x, x, x, x, x, x, x, x]", ..."bcdefghi".split("").map((name, at) => level(name, "abcdefgh"[at] ?? ""))].join(
    "\n",
  )
  await expect(readYaml(text)).rejects.toThrow("yaml: document contains excessive aliasing")
})

test("merges of empty maps do not multiply unseen", async () => {
  const level = (at: number) => `a${at}: &a${at} {<<: [${Array.from({ length: 10 }, () => `*a${at - 1}`).join(", ")}]}`
  const text = ["a0: &a0 {}", ...Array.from({ length: 9 }, (_, at) => level(at + 1))].join("\n")
  await expect(readYaml(text)).rejects.toThrow("yaml: document contains excessive aliasing")
})

test("a text that would become huge is refused before any of it is expanded", async () => {
  const keys = Array.from({ length: 700 }, (_, at) => `k${at}: 1`).join(", ")
  const merges = Array.from({ length: 700 }, (_, at) => `b${at}: {<<: *a}`)
  const text = (first: string) => [`first: ${first}`, `a: &a {${keys}}`, ...merges].join("\n")
  // The key is invalid where it is read, which comes first.
  await expect(readYaml(text("{[1]: 2}"))).rejects.toThrow("yaml: document contains excessive aliasing")
  await expect(readYaml("first: {[1]: 2}")).rejects.toThrow("yaml: invalid map key")
})

test("many aliases are found in one walk through the text", async () => {
  const { value } = await readYaml(`a: &a 1\nb: [${"*a, ".repeat(12_000)}*a]`)
  expect(value).toEqual({ a: 1, b: Array.from({ length: 12_001 }, () => 1) })
})

test("of duplicate keys a hundred are reported", async () => {
  expect((await readYaml("a: 1\n".repeat(150))).duplicates).toEqual(
    Array.from({ length: 100 }, (_, at) => `line ${at + 2}: key "a" already set in map`),
  )
})

test("the first fault ends the reading, whatever follows it", async () => {
  const faults = "&a ".repeat(80_000)
  await expect(readYaml(faults)).rejects.toThrow("yaml: A node can have at most one anchor")
})

test("collections deeper than Go reads are refused", async () => {
  await expect(readYaml("[".repeat(50_000))).rejects.toThrow("yaml: exceeded max depth of 10000")
})
