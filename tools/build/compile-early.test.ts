import { expect, test } from "vitest"
import { withEarlyFunctions } from "./compile-early.ts"

const text = `import { a } from "a"
const b = c()
function c() { return a }
async function d() {}
function e() { function c() {} }
export { b, d, e }
`
const startOf = (...found: string[]) => new Set(found.map((one) => text.indexOf(one)))

test("what is called stands in parentheses before all other code, because that may call it", () => {
  expect(withEarlyFunctions(text, startOf("function c() { return", "async function d"))).toBe(`import { a } from "a"
const c = (function c() { return a });
const d = (async function d() {});
const b = c()


function e() { function c() {} }
export { b, d, e }
`)
})

test.each([
  ["what is not called", new Set<number>()],
  ["a function inside of another", startOf("function c() {}")],
  ["what is no function", startOf("const b")],
])("%s stays where it is", (_what, called) => {
  expect(withEarlyFunctions(text, called)).toBe(text)
})
