import { expect, test } from "vitest"
import { inSlices, mapInSlices } from "./turns.ts"

/** A clock on which each step takes a millisecond; counts the times that others had their turn. */
function steppingClock() {
  let [now, turns] = [0, 0]
  const clock = {
    elapsed: () => now,
    sleep: async () => {
      turns++
    },
  }
  return { clock, step: () => now++, turns: () => turns }
}

test("long work gives others their turn after each slice", async () => {
  const { clock, step, turns } = steppingClock()
  const made = await mapInSlices(
    Array.from({ length: 320 }, (_, at) => at),
    inSlices(clock),
    (item) => {
      step()
      return item * 2
    },
  )
  expect(made.slice(0, 3)).toEqual([0, 2, 4])
  expect(made).toHaveLength(320)
  expect(turns()).toBe(10)
})

test("short work is not interrupted", async () => {
  const { clock, turns } = steppingClock()
  await mapInSlices(Array.from({ length: 10_000 }), inSlices(clock), () => 0)
  expect(turns()).toBe(0)
})
