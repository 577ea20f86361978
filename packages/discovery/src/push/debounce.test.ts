import { VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { Debounce } from "./debounce.ts"

async function fired(at: readonly number[], { quiet = 100, maximum = 1000 } = {}): Promise<readonly string[]> {
  const clock = new VirtualClock()
  const start = clock.elapsed()
  const found: string[] = []
  const debounce = new Debounce({ clock, quiet, maximum, fire: (calls) => found.push(`${calls} at ${clock.elapsed() - start}`) })
  for (const time of at) clock.timer(time, "call", () => debounce.call())
  await clock.advance(5_000)
  return found
}

test("one call waits for the quiet time", async () => {
  expect(await fired([0])).toEqual(["1 at 100"])
})
test("calls within the quiet time become one", async () => {
  expect(await fired([0, 50, 120])).toEqual(["3 at 220"])
})
test("calls further apart stay two", async () => {
  expect(await fired([0, 150])).toEqual(["1 at 100", "1 at 250"])
})
test("calls without an end go out at the maximum", async () => {
  const often = Array.from({ length: 30 }, (_, index) => index * 50)
  expect(await fired(often)).toEqual(["21 at 1000", "9 at 1550"])
})
