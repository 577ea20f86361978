import { getHeapStatistics } from "node:v8"
import { expect, test } from "vitest"
import { collectGarbage } from "./collect-garbage.ts"

const used = () => getHeapStatistics().used_heap_size
/** Objects of some 40 MB. */
const many = () => Array.from({ length: 500_000 }, (_, number) => ({ number, more: [number] }))

test("what nobody holds is gone, what somebody holds is not", () => {
  collectGarbage()
  const before = used()
  const held = many()
  collectGarbage()
  const full = used()
  expect(full - before).toBeGreaterThan(20e6)
  expect(held.at(-1)).toEqual({ number: 499_999, more: [499_999] })
  held.length = 0
  collectGarbage()
  expect(used() - before).toBeLessThan(5e6)
})

test("programs find no gc() afterwards that they did not ask for", () => {
  collectGarbage()
  expect(Object.hasOwn(globalThis, "gc")).toBe(false)
})
