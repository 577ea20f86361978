import fc from "fast-check"
import { expect, test } from "vitest"
import { deepEqual } from "./deep-equal.ts"

test.each<[unknown, unknown, boolean]>([
  [1, 1, true],
  [1, "1", false],
  [null, undefined, false],
  [null, null, true],
  [null, {}, false],
  [{}, [], false],
  [[], {}, false],
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [{ a: 1, b: 2 }, { a: 1 }, false],
  [{ a: 1, b: undefined }, { a: 1 }, true],
  [{ a: 1 }, { a: 1, b: undefined }, true],
  [{ b: undefined }, { c: undefined }, true],
  [{ a: undefined }, { a: null }, false],
  [[1, 2], [1, 2], true],
  [[1, 2], [2, 1], false],
  [[1], [1, 2], false],
  [{ a: [{ b: { c: 1 } }] }, { a: [{ b: { c: 1 } }] }, true],
  [{ a: [{ b: { c: 1 } }] }, { a: [{ b: { c: 2 } }] }, false],
  [JSON.parse('{"__proto__": {}}'), {}, false],
  [{}, JSON.parse('{"__proto__": {}}'), false],
  [{ constructor: "x" }, {}, false],
])("%j and %j: %s", (a, b, equal) => {
  expect(deepEqual(a, b)).toBe(equal)
})

/** The same value with its keys in another order. */
function reordered(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(reordered)
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, field]) => [key, reordered(field)]),
  )
}

test("two values are equal when their sorted JSON is", () => {
  const sorted = (value: unknown): string =>
    JSON.stringify(value, (_, part) =>
      typeof part === "object" && part !== null && !Array.isArray(part) ? Object.fromEntries(Object.entries(part).sort()) : part,
    )
  const values = fc.jsonValue({ maxDepth: 2 })
  fc.assert(
    fc.property(values, values, (a, b) => {
      expect(deepEqual(a, reordered(a))).toBe(true)
      expect(deepEqual(a, b)).toBe(sorted(a) === sorted(b))
      expect(deepEqual(a, b)).toBe(deepEqual(b, a))
    }),
  )
})
