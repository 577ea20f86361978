import { expect, test } from "vitest"
import { withDisposable, withUndefined } from "./optional-members.ts"

test.each([
  ["a member", "interface A { readonly b?: string; c: string }", "interface A { readonly b?: string | undefined; c: string }"],
  ["one inside of another", "type A = { b?: { c?: number } }", "type A = { b?: { c?: number | undefined } | undefined }"],
  ["a function", "interface A { b?: (c: string) => void }", "interface A { b?: ((c: string) => void) | undefined }"],
  ["a condition", "interface A<T> { b?: T extends string ? 1 : 2 }", "interface A<T> { b?: (T extends string ? 1 : 2) | undefined }"],
  ["a member of a class", "declare class A { readonly b?: string }", "declare class A { readonly b?: string | undefined }"],
  ["all of a mapped type", "type A<T> = { readonly [K in keyof T]?: T[K] }", "type A<T> = { readonly [K in keyof T]?: T[K] | undefined }"],
  [
    "a mapped type that has it optional or not",
    "type A<T> = { [K in keyof T]+?: T[K] }",
    "type A<T> = { [K in keyof T]+?: T[K] | undefined }",
  ],
])("undefined is allowed for %s", (_what, before, after) => {
  expect(withUndefined(before)).toBe(after)
})

test.each([
  ["what is not optional", "interface A { b: string }"],
  ["what may be undefined", "interface A { b?: string | undefined; c?: unknown }"],
  ["a parameter, which may be undefined anyway", "declare function a(b?: string): void"],
  ["an optional method", "interface A { b?(c: string): void }"],
  ["a mapped type without question marks", "type A<T> = { [K in keyof T]-?: T[K] }"],
])("%s stays", (_what, text) => {
  expect(withUndefined(text)).toBe(text)
})

test("letters beyond ASCII move nothing", () => {
  expect(withUndefined("/** „…“ 🚢 */ interface A { b?: string }")).toBe("/** „…“ 🚢 */ interface A { b?: string | undefined }")
})

test("what speaks of Disposable brings it along", () => {
  expect(withDisposable("interface A extends AsyncDisposable {}")).toBe(
    '/// <reference lib="esnext.disposable" />\ninterface A extends AsyncDisposable {}',
  )
  expect(withDisposable("interface A {}")).toBe("interface A {}")
})
