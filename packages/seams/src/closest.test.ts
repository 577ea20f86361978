import { expect, test } from "vitest"
import { closest } from "./closest.ts"

test("of two that are as near, the one with the same first letter", () => {
  expect(closest("fsh", ["bash", "zsh", "fish"])).toBe("fish")
})

test.each<[word: string, expected: string | undefined]>([
  ["pds", "pods"],
  ["deploymnet", "deployment"],
  ["ndoes", "nodes"],
  ["nodees", "nodes"],
  ["bogus", undefined],
  ["x", undefined],
  ["spaceship", undefined],
])("%s: %s", (word, expected) => {
  expect(closest(word, ["pods", "deployment", "nodes", "logs"])).toBe(expected)
})
