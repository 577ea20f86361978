import { runInNewContext } from "node:vm"
import { expect, test } from "vitest"
import { withEarlyFunctions } from "./compile-early.ts"
import { methodsHelperText } from "./early-edits.ts"

/** With every one of these as what was called. */
function early(text: string, ...called: string[]): string {
  const spans = called.map((one) => `${text.indexOf(one)}:${text.indexOf(one) + one.length}`)
  return withEarlyFunctions(text, new Set(spans))
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
  [
    "a method of a class",
    "class A { m(x) {} n() {} }",
    ["m(x) {}"],
    `\n${methodsHelperText}class A { static { $methods(this.prototype, { m: (function(x) {}) }); } n() {} }`,
  ],
  [
    "a static one",
    "class A { static m(x) {} }",
    ["static m(x) {}"],
    `\n${methodsHelperText}class A { static { $methods(this, { m: (function(x) {}) }); } }`,
  ],
])("%s that is called stands in parentheses", (_what, text, called, expected) => {
  expect(early(text, ...called)).toBe(expected)
})

test.each([
  ["what is not called", "const f = () => 1", []],
  ["a declared function inside of another", declared, ["function c() {}"]],
  ["what is no function", declared, ["const b = c()"]],
  ["a method that needs its class", "class A extends B { m() { return () => super.m() } }", ["m() { return () => super.m() }"]],
  ["a private method", "class A { #m() {} }", ["#m() {}"]],
  ["a constructor", "class A { constructor() {} }", ["constructor() {}"]],
  ["an accessor", "class A { get m() { return 1 } }", ["get m() { return 1 }"]],
  ["an accessor of an object", "const o = { get m() { return 1 } }", ["get m() { return 1 }"]],
  ["a generator", "class A { *m() {} }", ["*m() {}"]],
  ["a method whose name is computed", "class A { [m]() {} }", ["[m]() {}"]],
  ["what would change the prototype", "const o = { __proto__() {} }", ["__proto__() {}"]],
  ["a method behind a static field that may call it", "class A { static a = new A(); m() {} }", ["m() {}"]],
  ["a method behind a static block", "class A { static { new A().m() } m() {} }", ["m() {}"]],
  ["a method of a class that is made at each call", "const f = () => class { m() {} }", ["m() {}"]],
])("%s stays as it is", (_what, text, called) => {
  expect(early(text, ...called)).toBe(text)
})

test("a class with methods in parentheses is what it was", () => {
  const text = `class A {
  #x = 1;
  static made() { return new A() }
  m(by) { return this.#x + by }
}
class B extends A { m(by) { return super.m(by) * 10 } }
const b = new B();
[b.m(1), A.made().m(2), A.prototype.m.name, Object.keys(A.prototype), Object.keys(A)]`
  const rewritten = early(text, "static made() { return new A() }", "m(by) { return this.#x + by }")
  expect(rewritten).toContain("$methods(this.prototype, { m: (function(by)")
  expect(runInNewContext(rewritten)).toEqual(runInNewContext(text))
  expect(runInNewContext(rewritten)).toEqual([20, 3, "m", [], []])
})
