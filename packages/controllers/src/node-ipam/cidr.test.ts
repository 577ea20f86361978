import { describe, expect, test } from "vitest"
import { formatCidr, overlap, parseCidr, subBlock } from "./cidr.ts"

describe("parseCidr and formatCidr", () => {
  test.each<[text: string, expected: string | undefined]>([
    ["10.244.0.0/16", "10.244.0.0/16"],
    ["10.244.3.7/24", "10.244.3.0/24"],
    ["255.255.255.255/32", "255.255.255.255/32"],
    ["fd00::/48", "fd00::/48"],
    ["FD00:0:0:1::9/64", "fd00:0:0:1::/64"],
    ["1:0:0:2:0:0:0:3/128", "1:0:0:2::3/128"],
    ["::/0", "::/0"],
    ["10.244.0.0", undefined],
    ["10.244.0/16", undefined],
    ["10.244.0.256/16", undefined],
    ["10.244.0.0/33", undefined],
    ["fd00::1::2/64", undefined],
    ["fd00::12345/64", undefined],
    ["pods", undefined],
    ["", undefined],
  ])("%s", (text, expected) => {
    const block = parseCidr(text)
    expect(block && formatCidr(block)).toBe(expected)
  })
})

describe("IndexToCIDRBlock: the block of a number", () => {
  test.each<[cluster: string, size: number, number: number, expected: string]>([
    ["10.128.0.0/12", 24, 0, "10.128.0.0/24"],
    ["10.128.0.0/12", 24, 4095, "10.143.255.0/24"],
    ["192.168.8.0/21", 30, 5, "192.168.8.20/30"],
    ["fd12::/48", 64, 0, "fd12::/64"],
    ["fd12::/48", 64, 65535, "fd12:0:0:ffff::/64"],
    ["fd12::/56", 72, 258, "fd12:0:0:1:200::/72"],
    ["fd12::/88", 96, 15, "fd12::f:0:0/96"],
  ])("%s in /%i: number %i is %s", (cluster, size, number, expected) => {
    expect(formatCidr(subBlock(parseCidr(cluster)!, size, number))).toBe(expected)
  })
})

test.each<[a: string, b: string, expected: boolean]>([
  ["10.0.0.0/8", "10.9.0.0/16", true],
  ["10.9.0.0/16", "10.0.0.0/8", true],
  ["10.9.0.0/16", "10.10.0.0/16", false],
  ["0.0.0.0/0", "::/0", false],
])("overlap: %s and %s", (a, b, expected) => {
  expect(overlap(parseCidr(a)!, parseCidr(b)!)).toBe(expected)
})
