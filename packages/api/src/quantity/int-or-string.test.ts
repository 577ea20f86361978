import fc from "fast-check"
import { expect, test } from "vitest"
import { isPercent, parseIntOrString, scaledIntOrPercent } from "./int-or-string.ts"

test.each<[number | string, number, number, number]>([
  [3, 10, 3, 3],
  [0, 10, 0, 0],
  ["25%", 10, 3, 2],
  ["25%", 4, 1, 1],
  ["25%", 1, 1, 0],
  ["0%", 10, 0, 0],
  ["100%", 7, 7, 7],
  ["150%", 7, 11, 10],
  ["1%", 100, 1, 1],
  ["-25%", 10, -2, -3],
  ["+50%", 10, 5, 5],
])("%j of %d is %d rounded up and %d rounded down", (value, total, up, down) => {
  expect([scaledIntOrPercent(value, total, "up"), scaledIntOrPercent(value, total, "down")]).toEqual([up, down])
})

test.each([
  ["25", "invalid value for IntOrString: invalid type: string is not a percentage"],
  ["http", "invalid value for IntOrString: invalid type: string is not a percentage"],
  ["", "invalid value for IntOrString: invalid type: string is not a percentage"],
  ["%", 'invalid value for IntOrString: invalid value "%": strconv.Atoi: parsing "": invalid syntax'],
  ["a%", 'invalid value for IntOrString: invalid value "a%": strconv.Atoi: parsing "a": invalid syntax'],
  ["2.5%", 'invalid value for IntOrString: invalid value "2.5%": strconv.Atoi: parsing "2.5": invalid syntax'],
  [
    "99999999999999999999%",
    'invalid value for IntOrString: invalid value "99999999999999999999%": strconv.Atoi: parsing "99999999999999999999": value out of range',
  ],
])("%j is refused", (value, message) => {
  expect(() => scaledIntOrPercent(value, 10, "up")).toThrow(expect.objectContaining({ code: "INVALID", message }))
})

test.each<[string, number | string]>([
  ["80", 80],
  ["-1", -1],
  ["http", "http"],
  ["25%", "25%"],
  ["", ""],
  ["2147483648", "2147483648"],
  ["-0", 0],
])("%j is %j", (text, value) => {
  expect(parseIntOrString(text)).toBe(value)
})

test("a percentage is a text of digits and a percent sign", () => {
  expect(["25%", "25", "%", 25, "-1%"].map(isPercent)).toEqual([true, false, false, false, false])
})

test("rounded up is never less than rounded down, and both are within one", () => {
  fc.assert(
    fc.property(fc.nat(1000), fc.nat(100_000), (percent, total) => {
      const [up, down] = [scaledIntOrPercent(`${percent}%`, total, "up"), scaledIntOrPercent(`${percent}%`, total, "down")]
      const exact = BigInt(percent) * BigInt(total)
      expect([BigInt(down), BigInt(up)]).toEqual([exact / 100n, (exact + 99n) / 100n])
    }),
  )
})
