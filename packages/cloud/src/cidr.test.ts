import { expect, test } from "vitest"
import { contains, isSameAddress, isWithin, parseRange } from "./cidr.ts"

test.each([
  ["10.0.0.0/8", "10.255.0.1", true],
  ["10.0.0.0/8", "11.0.0.1", false],
  ["10.0.0.7/32", "10.0.0.7", true],
  ["10.0.0.7", "10.0.0.8", false],
  ["0.0.0.0/0", "1.2.3.4", true],
  ["10.0.0.0/8", "::ffff:10.0.0.1", true],
  ["fd00::/8", "fd12:3456::1", true],
  ["fd00::/8", "fe80::1", false],
  ["::/0", "10.0.0.1", false],
  ["2001:db8:0:1::/64", "2001:db8:0:1:2:3:4:5", true],
])("%s and %s: %s", (range, address, expected) => {
  expect(contains(parseRange(range)!, address)).toBe(expected)
})

test.each(["", "10.0.0.0/33", "10.0.0/8", "256.0.0.0/8", "fd00:::/8", "1:2:3:4:5:6:7:8:9/8", "10.0.0.0/x", "g::/8"])(
  "%s is no range",
  (text) => {
    expect(parseRange(text)).toBeUndefined()
  },
)

test("a range lies within another where all of it does", () => {
  const range = (text: string) => parseRange(text)!
  expect(isWithin(range("10.244.3.0/24"), range("10.244.0.0/16"))).toBe(true)
  expect(isWithin(range("10.244.0.0/16"), range("10.244.0.0/16"))).toBe(true)
  expect(isWithin(range("10.244.0.0/16"), range("10.244.3.0/24"))).toBe(false)
  expect(isWithin(range("10.245.0.0/16"), range("10.244.0.0/16"))).toBe(false)
  expect(isWithin(range("0.0.0.1"), range("::/0"))).toBe(false)
})

test.each([
  ["fd00::1", "fd00:0:0::1", true],
  ["FD00::A", "fd00::a", true],
  ["::ffff:10.0.0.1", "10.0.0.1", true],
  ["10.0.0.1", "10.0.0.2", false],
  ["0.0.0.1", "::1", false],
  ["node-1", "node-1", false],
])("%s and %s are one address: %s", (one, other, expected) => {
  expect(isSameAddress(one, other)).toBe(expected)
})
