import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  type Amount,
  addAmounts,
  amountMilliValue,
  amountOf,
  amountScaledValue,
  amountSign,
  amountValue,
  approximateAmount,
  compareAmounts,
  isZeroAmount,
  maxAmount,
  minAmount,
  multiplyAmount,
  negateAmount,
  subtractAmounts,
  zeroAmount,
} from "./amount.ts"
import { canonicalQuantity, formatQuantity } from "./quantity-format.ts"
import { parseQuantity } from "./quantity-parse.ts"

describe("canonical form", () => {
  test.each([
    // whole numbers and suffixes
    ["0", "0"],
    ["100m", "100m"],
    ["1000m", "1"],
    ["1500m", "1500m"],
    ["0.5", "500m"],
    ["1.5", "1500m"],
    ["2000", "2k"],
    ["1000000", "1M"],
    ["1500M", "1500M"],
    ["1000k", "1M"],
    ["5G", "5G"],
    ["7T", "7T"],
    ["7P", "7P"],
    ["7E", "7E"],
    ["1e21", "1e21"],
    ["250u", "250u"],
    ["250n", "250n"],
    ["1000n", "1u"],
    ["-5", "-5"],
    ["-0.5", "-500m"],
    ["-0", "0"],
    ["0Ki", "0"],
    ["0m", "0"],
    // powers of 1024
    ["1Ki", "1Ki"],
    ["1024Ki", "1Mi"],
    ["1.5Gi", "1536Mi"],
    ["1000Ki", "1000Ki"],
    ["0.5Ki", "512"],
    ["1.5Ki", "1536"],
    ["0.1Ki", "102400m"],
    ["0.0001Ki", "102400u"],
    ["7Ei", "7Ei"],
    ["-2048Ki", "-2Mi"],
    // exponents
    ["12e6", "12e6"],
    ["1e3", "1e3"],
    ["1E3", "1E3"],
    ["1000e3", "1e6"],
    ["1e2", "100"],
    ["1e-3", "1e-3"],
    ["100e-3", "100e-3"],
    ["1e0", "1e0"],
    ["1.5e3", "1500"],
    // what is finer than a nano is rounded up, away from zero
    ["0.1n", "1n"],
    ["-0.1n", "-1n"],
    ["1.1n", "2n"],
    ["1e-100", "1e-9"],
    // more than 18 digits
    ["1234567890123456789012", "1234567890123456789012"],
    ["1000000000000000000000000k", "1000000000E"],
    ["0.1234567891", "123456790n"],
    // above what 63 bits hold
    ["8Ei", "9223372036854775807"],
    ["100Ei", "9223372036854775807"],
    ["-8Ei", "-9223372036854775807"],
    ["9223372036854775807", "9223372036854775807"],
    ["9223372036854775808", "9223372036854775808"],
    // left as they are: the server returns the text that seems canonical to it
    ["1.500", "1.500"],
    ["+100m", "+100m"],
    ["01Ki", "01Ki"],
    // no digits at all are zero to upstream's scanner
    ["m", "0"],
    [".", "0"],
    ["+", "0"],
    ["Ki", "0"],
    [".5", "500m"],
    ["5.", "5."],
    ["5.Ki", "5.Ki"],
    ["-.5k", "-500"],
  ])("%s is stored as %s", (given, canonical) => {
    expect(formatQuantity(parseQuantity(given))).toBe(canonical)
  })

  test("spaces around it are dropped, white space that was escaped in JSON is not", () => {
    expect(canonicalQuantity(" 1000m ")).toBe("1")
    for (const text of ["5\n", "\t5", "5\r"]) expect(() => canonicalQuantity(text)).toThrow("quantities must match")
  })

  test("a thousand exa keep their value, where upstream drops the suffix and stores 1", () => {
    expect(canonicalQuantity("1000E")).toBe("1000E")
    expect(formatQuantity(multiplyAmount(parseQuantity("4Ei"), 1024))).toBe("4096Ei")
  })

  test.each([
    [2, "2"],
    [0.5, "500m"],
    [1e21, "1e+21"],
    [" 1Gi ", "1Gi"],
  ])("the server takes %j and stores %s", (given, canonical) => {
    expect(canonicalQuantity(given)).toBe(canonical)
  })
})

describe("malformed quantities", () => {
  const form = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
  const suffix = "unable to parse quantity's suffix"
  test.each([
    ["", form],
    ["abc", form],
    ["1.2.3", form],
    [" 1", form],
    ["1 ", form],
    ["1,5", form],
    ["1Gb", form],
    ["0x10", form],
    ["one", form],
    ["1KiB", form],
    ["10é", form],
    ["1e", suffix],
    ["1K", suffix],
    ["1mi", suffix],
    ["1kk", suffix],
    ["1ki", suffix],
    ["--1", suffix],
    ["1m1", suffix],
    ["1e+", suffix],
    ["1Ei3", suffix],
    ["1e99999999999999999999", suffix],
    ["Pi", "unable to parse numeric part of quantity"],
    ["-.Ei", "unable to parse numeric part of quantity"],
  ])("%j is refused", (text, message) => {
    expect(() => parseQuantity(text)).toThrow(expect.objectContaining({ code: "INVALID", message }))
  })
})

