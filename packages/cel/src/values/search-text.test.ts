import fc from "fast-check"
import { expect, it } from "vitest"
import { findLastText, findText, splitText } from "./search-text.ts"

const letters = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 12 })
/** So long that the engine's search is not used. */
const part = fc.tuple(letters, letters).map(([begin, end]) => `${begin}${"a".repeat(17)}${end}`)
const text = fc.array(fc.oneof(part, letters), { maxLength: 6 }).map((parts) => `${parts.join("")}${"b".repeat(60_000)}${parts.join("")}`)

it("finds what the engine finds", () => {
  fc.assert(
    fc.property(text, part, fc.integer({ min: 0, max: 61_000 }), (whole, wanted, from) => {
      expect(findText(whole, wanted)).toBe(whole.indexOf(wanted))
      expect(findText(whole, wanted, from)).toBe(whole.indexOf(wanted, from))
      expect(findLastText(whole, wanted)).toBe(whole.lastIndexOf(wanted))
      expect(findLastText(whole, wanted, from)).toBe(whole.lastIndexOf(wanted, from))
      expect(splitText(whole, wanted)).toEqual(whole.split(wanted))
    }),
    { numRuns: 300 },
  )
})

it("takes linear time for a part that almost occurs everywhere", () => {
  // The engine compares half of the part at each place: 260 s.
  const whole = "a".repeat(3_000_000)
  const almost = `${"a".repeat(750_000)}b${"a".repeat(750_000)}`
  expect([findText(whole, almost), findLastText(whole, almost), splitText(whole, almost).length]).toEqual([-1, -1, 1])
})
