import { type Duration, VirtualClock } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import {
  bucketLimiter,
  defaultLimiter,
  exponentialLimiter,
  fastSlowLimiter,
  fixedIntervalLimiter,
  type Limiter,
  maxOf,
  withMaxDelay,
  withMaxRetries,
} from "./rate-limiters.ts"

function delays(limiter: Limiter, count: number, key = "a"): readonly number[] {
  return Array.from({ length: count }, () => limiter.delay(key))
}

test("ItemExponentialFailureRateLimiter: doubles per key, up to the longest, and forgets", () => {
  const limiter = exponentialLimiter({ base: 1, max: 1000 })
  expect(delays(limiter, 5)).toEqual([1, 2, 4, 8, 16])
  expect(delays(limiter, 2, "b")).toEqual([1, 2])
  expect([limiter.failures("a"), limiter.failures("b"), limiter.failures("c")]).toEqual([5, 2, 0])
  limiter.forget("a")
  expect([limiter.failures("a"), limiter.delay("a")]).toEqual([0, 1])
})

test("upstream's numbers are 5 ms to 1000 s", () => {
  expect(delays(exponentialLimiter(), 19).at(0)).toBe(5)
  expect(delays(exponentialLimiter(), 19).at(-1)).toBe(1_000_000)
})

test("ItemExponentialFailureRateLimiterOverFlow: no number of failures leaves the limits", () => {
  const limiter = exponentialLimiter({ base: 1, max: 1000 })
  expect(new Set(delays(limiter, 5000).slice(10))).toEqual(new Set([1000]))
})

test("ItemFastSlowRateLimiter: a few quick tries, then a slow beat", () => {
  const limiter = fastSlowLimiter({ fast: 5, slow: 10_000, tries: 3 })
  expect(delays(limiter, 5)).toEqual([5, 5, 5, 10_000, 10_000])
  limiter.forget("a")
  expect(limiter.delay("a")).toBe(5)
})

test("a fixed interval is always the same", () => {
  expect(delays(fixedIntervalLimiter(15_000), 3)).toEqual([15_000, 15_000, 15_000])
})

describe("BucketRateLimiter", () => {
  test("lets a burst through, then ten a second, each in its turn", async () => {
    const clock = new VirtualClock()
    const limiter = bucketLimiter(clock)
    expect(new Set(delays(limiter, 100))).toEqual(new Set([0]))
    expect(delays(limiter, 3)).toEqual([100, 200, 300])
    await clock.advance("1s")
    expect(delays(limiter, 7)).toEqual([0, 0, 0, 0, 0, 0, 0])
    expect(limiter.delay("b")).toBe(100)
  })

  test("fills no further than the burst", async () => {
    const clock = new VirtualClock()
    const limiter = bucketLimiter(clock, { perSecond: 1, burst: 2 })
    await clock.advance("1h")
    expect(delays(limiter, 3)).toEqual([0, 0, 1000])
  })
})

test("MaxOfRateLimiter: the longest of several waits, and each counts", () => {
  const limiter = maxOf(fastSlowLimiter({ fast: 5, slow: 3000, tries: 3 }), exponentialLimiter({ base: 1, max: 1000 }))
  expect(delays(limiter, 5)).toEqual([5, 5, 5, 3000, 3000])
  expect(limiter.failures("a")).toBe(5)
  limiter.forget("a")
  expect([limiter.failures("a"), limiter.delay("a")]).toEqual([0, 5])
})

test("WithMaxWaitRateLimiter: never longer than so long", () => {
  expect(delays(withMaxDelay(exponentialLimiter({ base: 1 }), 4), 5)).toEqual([1, 2, 4, 4, 4])
})

test("a key is given up after so many failures", () => {
  const limiter = withMaxRetries(exponentialLimiter(), 2)
  expect(delays(limiter, 3)).toEqual([5, 10, Number.POSITIVE_INFINITY])
  limiter.forget("a")
  expect(limiter.delay("a")).toBe(5)
})

test("the default is the longer of a key's own delay and the bucket's", () => {
  const limiter = defaultLimiter(new VirtualClock())
  for (let at = 0; at < 100; at++) expect(limiter.delay(`key-${at}`)).toBe(5)
  expect([limiter.delay("a"), limiter.delay("b")]).toEqual([100, 200])
})

test("times may be written as words", () => {
  expect(exponentialLimiter({ base: "500ms", max: "1s" }).delay("a")).toBe(500)
  expect(fastSlowLimiter({ fast: "1s", slow: "1m", tries: 1 }).delay("a")).toBe(1000)
  expect(fixedIntervalLimiter("15s").delay("a")).toBe(15_000)
  expect(() => exponentialLimiter({ base: "soon" as Duration })).toThrow("soon")
})

test("a longest wait does not bring back a key that was given up", () => {
  const limiter = withMaxDelay(withMaxRetries(exponentialLimiter({ base: "10s" }), 2), "5s")
  expect([1, 2, 3].map(() => limiter.delay("a"))).toEqual([5000, 5000, Number.POSITIVE_INFINITY])
})
