import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { canonicalIp, formatIp, isLoopbackIp, isSameIp, parseIp } from "./ip-address.ts"

describe("canonicalIp", () => {
  test.each<[text: string, canonical: string | undefined]>([
    ["10.0.0.1", "10.0.0.1"],
    ["255.255.255.255", "255.255.255.255"],
    ["010.0.0.01", "10.0.0.1"],
    ["0000010.0.0.1", "10.0.0.1"],
    ["::ffff:10.0.0.1", "10.0.0.1"],
    ["::FFFF:a00:1", "10.0.0.1"],
    ["64:ff9b::10.0.0.1", "64:ff9b::a00:1"],
    ["1:2:3:4:5:6:10.0.0.1", "1:2:3:4:5:6:a00:1"],
    ["2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
    ["2001:db8::0001", "2001:db8::1"],
    ["0:0:0:0:0:0:0:0", "::"],
    ["0:0:0:1:0:0:0:2", "::1:0:0:0:2"],
    ["1:0:0:2:3:0:0:4", "1::2:3:0:0:4"],
    ["1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"],
    ["1:2:3:4:5:6:0:0", "1:2:3:4:5:6::"],
    ["1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"],
    ["", undefined],
    ["10.1", undefined],
    ["10.0.0", undefined],
    ["10.0.0.256", undefined],
    ["10.0.0.1.2", undefined],
    ["10.0.0.1 ", undefined],
    ["10.0.0.+1", undefined],
    ["0x0a.0.0.1", undefined],
    ["10.0.0.1::", undefined],
    ["::10.0.0.1:1", undefined],
    ["1:2:3:4:5:6:7:10.0.0.1", undefined],
    ["1::2::3", undefined],
    [":::", undefined],
    [":1", undefined],
    ["1:2:3:4:5:6:7", undefined],
    ["1:2:3:4:5:6:7:8:9", undefined],
    ["1:2:3:4:5:6:7:8::", undefined],
    ["12345::", undefined],
    ["g::", undefined],
    ["fe80::1%eth0", undefined],
    ["[::1]", undefined],
    ["10.0.0.1:80", undefined],
    ["localhost", undefined],
    [`${"0".repeat(100_000)}.0.0.1`, undefined],
  ])("%.40j is %j", (text, canonical) => {
    expect(canonicalIp(text)).toBe(canonical)
  })
})

test("an IPv4-mapped address is an IPv4 address that knows how it was written", () => {
  expect(parseIp("::ffff:10.0.0.1")).toEqual({ family: 4, value: 0x0a00_0001n, mapped: true })
  expect(parseIp("10.0.0.1")).toEqual({ family: 4, value: 0x0a00_0001n })
})

test("parseIp reads what formatIp writes", () => {
  const address = fc.oneof(
    fc.record({ family: fc.constant<4>(4), value: fc.bigInt(0n, 2n ** 32n - 1n) }),
    // Few bits set: runs of zero groups are where the two forms differ.
    fc.record({
      family: fc.constant<6>(6),
      value: fc
        .array(fc.constantFrom(0n, 0n, 1n, 0xffffn), { minLength: 8, maxLength: 8 })
        .map((groups) => groups.reduce<bigint>((sum, one) => (sum << 16n) | one, 0n)),
    }),
  )
  const isMapped = (value: bigint) => value >> 32n === 0xffffn
  fc.assert(
    fc.property(address, ({ family, value }) => {
      fc.pre(family === 4 || !isMapped(value))
      expect(parseIp(formatIp({ family, value }))).toEqual({ family, value })
    }),
  )
})

test.each([
  ["fd00::1", "fd00:0:0::1", true],
  ["FD00::A", "fd00::a", true],
  ["::ffff:10.0.0.1", "10.0.0.1", true],
  ["10.0.0.1", "10.0.0.2", false],
  ["0.0.0.1", "::1", false],
  ["node-1", "node-1", false],
])("%s and %s are the same address: %s", (one, other, expected) => {
  expect(isSameIp(one, other)).toBe(expected)
})

test.each([
  ["127.0.0.1", true],
  ["127.255.0.9", true],
  ["::1", true],
  ["::ffff:127.0.0.1", true],
  ["0.0.0.0", false],
  ["128.0.0.1", false],
  ["::", false],
  ["::2", false],
  ["localhost", false],
  ["127.0.0.1.example.com", false],
])("%s is a loopback address: %s", (text, expected) => {
  expect(isLoopbackIp(text)).toBe(expected)
})
