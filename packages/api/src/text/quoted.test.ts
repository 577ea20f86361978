import fc from "fast-check"
import { expect, test } from "vitest"
import { quoted } from "./quoted.ts"
import { utf8Length } from "./utf8-length.ts"

test.each([
  ["a", '"a"'],
  ["", '""'],
  ['say "hi"', '"say \\"hi\\""'],
  ["back\\slash", '"back\\\\slash"'],
  ["line\nend\ttab", '"line\\nend\\ttab"'],
  ["\u0000\u001b\u007f", '"\\x00\\x1b\\x7f"'],
  ["é 😀", '"é 😀"'],
  ["\u00a0\u2028\ufeff", '"\\u00a0\\u2028\\ufeff"'],
  ["\u{10ffff}", '"\\U0010ffff"'],
  ["\ud800", '"\ufffd"'],
])("%j is quoted as %s", (text, result) => {
  expect(quoted(text)).toBe(result)
})

test("the length in bytes is that of the encoded text", () => {
  const encoder = new TextEncoder()
  const units = fc.constantFrom("a", "é", "€", "😀", "\ud800", "\udc00")
  fc.assert(
    fc.property(fc.string({ unit: units }), (text) => {
      expect(utf8Length(text)).toBe(encoder.encode(text).length)
    }),
  )
})
