import { expect, test } from "vitest"
import { closest } from "./closest.ts"

test.each<[word: string, expected: string | undefined]>([
  ["pds", "pods"],
  ["deploymnet", "deployment"],
  ["x", undefined],
  ["spaceship", undefined],
])("%s: %s", (word, expected) => {
  expect(closest(word, ["pods", "deployment", "nodes"])).toBe(expected)
})
