import { expect, test } from "vitest"
import { fieldTag, varintLength, writeVarint } from "./varint.ts"

test.each([
  [0, "00"],
  [1, "01"],
  [127, "7f"],
  [128, "8001"],
  [300, "ac02"],
  [16_383, "ff7f"],
  [16_384, "808001"],
  [2 ** 31 - 1, "ffffffff07"],
  [2 ** 31, "8080808008"],
  [2 ** 32 - 1, "ffffffff0f"],
  [2 ** 32, "8080808010"],
  [2 ** 38 + 5, "858080808008"],
  [Number.MAX_SAFE_INTEGER, "ffffffffffffff0f"],
])("%d is written as %s", (value, hex) => {
  const bytes = new Uint8Array(12)
  const end = writeVarint(bytes, 2, value)
  expect([Buffer.from(bytes.subarray(2, end)).toString("hex"), varintLength(value)]).toEqual([hex, hex.length / 2])
  expect([...bytes.subarray(0, 2), ...bytes.subarray(end)].every((byte) => byte === 0)).toBe(true)
})

test("a tag is the number of the field and the wire type", () => {
  expect([fieldTag(1, 2), fieldTag(15, 0), fieldTag(16, 1), fieldTag(2 ** 29 - 1, 2)]).toEqual([10, 120, 129, 2 ** 32 - 6])
})
