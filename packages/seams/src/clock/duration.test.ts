import { expect, test } from "vitest"
import { formatDuration, milliseconds } from "./duration.ts"

test.each([
  ["1h30m", 5_400_000],
  ["5m", 300_000],
  ["1.5s", 1500],
  ["250ms", 250],
  ["1m0.5s", 60_500],
  ["0", 0],
  ["0s", 0],
  ["10us", 0.01],
  ["10µs", 0.01],
  ["1000000ns", 1],
  [0, 0],
  [12.5, 12.5],
  [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
])("%j is %d ms", (duration, expected) => {
  expect(milliseconds(duration)).toBeCloseTo(expected, 9)
})

test.each(["", "5", "5 m", "m", "-5m", "+5m", "1h 30m", "1d", "5M", ".5s", "1,5s", "5mm", "1e3s", "0x1s"])("%j is refused", (duration) => {
  expect(() => milliseconds(duration)).toThrow(
    expect.objectContaining({
      code: "INVALID",
      message: `expected a duration such as "1h30m", "5m", "1.5s" or "250ms", found ${JSON.stringify(duration)}`,
    }),
  )
})

test.each([-1, Number.NaN])("%d is refused", (duration) => {
  expect(() => milliseconds(duration)).toThrow(
    expect.objectContaining({ code: "INVALID", message: `expected a duration of 0 ms or more, found ${duration}` }),
  )
})

test.each([0, 250, 15_000, 90_000, 3_600_000, 5_400_000])("%i ms are written as they are read", (duration) => {
  expect(milliseconds(formatDuration(duration))).toBe(duration)
})
