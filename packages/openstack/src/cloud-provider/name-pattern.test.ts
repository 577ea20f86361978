import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { namePattern } from "./name-pattern.ts"

const cases: readonly [pattern: string, name: string, fits: boolean][] = [
  ["public", "public", true],
  ["public", "public-2", false],
  ["public.*", "public-2", true],
  ["(?i)PUBLIC", "Public", true],
  ["^public$", "public", true],
  ["a|b", "b", true],
  ["(?:a|b)+", "abba", true],
  ["(?P<zone>az-[0-9]{1,2})", "az-12", true],
  ["az-[0-9]{2}", "az-1", false],
  ["[^a-c]x", "dx", true],
  ["[^a-c]x", "ax", false],
  [String.raw`\d+\.\d+`, "1.5", true],
  [String.raw`[\w-]+`, "a-b_c", true],
  ["a{0}b", "b", true],
  ["a{2,}", "aaa", true],
  ["a??b", "ab", true],
  ["", "", true],
  ["[]a]", "]", true],
]

describe("patterns for names of subnets", () => {
  it.each(cases)("%j on %j is %s", (pattern, name, fits) => {
    expect(namePattern(pattern)(name)).toBe(fits)
  })

  it.each(["(", ")", "[a", "*", "a{5,2}", "(a{50}){50}", "((((){999}){999}){999}){999}", "\\", String.raw`\p`, "(?=a)", "[b-a]"])(
    "refuses %j",
    (pattern) => {
      expect(() => namePattern(pattern)).toThrow(SyntaxError)
    },
  )

  it("takes patterns that JavaScript's engine needs exponential time for", () => {
    expect(namePattern("(a|a|a)*(a*)*b")("a".repeat(200))).toBe(false)
  })

  it("agrees with JavaScript on random short patterns", () => {
    const words = fc.constantFrom(
      "a",
      "b",
      "c",
      ".",
      "a*",
      "b+",
      "c?",
      "(a|b)",
      "(ab)*",
      "[ab]",
      "[^a]",
      "a{1,2}",
      "|",
      "(?:b|c){2}",
      "^",
      "$",
    )
    fc.assert(
      fc.property(fc.array(words, { maxLength: 6 }), fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 6 }), (parts, name) => {
        const text = parts.join("")
        expect(namePattern(text)(name)).toBe(new RegExp(`^(?:${text})$`).test(name))
      }),
    )
  })
})
