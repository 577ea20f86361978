import { expect, test } from "vitest"
import { connectionLimits, parseDescriptorLimit } from "./connection-limits.ts"

test("the soft limit of open files is found in what Linux reports of a process", () => {
  const text = [
    "Limit                     Soft Limit           Hard Limit           Units     ",
    "Max core file size        0                    unlimited            bytes     ",
    "Max open files            1024                 524288               files     ",
  ].join("\n")
  expect(parseDescriptorLimit(text)).toBe(1024)
  expect(parseDescriptorLimit("")).toBe(Number.POSITIVE_INFINITY)
})

test("a listening socket has a share of the descriptors, and one address two thirds of that", () => {
  // No process has fewer.
  expect(connectionLimits(1, 12)).toMatchObject({ total: 12, perAddress: 8 })
  expect(connectionLimits(0)).toMatchObject({ total: 1, perAddress: 1 })
})