describe("values", () => {
  test.each([
    ["100m", 1, 100],
    ["1500m", 2, 1500],
    ["1", 1, 1000],
    ["64Mi", 67108864, 67108864000],
    ["1n", 1, 1],
    ["1001u", 1, 2],
    ["-100m", -1, -100],
    ["-1500m", -2, -1500],
    ["0", 0, 0],
    ["5k", 5000, 5000000],
    ["1.5Gi", 1610612736, 1610612736000],
    ["1e400", Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
  ])("%s is %d whole units or %d thousandths", (text, whole, milli) => {
    const amount = parseQuantity(text)
    expect([amountValue(amount), amountMilliValue(amount)]).toEqual([whole, milli])
  })

  test("a scaled value is exact beyond what numbers hold", () => {
    expect(amountScaledValue(parseQuantity("9007199254740993"), 0)).toBe(9007199254740993n)
    expect(amountScaledValue(parseQuantity("1234567890123456789"), -3)).toBe(1234567890123456789000n)
    expect(amountScaledValue(parseQuantity("1234567890123456789"), 3)).toBe(1234567890123457n)
  })

  test("an approximate value is the nearest number", () => {
    expect(["250m", "1.5Gi", "-3", "1e400", "1n"].map((text) => approximateAmount(parseQuantity(text)))).toEqual([
      0.25,
      1610612736,
      -3,
      Number.POSITIVE_INFINITY,
      1e-9,
    ])
  })

  test("a number that is not whole, or too large to be exact, makes no amount", () => {
    expect(() => amountOf(0.5)).toThrow("expected a whole number below 2^53 (or a bigint), found 0.5")
    expect(() => amountOf(2 ** 53)).toThrow("found 9007199254740992")
    expect(formatQuantity(amountOf(2n ** 60n, { format: "BinarySI" }))).toBe("1Ei")
    expect(formatQuantity(amountOf(250, { scale: -3 }))).toBe("250m")
  })
})

describe("arithmetic", () => {
  test.each([
    ["100m", "900m", "1"],
    ["1Gi", "1Gi", "2Gi"],
    ["1Gi", "1G", "2073741824"],
    ["1", "1Ki", "1025"],
    ["0", "1Gi", "1Gi"],
    ["0", "12e6", "12e6"],
    ["1Mi", "-1Mi", "0"],
    ["1Ki", "500m", "1024500m"],
    ["9223372036854775807", "1", "9223372036854775808"],
    ["9007199254740991", "9007199254740991", "18014398509481982"],
  ])("%s + %s = %s", (a, b, sum) => {
    expect(formatQuantity(addAmounts(parseQuantity(a), parseQuantity(b)))).toBe(sum)
  })

  test.each([
    ["1", "100m", "900m"],
    ["0", "1Gi", "-1Gi"],
    ["1Gi", "512Mi", "512Mi"],
  ])("%s - %s = %s", (a, b, difference) => {
    expect(formatQuantity(subtractAmounts(parseQuantity(a), parseQuantity(b)))).toBe(difference)
  })

  test.each([
    ["1", "1000m", 0],
    ["1Gi", "1G", 1],
    ["1Ki", "1k", 1],
    ["-1", "1", -1],
    ["0", "0Ki", 0],
    ["1e2000000", "1e1999999", 1],
    ["-1e2000000", "1n", -1],
    ["-1e2000000", "-1e30", -1],
    ["1n", "1e2000000", -1],
  ])("%s compared with %s is %d", (a, b, order) => {
    expect(compareAmounts(parseQuantity(a), parseQuantity(b))).toBe(order)
    expect(compareAmounts(parseQuantity(b), parseQuantity(a))).toBe(order === 0 ? 0 : -order)
  })

  test("a sum that would have a million digits is refused instead of calculated", () => {
    expect(() => addAmounts(parseQuantity("1"), parseQuantity("1e1000000"))).toThrow(
      "cannot calculate exactly with numbers that are 1000000 decimal places apart",
    )
  })
})

const suffix = fc.constantFrom(
  "",
  "n",
  "u",
  "m",
  "k",
  "M",
  "G",
  "T",
  "P",
  "E",
  "Ki",
  "Mi",
  "Gi",
  "Ti",
  "Pi",
  "e3",
  "E6",
  "e-3",
  "e1",
  "e20",
)
const digits = (max: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${max}}$`))
const text = fc
  .tuple(fc.constantFrom("", "", "-", "+"), digits(12), fc.option(digits(9), { nil: undefined }), suffix)
  .map(([sign, whole, fraction, end]) => `${sign}${whole}${fraction === undefined ? "" : `.${fraction}`}${end}`)
const amounts = text.map(parseQuantity)

/** The same number the long way: an exact fraction of 10^-30, by BigInt only. */
function model(amount: Amount): bigint {
  return BigInt(amount.mantissa) * 10n ** BigInt(amount.scale + 30)
}

const factors: Record<string, [bigint, bigint]> = {
  n: [1n, 10n ** 9n],
  u: [1n, 10n ** 6n],
  m: [1n, 1000n],
  "": [1n, 1n],
  k: [10n ** 3n, 1n],
  M: [10n ** 6n, 1n],
  G: [10n ** 9n, 1n],
  T: [10n ** 12n, 1n],
  P: [10n ** 15n, 1n],
  E: [10n ** 18n, 1n],
  Ki: [2n ** 10n, 1n],
  Mi: [2n ** 20n, 1n],
  Gi: [2n ** 30n, 1n],
  Ti: [2n ** 40n, 1n],
  Pi: [2n ** 50n, 1n],
  Ei: [2n ** 60n, 1n],
}

describe("properties", () => {
  test("what is read is the number times its suffix, or the next nano away from zero", () => {
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 20n), 10n ** 20n), fc.nat(12), fc.constantFrom(...Object.keys(factors)), (whole, places, end) => {
        const size = (whole < 0n ? -whole : whole).toString().padStart(places + 1, "0")
        const written = `${whole < 0n ? "-" : ""}${size.slice(0, size.length - places)}.${size.slice(size.length - places)}${end}`
        const [times, over] = factors[end]!
        const nanos = (whole < 0n ? -whole : whole) * times * 10n ** 9n
        const step = over * 10n ** BigInt(places)
        const exact = (nanos + step - 1n) / step
        const capped = end.endsWith("i") && exact > (2n ** 63n - 1n) * 10n ** 9n ? (2n ** 63n - 1n) * 10n ** 9n : exact
        expect(amountScaledValue(parseQuantity(written), -9)).toBe(whole < 0n ? -capped : capped)
      }),
    )
  })

  test("the canonical text reads back as the same amount, and is its own canonical text", () => {
    fc.assert(
      fc.property(amounts, (amount) => {
        const canonical = formatQuantity(amount)
        expect(compareAmounts(parseQuantity(canonical), amount)).toBe(0)
        expect(formatQuantity(parseQuantity(canonical))).toBe(canonical)
      }),
    )
  })

  test("sum, difference, product and order are those of exact fractions", () => {
    fc.assert(
      fc.property(amounts, amounts, fc.integer(), (a, b, factor) => {
        expect(model(addAmounts(a, b))).toBe(model(a) + model(b))
        expect(model(subtractAmounts(a, b))).toBe(model(a) - model(b))
        expect(model(multiplyAmount(a, factor))).toBe(model(a) * BigInt(factor))
        expect(compareAmounts(a, b)).toBe(model(a) < model(b) ? -1 : model(a) > model(b) ? 1 : 0)
        expect(model(maxAmount(a, b)) >= model(minAmount(a, b))).toBe(true)
      }),
    )
  })

  test("sums come out the same in any order, and what is added can be taken away", () => {
    fc.assert(
      fc.property(amounts, amounts, amounts, (a, b, c) => {
        expect(compareAmounts(addAmounts(addAmounts(a, b), c), addAmounts(a, addAmounts(b, c)))).toBe(0)
        expect(compareAmounts(subtractAmounts(addAmounts(a, b), b), a)).toBe(0)
        expect(isZeroAmount(addAmounts(a, negateAmount(a)))).toBe(true)
        expect(compareAmounts(addAmounts(zeroAmount, a), a)).toBe(0)
      }),
    )
  })

  test("a rounded value is never nearer to zero than the amount, and less than one unit away", () => {
    fc.assert(
      fc.property(amounts, fc.integer({ min: -9, max: 6 }), (amount, scale) => {
        const unit = 10n ** BigInt(scale + 30)
        const away = BigInt(amountSign(amount)) * (amountScaledValue(amount, scale) * unit - model(amount))
        expect(away >= 0n && away < unit).toBe(true)
      }),
    )
  })

  test("text that is no quantity is refused with one of the three messages, never with anything else", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."0123456789.eEinumkKMGTP+- x") }), (given) => {
        try {
          expect(typeof formatQuantity(parseQuantity(given))).toBe("string")
        } catch (error) {
          expect(error).toMatchObject({ code: "INVALID", message: expect.stringMatching(/^(quantities must match|unable to parse)/) })
        }
      }),
    )
  })
})
