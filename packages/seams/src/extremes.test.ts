import fc from "fast-check"
import { expect, test } from "vitest"
import { largestOf, smallestOf } from "./extremes.ts"

test("the extremes of few numbers are those of Math", () => {
  fc.assert(
    fc.property(fc.array(fc.double()), (numbers) => {
      expect(smallestOf(numbers)).toBe(Math.min(...numbers))
      expect(largestOf(numbers)).toBe(Math.max(...numbers))
    }),
  )
})

test("the pods of a large cluster overflow no stack", () => {
  const numbers = Array.from({ length: 500_000 }, (_, at) => at)
  expect([smallestOf(numbers), largestOf(new Set(numbers))]).toEqual([0, 499_999])
})
