import { expect, test } from "vitest"
import { canonicalCidr, canonicalIpv6, cidrErrors, ipErrors, isIp, isIpv6, specialAddressErrors } from "./ip-address.ts"

test.each([
  ["192.0.2.1", true, false],
  ["192.0.2.256", false, false],
  ["192.0.2", false, false],
  ["2001:db8::1", true, true],
  ["1:2:3:4:5:6:7:8", true, true],
  ["1:2:3:4:5:6:7::", true, true],
  ["1:2:3:4:5:6:7:8::", false, false],
  ["1:2:3:4:5:6:7", false, false],
  ["1::2::3", false, false],
  ["2001:db8::10.0.0.1", true, true],
  ["10.0.0.1::", false, false],
  ["12345::", false, false],
  ["", false, false],
])("%j: an address %j, of IPv6 %j", (text, address, six) => {
  expect([isIp(text), isIpv6(text)]).toEqual([address, six])
})

test.each([
  ["010.0.0.1", /leading 0s/],
  ["10.0.0.01", /leading 0s/],
  ["::ffff:10.0.0.1", /IPv4-mapped/],
  ["here", /valid IP address/],
])("the address %j is refused", (address, text) => {
  expect(ipErrors(address, "f").map(({ message }) => message)).toEqual([expect.stringMatching(text)])
  expect(ipErrors(address, "f", new Set([address]))).toEqual([])
})

test.each([
  ["10.0.0.1/8", /bits set beyond/],
  ["2001:db8::1/64", /bits set beyond/],
  ["10.0.0.0/08", /leading 0s/],
  ["010.0.0.0/8", /leading 0s/],
  ["::ffff:10.0.0.0/104", /IPv4-mapped/],
  ["10.0.0.0/33", /valid CIDR/],
  ["2001:db8::/129", /valid CIDR/],
  ["10.0.0.0/8/8", /valid CIDR/],
  ["10.0.0.0", /valid CIDR/],
])("the range %j is refused", (range, text) => {
  expect(cidrErrors(range, "f").map(({ message }) => message)).toEqual([expect.stringMatching(text)])
  expect(cidrErrors(range, "f", new Set([range]))).toEqual([])
})

test("ranges that are whole are let through", () => {
  expect(["0.0.0.0/0", "10.0.0.0/8", "192.0.2.1/32", "2001:0db8::/32", "::/0"].flatMap((range) => cidrErrors(range, "f"))).toEqual([])
})

test.each([
  [/unspecified/, ["0.0.0.0", "::"]],
  [/loopback/, ["127.0.0.1", "127.255.0.1", "::1"]],
  [/link-local range/, ["169.254.0.1", "fe80::1", "febf::1"]],
  [/link-local multicast/, ["224.0.0.1", "ff02::1", "ff12::1"]],
  [/never/, ["128.0.0.1", "169.255.0.1", "fec0::1", "224.0.1.1", "ff03::1", "::2"]],
])("addresses that mean something else: %s", (text, addresses) => {
  const found = addresses.flatMap((address) => specialAddressErrors(address, "f")).map(({ message }) => message)
  expect(found).toEqual(text.source === "never" ? [] : addresses.map(() => expect.stringMatching(text)))
})

test.each([
  ["2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
  ["2001:db8::0001", "2001:db8::1"],
  ["0:0:0:0:0:0:0:0", "::"],
  ["0:0:0:1:0:0:0:2", "::1:0:0:0:2"],
  ["1:0:0:2:3:0:0:4", "1::2:3:0:0:4"],
  ["1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"],
  ["1:2:3:4:5:6:0:0", "1:2:3:4:5:6::"],
  ["10:20:a0:0:0:f:0:0", "10:20:a0::f:0:0"],
  ["192.0.2.1", undefined],
  ["::ffff:10.0.0.1", undefined],
  ["here", undefined],
])("%j is written %j", (address, canonical) => {
  expect(canonicalIpv6(address)).toBe(canonical)
})

test.each([
  ["2001:DB8::/32", "2001:db8::/32"],
  ["2001:db8::1/32", undefined],
  ["10.0.0.0/8", undefined],
])("the range %j is written %j", (range, canonical) => {
  expect(canonicalCidr(range)).toBe(canonical)
})
