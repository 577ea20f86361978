import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { SourceMap } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runInNewContext } from "node:vm"
import { rolldown } from "rolldown"
import { expect, test } from "vitest"
import { compileFileEarly, withEarlyFunctions } from "./compile-early.ts"

/** With every one of these as what was called. */
function early(text: string, ...called: string[]): string {
  const spans = called.map((one) => `${text.indexOf(one)}:${text.indexOf(one) + one.length}`)
  return withEarlyFunctions(text, new Set(spans)).toString()
}

const declared = `import { a } from "a"
const b = c()
function c() { return a }
async function d() {}
function e() { function c() {} }
export { b, d, e }
`

test("a declared function that is called stands in parentheses before all other code, because that may call it", () => {
  expect(early(declared, "function c() { return a }", "async function d() {}")).toBe(`import { a } from "a"
const c = (function c() { return a });
const d = (async function d() {});
const b = c()


function e() { function c() {} }
export { b, d, e }
`)
})

test.each([
  ["an arrow function", "const f = (x) => x", ["(x) => x"], "const f = ((x) => x)"],
  ["one as an argument", "g(x => x, y => y)", ["x => x"], "g((x => x), y => y)"],
  ["one that returns another", "const f = x => y => x", ["x => y => x", "y => x"], "const f = (x => (y => x))"],
  ["a function expression", "const f = function () {}", ["function () {}"], "const f = (function () {})"],
  [
    "one inside of one that was moved",
    "function f() { g(() => 1) }",
    ["function f() { g(() => 1) }", "() => 1"],
    "\nconst f = (function f() { g((() => 1)) });",
  ],
  ["a method of an object", "const o = { async m(x) {} }", ["async m(x) {}"], "const o = { m: (async function(x) {}) }"],
])("%s that is called stands in parentheses", (_what, text, called, expected) => {
  expect(early(text, ...called)).toBe(expected)
})

test.each([
  ["what is not called", "const f = () => 1", []],
  ["a declared function inside of another", declared, ["function c() {}"]],
  ["what is no function", declared, ["const b = c()"]],
  ["a method that needs its object", "const o = { m() { return () => super.m() } }", ["m() { return () => super.m() }"]],
  ["a method of a class", "class A { m() {} }", ["m() {}"]],
  ["a private method", "class A { #m() {} }", ["#m() {}"]],
  ["a constructor", "class A { constructor() {} }", ["constructor() {}"]],
  ["an accessor of an object", "const o = { get m() { return 1 } }", ["get m() { return 1 }"]],
  ["a generator", "const o = { *m() {} }", ["*m() {}"]],
  ["a method whose name is computed", "const o = { [m]() {} }", ["[m]() {}"]],
  ["what would change the prototype", "const o = { __proto__() {} }", ["__proto__() {}"]],
])("%s stays as it is", (_what, text, called) => {
  expect(early(text, ...called)).toBe(text)
})

test("does what it did", () => {
  const text = "function c(x) { return o.m(x) }\nvar o = { m(x) { return x * 10 } };\n[o.m(1), o.m.name, c.name, c(2)]"
  const rewritten = early(text, "function c(x) { return o.m(x) }", "m(x) { return x * 10 }")
  expect(rewritten).toContain("m: (function(x)")
  expect(runInNewContext(rewritten)).toEqual([10, "m", "c", 20])
})

test("the source map leads from a moved function to its place", () => {
  const text = "const b = 1\nfunction c() { return b }\n"
  const map = withEarlyFunctions(text, new Set(["12:37"])).generateDecodedMap({ hires: true })
  const first = map.mappings[1]?.[0]
  expect(first?.slice(2)).toEqual([1, 0])
})

test("a moved function takes its comment along", () => {
  const text = "// index.js\n/** First. */\nconst b = 1;\n/**\n* Returns b.\n*/\nfunction c() { return b }\n"
  expect(early(text, "function c() { return b }")).toBe(
    "\n/**\n* Returns b.\n*/\nconst c = (function c() { return b });// index.js\n/** First. */\nconst b = 1;\n\n",
  )
})

test("a bundle has its functions in parentheses and is ASCII, and its map leads to the sources", async () => {
  const folder = mkdtempSync(join(tmpdir(), "compile-early-"))
  try {
    const source = 'const all = [1]\n\nexport function total() { return "Σ… " + all.reduce((sum, one) => sum + one, 0) }\n'
    writeFileSync(join(folder, "source.ts"), source)
    const bundle = await rolldown({ input: join(folder, "source.ts"), platform: "node", treeshake: false })
    const file = join(folder, "index.js")
    await bundle.write({ file, format: "esm", sourcemap: true })
    const built = readFileSync(file, "utf8")
    const start = built.indexOf("function total")

    compileFileEarly(file, new Set([`${start}:${built.indexOf("\n}", start) + 2}`]))

    const lines = readFileSync(file, "utf8").split("\n")
    expect(lines.join("\n")).toContain('"\\u03a3\\u2026 "')
    const line = lines.findIndex((one) => one.startsWith("const total = (function total() {"))
    expect(line).toBeGreaterThanOrEqual(0)
    const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")))
    const entry = map.findEntry(line, lines[line]!.indexOf("function"))
    expect(entry).toMatchObject({ originalSource: "source.ts", originalLine: 2 })
    const afterText = lines.findIndex((one) => one.includes("all.reduce"))
    const sum = map.findEntry(afterText, lines[afterText]!.indexOf("all.reduce"))
    expect(sum).toMatchObject({ originalLine: 2, originalColumn: source.split("\n")[2]!.indexOf("all.reduce") })
    expect(map.payload.sourcesContent).toEqual([source])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
