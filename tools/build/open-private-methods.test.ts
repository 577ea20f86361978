import { runInNewContext } from "node:vm"
import { expect, test } from "vitest"
import { withOpenMethods } from "./open-private-methods.ts"

test.each([
  ["a private method", "class A { #m() {} n() { this.#m() } }", "class A { _private_m() {} n() { this._private_m() } }"],
  ["of another object", "class A { #m() {} n(other) { other?.#m() } }", "class A { _private_m() {} n(other) { other?._private_m() } }"],
  ["a static one", "class A { static #m() {} static n() { A.#m() } }", "class A { static _private_m() {} static n() { A._private_m() } }"],
  [
    "one of a class without a name",
    "const a = new (class { #m() {} n() { this.#m() } })()",
    "const a = new (class { _private_m() {} n() { this._private_m() } })()",
  ],
  [
    "the method of the outer class",
    "class A { #m() {} n = class { o(a) { a.#m() } } }",
    "class A { _private_m() {} n = class { o(a) { a._private_m() } } }",
  ],
  [
    "and not the field of the inner one",
    "class A { #m() {} n = class { #m = 1; o() { this.#m } } }",
    "class A { _private_m() {} n = class { #m = 1; o() { this.#m } } }",
  ],
])("%s is an ordinary one", (_what, text, expected) => {
  expect(withOpenMethods(text)).toBe(expected)
})

test.each([
  ["a private field", "class A { #x = 1; m() { return this.#x } }"],
  ["a private accessor", "class A { get #x() { return 1 } m() { return this.#x } }"],
  ["a method of a class that extends another: that may have one of the same name", "class A extends B { #m() {} n() { this.#m() } }"],
  ["one whose brand is asked for", "class A { #m() {} is(a) { return #m in a } }"],
  ["one whose new name is taken", "class A { #m() {} _private_m() {} }"],
  ["what only looks like one", 'const a = "#m()" // #m()'],
])("%s stays as it is", (_what, text) => {
  expect(withOpenMethods(text)).toBe(text)
})

test("classes do what they did", () => {
  const text = `class A {
  #x = 1
  #m(by) { return this.#x + by }
  n(by) { return this.#m(by) }
}
class B extends A { #m(by) { return by * 100 } o(by) { return [this.n(by), this.#m(by)] } }
new B().o(2)`
  expect(runInNewContext(withOpenMethods(text))).toEqual(runInNewContext(text))
  expect(runInNewContext(withOpenMethods(text))).toEqual([3, 200])
})
