import { seededRandom, VirtualClock } from "@pilothouse/seams"
import fc from "fast-check"
import { expect, test } from "vitest"
import { Backoff } from "./backoff.ts"

test("waits double from 0.8 s to 30 s, each stretched by 1 to 2", () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const backoff = new Backoff(new VirtualClock(), seededRandom(seed))
      for (const base of [800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]) {
        const wait = backoff.delay()
        expect(wait).toBeGreaterThanOrEqual(base)
        expect(wait).toBeLessThan(2 * base)
      }
    }),
    { numRuns: 50 },
  )
})

test("two minutes without a failure reset the delay, counted from the end of the wait", async () => {
  const clock = new VirtualClock()
  const backoff = new Backoff(clock, { ...seededRandom(1), next: () => 0 })
  expect([backoff.delay(), backoff.delay()]).toEqual([800, 1600])
  await clock.advance(1600 + 120_000)
  expect(backoff.delay()).toBe(3200)
  await clock.advance(3200 + 120_001)
  expect(backoff.delay()).toBe(800)
})

test("reset() starts with the first delay", () => {
  const backoff = new Backoff(new VirtualClock(), { ...seededRandom(1), next: () => 0 })
  expect([backoff.delay(), backoff.delay()]).toEqual([800, 1600])
  backoff.reset()
  expect(backoff.delay()).toBe(800)
})
