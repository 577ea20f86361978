import { parseJson, stringifyJson } from "@pilothouse/seams"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { deepEqual } from "./deep-equal.ts"
import { deepFreeze, normalise } from "./freeze.ts"

function frozenBelow(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true
  return Object.isFrozen(value) && Object.values(value).every(frozenBelow)
}

describe("normalise", () => {
  test("copies, drops what is undefined, and freezes all of the copy and nothing of the original", () => {
    const inner = { b: [1, { c: undefined, d: null }] }
    const value = { a: inner, gone: undefined }
    const copy = normalise(value)
    expect(copy).toStrictEqual({ a: { b: [1, { d: null }] } })
    expect(frozenBelow(copy)).toBe(true)
    expect([Object.isFrozen(value), Object.isFrozen(inner)]).toEqual([false, false])
  })

  test("a field named __proto__ stays a field", () => {
    const copy = normalise(JSON.parse('{"__proto__": {"polluted": true}}'))
    expect(Object.keys(copy)).toEqual(["__proto__"])
    expect(copy.polluted).toBeUndefined()
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"polluted":true}}')
  })

  test("an object without prototype is plain", () => {
    expect(normalise(Object.assign(Object.create(null), { a: 1 }))).toStrictEqual({ a: 1 })
  })

  class Point {
    x = 1
  }
  const cycle: Record<string, unknown> = {}
  cycle.spec = { self: [cycle] }
  const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)])
  test.each<[string, unknown, string]>([
    ["undefined", undefined, "the value: expected a JSON value, found undefined"],
    ["NaN", { spec: { replicas: Number.NaN } }, "spec.replicas: expected a JSON value, found NaN"],
    ["infinity", [1, Number.POSITIVE_INFINITY], "[1]: expected a JSON value, found Infinity"],
    ["a function", { spec: { list: [{ f: () => 1 }] } }, "spec.list[0].f: expected a JSON value, found a function"],
    ["a symbol", { a: Symbol("x") }, "a: expected a JSON value, found a symbol"],
    ["an integer beyond 64 bits", { a: 2n ** 63n }, "a: expected a JSON value, found 9223372036854775808, which 64 bits cannot hold"],
    ["undefined in a list", { a: [1, undefined] }, "a[1]: expected a JSON value, found undefined"],
    ["a hole in a list", { a: new Array(1) }, "a[0]: expected a JSON value, found undefined"],
    ["a date", { a: new Date(0) }, "a: expected a JSON value, found an instance of Date"],
    ["a map", { a: new Map() }, "a: expected a JSON value, found an instance of Map"],
    ["bytes", { a: new Uint8Array(1) }, "a: expected a JSON value, found an instance of Uint8Array"],
    ["an instance of a class", new Point(), "the value: expected a JSON value, found an instance of Point"],
    ["a cycle", cycle, "spec.self[0]: expected a JSON value, found an object that contains itself"],
  ])("%s is refused with its place", (_, value, message) => {
    expect(() => normalise(value)).toThrow(expect.objectContaining({ code: "INVALID", message }))
  })

  test("an integer has one form", () => {
    expect(normalise([5n, 2n ** 53n, 2 ** 60, -0, 1e20])).toStrictEqual([5, 2n ** 53n, 1152921504606847000n, 0, 1e20])
  })

  test("nesting has a limit", () => {
    expect(normalise(deep(1000))).toEqual(deep(1000))
    expect(() => normalise(deep(1100))).toThrow("expected at most 1000 levels of nesting")
  })

  test("is the round trip through JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copy = normalise(value)
        expect(copy).toEqual(parseJson(stringifyJson(value)))
        expect(frozenBelow(copy)).toBe(true)
        expect(deepEqual(normalise(copy), copy)).toBe(true)
      }),
    )
  })
})

test("deepFreeze freezes in place, cycles too", () => {
  const value: Record<string, unknown> = { a: [{ b: {} }] }
  value.self = value
  expect(deepFreeze(value)).toBe(value)
  expect(Object.isFrozen((value.a as { b: unknown }[])[0]!.b)).toBe(true)
})
