import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { countCommon, countIndexes, firstMissing, formatRanges, includesIndex, mergeRanges, parseRanges, rangesOf } from "./index-ranges.ts"

/** Before, newly succeeded, after: the cases of upstream's TestCalculateSucceededIndexes. */
describe("completed indexes before and after", () => {
  test.each([
    { name: "one index", before: "", fresh: [1], after: "1", completions: 10 },
    { name: "two separate", before: "", fresh: [4, 6], after: "4,6", completions: 10 },
    { name: "two intervals", before: "", fresh: [4, 5, 7, 8], after: "4,5,7,8", completions: 10 },
    { name: "one index and one interval", before: "", fresh: [0, 5, 6, 7], after: "0,5-7", completions: 10 },
    { name: "prev interval out of range", before: "8-10", fresh: [], after: "", completions: 5 },
    { name: "prev interval partially out of range", before: "0-10", fresh: [], after: "0-4", completions: 5 },
    { name: "prev and new separate", before: "0,4,5,10-12", fresh: [2, 7, 8], after: "0,2,4,5,7,8,10-12", completions: 15 },
    { name: "prev between new", before: "3,4,6", fresh: [2, 7, 8], after: "2-4,6-8", completions: 10 },
    { name: "new between prev", before: "2,7,8", fresh: [3, 4, 6], after: "2-4,6-8", completions: 10 },
    { name: "new within prev", before: "2-7", fresh: [0, 3, 5, 9], after: "0,2-7,9", completions: 10 },
    { name: "corrupted interval", before: "0,1-foo,bar", fresh: [3], after: "0,3", completions: 10 },
  ])("$name", ({ before, fresh, after, completions }) => {
    expect(formatRanges(mergeRanges(parseRanges(before, completions), rangesOf(fresh)))).toBe(after)
  })
})

describe("whether an index stands in the ranges", () => {
  test.each([
    ["empty", "", 4, false],
    ["before all", "2-4,6", 1, false],
    ["after all", "2-4,6-8", 9, false],
    ["in between", "2-4,6-8", 5, false],
    ["in first", "2-4,6-8", 2, true],
    ["in second", "2-4,6-8", 8, true],
  ] as const)("%s", (_name, ranges, index, expected) => {
    expect(includesIndex(parseRanges(ranges, 10), index)).toBe(expected)
  })
})

describe("the lowest indexes that are missing", () => {
  test.each([
    { name: "cnt greater than completions", present: "", count: 8, completions: 5, expected: [0, 1, 2, 3, 4] },
    { name: "cnt less than completions", present: "", count: 3, completions: 5, expected: [0, 1, 2] },
    { name: "first pods active", present: "0,1", count: 3, completions: 10, expected: [2, 3, 4] },
    { name: "last pods active or succeeded", present: "6-9", count: 6, completions: 6, expected: [0, 1, 2, 3, 4, 5] },
    { name: "mixed", present: "1-3,6,8", count: 5, completions: 10, expected: [0, 4, 5, 7, 9] },
  ])("$name", ({ present, count, completions, expected }) => {
    expect(firstMissing(parseRanges(present, 100), count, completions)).toEqual(expected)
  })
})

describe("of any sets of indexes", () => {
  const indexes = fc.uniqueArray(fc.nat(60))

  test("what is written is read back", () => {
    const readsBack = (some: readonly number[]) => void expect(parseRanges(formatRanges(rangesOf(some)), 100)).toEqual(rangesOf(some))
    fc.assert(fc.property(indexes, readsBack))
  })

  test("ranges say what sets say", () => {
    fc.assert(
      fc.property(indexes, indexes, fc.nat(70), fc.nat(20), (one, other, index, count) => {
        const [left, right] = [rangesOf(one), rangesOf(other)]
        const union = new Set([...one, ...other])
        expect(mergeRanges(left, right)).toEqual(rangesOf(union))
        expect(countIndexes(left)).toBe(one.length)
        expect(countCommon(left, right)).toBe(one.filter((present) => other.includes(present)).length)
        expect(includesIndex(left, index)).toBe(one.includes(index))
        const missing = Array.from({ length: 50 }, (_, at) => at).filter((at) => !one.includes(at))
        expect(firstMissing(left, count, 50)).toEqual(missing.slice(0, count))
      }),
    )
  })
})
