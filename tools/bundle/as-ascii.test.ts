import { expect, test } from "vitest"
import { asAscii } from "./as-ascii.ts"

test.each([
  ["plain text stays", 'say("a")', 'say("a")'],
  ["a string", 'say("a → b…")', 'say("a \\u2192 b\\u2026")'],
  ["a character of two units", 'say("🚢")', 'say("\\ud83d\\udea2")'],
  ["a regular expression", "/[éà]/u", "/[\\u00e9\\u00e0]/u"],
  ["raw text, where an escape is six characters", "String.raw`a → b`", "String.raw`a → b`"],
  ["a string with a backslash before it, which an escape would turn into a text of six", 'say("\\é")', 'say("\\é")'],
  ["a regular expression with a backslash before it", "/\\–/", "/\\–/"],
  ["a comment that ends with a separator of lines", "/* é */ // a\u2028say()", "/* é */ // a\u2028say()"],
  ["a name", "const é = 1", "const \\u00e9 = 1"],
  ["a name of two units, which has no such escape", "const 𝒜 = 1", "const 𝒜 = 1"],
  ["a space that is not one when escaped", "const\u00a0a = 1", "const\u00a0a = 1"],
])("%s", (_, code, expected) => {
  expect(asAscii(code)).toBe(expected)
})
