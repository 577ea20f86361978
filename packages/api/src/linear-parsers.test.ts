import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parseDuration } from "./protobuf/duration.ts"
import { canonicalQuantity } from "./quantity/quantity-format.ts"
import { parseQuantity } from "./quantity/quantity-parse.ts"

/** The expressions that were used before, whose time was not linear: they say what the grammar is. */
const oldQuantity = /^([+-]?)0*([0-9]*)\.?([0-9]*)([eEinumkKMGTP]*[-+]?[0-9]*)$/
const oldSpace = /^[^\S\t\n\v\f\r\ufeff]+|[^\S\t\n\v\f\r\ufeff]+$/g
const oldDuration = /^([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+|0)$/

function outcome<Value>(run: () => Value): Value | string {
  try {
    return run()
  } catch (error) {
    return (error as Error).message
  }
}

describe("a quantity", () => {
  it("is read by the same grammar as before", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("0", "1", ".", "+", "-", "e", "E", "i", "k", "K", "m", "x"), maxLength: 8 }),
        (text) => {
          const isWrongForm = String(outcome(() => parseQuantity(text))).startsWith("quantities must match")
          expect(isWrongForm).toBe(text === "" || !oldQuantity.test(text))
        },
      ),
      { numRuns: 2000 },
    )
  })

  it("loses the same spaces as before", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(" ", "\t", "\n", "\u00a0", "\ufeff", "\u2003", "1"), maxLength: 6 }), (text) => {
        expect(outcome(() => canonicalQuantity(text))).toEqual(outcome(() => canonicalQuantity(text.replace(oldSpace, ""))))
      }),
      { numRuns: 1000 },
    )
  })

  it("of 500 zeros and a letter is refused without a search through them", () => {
    expect(() => parseQuantity(`${"0".repeat(500)}x`)).toThrow("quantities must have no more than 128 characters, found 501")
  })

  it("of 128 digits is read", () => {
    expect(canonicalQuantity("1".repeat(128))).toBe("1".repeat(128))
  })

  it("with 100,000 spaces before a letter is refused", () => {
    expect(() => canonicalQuantity(`1${" ".repeat(100_000)}x`)).toThrow("no more than 128 characters")
  })
})

describe("a duration of Go", () => {
  it("is read by the same grammar as before", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("0", "1", ".", "+", "-", "n", "u", "m", "s", "h", "µ", "x"), maxLength: 7 }),
        (text) => {
          expect(parseDuration(text) !== undefined).toBe(oldDuration.test(text))
        },
      ),
      { numRuns: 2000 },
    )
  })

  it("has at most 64 characters", () => {
    expect(parseDuration(`${"0".repeat(62)}1s`)).toBe(1_000_000_000n)
    expect(parseDuration(`${"0".repeat(63)}1s`)).toBeUndefined()
  })
})
