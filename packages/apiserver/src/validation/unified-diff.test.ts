import { expect, test } from "vitest"
import { unifiedDiff } from "./unified-diff.ts"

const numbered = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}${at}`).join("\n")
const lines = (text: string) => text.split("").join("\n")

test.each([
  ["nothing changed", "abc", "abc", ""],
  ["a line in the middle", "abcdefghi", "abcdXfghi", "@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+X\n f\n g\n h\n"],
  ["the first line", "abcde", "Xbcde", "@@ -1,4 +1,4 @@\n-a\n+X\n b\n c\n d\n"],
  ["the last line", "abcde", "abcdX", "@@ -2,4 +2,4 @@\n b\n c\n d\n-e\n+X\n"],
  ["a line more", "abc", "abXc", "@@ -1,3 +1,4 @@\n a\n b\n+X\n c\n"],
  ["a line less", "abc", "ac", "@@ -1,3 +1,2 @@\n a\n-b\n c\n"],
  ["the only line", "a", "b", "@@ -1 +1 @@\n-a\n+b\n"],
  ["two places near each other", "abcdefghi", "aXcdefghY", "@@ -1,9 +1,9 @@\n a\n-b\n+X\n c\n d\n e\n f\n g\n h\n-i\n+Y\n"],
  [
    "two places far from each other",
    "abcdefghijk",
    "aXcdefghijY",
    "@@ -1,5 +1,5 @@\n a\n-b\n+X\n c\n d\n e\n@@ -8,4 +8,4 @@\n h\n i\n j\n-k\n+Y\n",
  ],
])("%s", (_what, before, after, expected) => {
  expect(unifiedDiff(lines(before), lines(after))).toBe(expected)
})

test("lines that stand everywhere do not say where a text goes on, but belong to the runs around them", () => {
  const parts = Array.from({ length: 100 }, (_, at) => ["{", `${at}`, "}"])
  const changed = parts.with(50, ["{", "new", "}"])
  const expected = "@@ -149,7 +149,7 @@\n 49\n }\n {\n-50\n+new\n }\n {\n 51\n"
  expect(unifiedDiff(parts.flat().join("\n"), changed.flat().join("\n"))).toBe(expected)
})

test("a thousand lines of which every second changed are compared", () => {
  const every = (name: string) => Array.from({ length: 1000 }, (_, at) => (at % 2 === 0 ? `${name}${at}` : `same${at}`)).join("\n")
  const difference = unifiedDiff(every("a"), every("b")).split("\n")
  expect(difference.filter((line) => line.startsWith("-a"))).toHaveLength(500)
  expect(difference.filter((line) => line.startsWith("+b"))).toHaveLength(500)
  expect(difference.filter((line) => line.startsWith(" same"))).toHaveLength(500)
})

test("texts of more than 1000 lines are not compared", () => {
  const told = "(the difference is not shown: more than 1000 lines)\n"
  expect(unifiedDiff(numbered("a", 1001), numbered("b", 3))).toBe(told)
  expect(unifiedDiff(numbered("a", 3), numbered("b", 50_000))).toBe(told)
  expect(unifiedDiff(numbered("a", 50_000), numbered("a", 50_000))).toBe("")
})
