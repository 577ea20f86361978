import { expect, test } from "vitest"
import { memorySize } from "./change-log.ts"

test("a large text weighs what it is long, wherever it stands", () => {
  const long = "x".repeat(900_000)
  for (const value of [long, { data: { a: long } }, { items: [{ long }] }]) {
    expect(memorySize(value)).toBeGreaterThan(900_000)
    expect(memorySize(value)).toBeLessThan(900_300)
  }
})

test.each([
  ["Cyrillic", "ж".repeat(1000), 2000],
  ["with one sign of many", `${"x".repeat(998)}🙂`, 2000],
  ["with umlauts", "ü".repeat(1000), 1000],
])("a long text %s weighs what V8 takes for it", (_what, text, bytes) => {
  expect(memorySize(text)).toBe(24 + bytes)
})

test.each<[unknown, number]>([
  [undefined, 0],
  [null, 0],
  [7, 0],
  ["", 24],
  [{}, 32],
  [[1, 2], 48],
  [{ a: "b", c: [true] }, 32 + 8 + 25 + 8 + 40],
])("%j takes %i bytes", (value, bytes) => {
  expect(memorySize(value)).toBe(bytes)
})

test("a frozen object with many members is gone through once", () => {
  let reads = 0
  const member = Object.freeze({
    get text() {
      reads++
      return "x"
    },
  })
  const members = Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`m${at}`, member]))
  const frozen = Object.freeze({ ...members })
  const size = memorySize({ status: frozen })
  expect(reads).toBe(2000)
  expect(memorySize({ status: frozen })).toBe(size)
  expect(reads).toBe(2000)
  memorySize(members)
  memorySize(members)
  expect(reads).toBe(6000)
})
