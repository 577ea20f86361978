import { describe, expect, test } from "vitest"
import {
  type Cidr,
  cidrContains,
  cidrsOverlap,
  formatCidr,
  isGlobalUnicastIp,
  isSubnet,
  lastIn,
  parseCidr,
  parseCidrOrIp,
  subnetAt,
} from "./cidr.ts"
import { formatIp } from "./ip-address.ts"

const cidr = (text: string): Cidr => parseCidrOrIp(text)!

describe("parseCidr and formatCidr", () => {
  test.each<[text: string, expected: string | undefined]>([
    ["10.244.0.0/16", "10.244.0.0/16"],
    ["10.244.3.7/24", "10.244.3.0/24"],
    ["255.255.255.255/32", "255.255.255.255/32"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["fd00::/48", "fd00::/48"],
    ["FD00:0:0:1::9/64", "fd00:0:0:1::/64"],
    ["1:0:0:2:0:0:0:3/128", "1:0:0:2::3/128"],
    ["::/0", "::/0"],
    ["::ffff:10.9.8.7/104", "10.0.0.0/8"],
    ["::ffff:10.9.8.7/90", undefined],
    ["10.244.0.0", undefined],
    ["10.244.0/16", undefined],
    ["10.244.0.256/16", undefined],
    ["10.244.0.0/33", undefined],
    ["10.244.0.0/", undefined],
    ["10.244.0.0/x", undefined],
    ["10.244.0.0/8/8", undefined],
    ["10.244.0.0/-1", undefined],
    ["fd00::1::2/64", undefined],
    ["fd00::/129", undefined],
    ["pods", undefined],
    ["", undefined],
  ])("%s", (text, expected) => {
    const block = parseCidr(text)
    expect(block && formatCidr(block)).toBe(expected)
  })
})

test("parseCidrOrIp takes a bare address as a block of one", () => {
  expect(
    ["10.0.0.7", "fd00::7", "10.0.0.7/8", "here"].map((text) => parseCidrOrIp(text)).map((block) => block && formatCidr(block)),
  ).toEqual(["10.0.0.7/32", "fd00::7/128", "10.0.0.0/8", undefined])
})

test.each<[block: string, address: string, expected: boolean]>([
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
  ["10.0.0.0/8", "node-1", false],
])("%s contains %s: %s", (block, address, expected) => {
  expect(cidrContains(cidr(block), address)).toBe(expected)
})

test.each<[inner: string, outer: string, expected: boolean]>([
  ["10.244.3.0/24", "10.244.0.0/16", true],
  ["10.244.0.0/16", "10.244.0.0/16", true],
  ["10.244.0.0/16", "10.244.3.0/24", false],
  ["10.245.0.0/16", "10.244.0.0/16", false],
  ["0.0.0.1", "::/0", false],
])("%s is a subnet of %s: %s", (inner, outer, expected) => {
  expect(isSubnet(cidr(inner), cidr(outer))).toBe(expected)
})

test.each<[a: string, b: string, expected: boolean]>([
  ["10.0.0.0/8", "10.9.0.0/16", true],
  ["10.9.0.0/16", "10.0.0.0/8", true],
  ["10.9.0.0/16", "10.10.0.0/16", false],
  ["0.0.0.0/0", "::/0", false],
])("%s and %s overlap: %s", (a, b, expected) => {
  expect(cidrsOverlap(cidr(a), cidr(b))).toBe(expected)
})

test.each<[block: string, last: string]>([
  ["10.0.0.0/8", "10.255.255.255"],
  ["10.0.0.7/32", "10.0.0.7"],
  ["fd00::/120", "fd00::ff"],
])("the last address of %s is %s", (text, last) => {
  const block = cidr(text)
  expect(formatIp({ family: block.family, value: lastIn(block) })).toBe(last)
})

describe("subnetAt: the block of an index", () => {
  test.each<[cluster: string, prefixLength: number, index: number, expected: string]>([
    ["10.128.0.0/12", 24, 0, "10.128.0.0/24"],
    ["10.128.0.0/12", 24, 4095, "10.143.255.0/24"],
    ["192.168.8.0/21", 30, 5, "192.168.8.20/30"],
    ["fd12::/48", 64, 0, "fd12::/64"],
    ["fd12::/48", 64, 65535, "fd12:0:0:ffff::/64"],
    ["fd12::/56", 72, 258, "fd12:0:0:1:200::/72"],
    ["fd12::/88", 96, 15, "fd12::f:0:0/96"],
  ])("%s in /%i: number %i is %s", (cluster, prefixLength, index, expected) => {
    expect(formatCidr(subnetAt(cidr(cluster), prefixLength, index))).toBe(expected)
  })
})

test.each([
  ["192.0.2.1", true],
  ["10.0.0.1", true],
  ["fd00::1", true],
  ["127.0.0.1", false],
  ["0.1.2.3", false],
  ["169.254.169.254", false],
  ["224.0.0.1", false],
  ["255.255.255.255", false],
  ["::", false],
  ["::1", false],
  ["::ffff:127.0.0.1", false],
  ["fe80::1", false],
  ["node-1", false],
])("global unicast: %s is %s", (text, expected) => {
  expect(isGlobalUnicastIp(text)).toBe(expected)
})
