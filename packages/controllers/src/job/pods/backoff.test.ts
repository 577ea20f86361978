import type { Job } from "@pilothouse/api/batch/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { job, noon, pod, pods } from "../testing/jobs.ts"
import { FailureMemory, type Failures, failuresSinceSuccess, timeUntilRetry } from "./backoff.ts"
import { failuresUpTo } from "./index-failures.ts"

describe("the wait after failures (upstream's TestGetRemainingBackoffTime)", () => {
  test.each([
    ["no failures", 0, 0, 0],
    ["one failure; current time and failure time are same", 1, 0, 10],
    ["one failure; current time == 1 second + failure time", 1, 1, 9],
    ["one failure; current time == expected backoff time", 1, 10, 0],
    ["one failure; current time == expected backoff time + 1 Second", 1, 11, 0],
    ["three failures; current time and failure time are same", 3, 0, 40],
    ["six failures; not exceeding the longest wait", 6, 0, 320],
    ["seven failures; the longest wait", 7, 0, 600],
    ["many failures; still the longest wait", 5000, 0, 600],
  ] as const)("%s", (_name, count, since, expected) => {
    expect(timeUntilRetry({ count, last: noon - since * 1000 }, noon)).toBe(expected * 1000)
  })

  test("one prev failure counted and one ignored; current time and failure time are same", () => {
    const annotations = { "batch.kubernetes.io/job-index-failure-count": "1", "batch.kubernetes.io/job-index-ignored-failure-count": "1" }
    expect(timeUntilRetry(failuresUpTo(pod({ phase: "Failed", ended: 0, annotations })), noon)).toBe(40_000)
  })
})

/** As one reconcile after another: what is recalled is remembered for the next. */
function told(memory: FailureMemory, of: Job, its: readonly Pod[]): Failures {
  const endings = memory.recall(of, its)
  memory.remember("default/work", endings)
  return failuresSinceSuccess(endings)
}

const failed = (ended: number) => pod({ phase: "Failed", ended })
const succeeded = (ended: number) => pod({ phase: "Succeeded", ended })

describe("failures since the last success (upstream's TestNewBackoffRecord)", () => {
  test.each<[string, readonly Pod[], number, number?]>([
    ["Empty backoff store and one new failure", [failed(0)], 1, noon],
    ["Empty backoff store and two new failures", [failed(0), failed(-1)], 2, noon],
    ["Empty backoff store, two failures followed by success", [failed(-2), failed(-1), succeeded(0)], 0],
    [
      "Empty backoff store, two failures, one success and two more failures",
      [failed(-4), failed(-3), succeeded(-2), failed(-1), failed(0)],
      2,
      noon,
    ],
    ["Empty backoff store with success and failure at same timestamp", [failed(0), succeeded(0)], 0],
    ["Empty backoff store with no success/failure", [], 0],
    ["Empty backoff store with one success", [succeeded(0)], 0],
    ["a terminating pod counts as long as it is tracked", [pod({ deleting: true })], 1],
    ["a terminating pod that the Job itself released does not", [pod({ deleting: true, tracked: false })], 0],
  ])("%s", (_name, its, count, last) => {
    const known = told(new FailureMemory(), job(), its)
    expect(known.count).toBe(count)
    if (last !== undefined) expect(known.last).toBe(last)
  })

  test("Backoff store having failure count 2 and one new failure: pods that are gone are remembered", () => {
    const memory = new FailureMemory()
    told(memory, job(), [failed(-20), failed(-10)])
    expect(told(memory, job(), [failed(0)])).toEqual({ count: 3, last: noon })
  })

  test("a pod that is seen twice is one failure", () => {
    const memory = new FailureMemory()
    const one = failed(0)
    told(memory, job(), [one])
    expect(told(memory, job(), [one]).count).toBe(1)
  })

  test("a success forgets what was before it, even of pods that are gone", () => {
    const memory = new FailureMemory()
    told(memory, job(), [failed(-20), failed(-10)])
    expect(told(memory, job(), [succeeded(-5)]).count).toBe(0)
  })

  test("another Job of the same name starts without failures, and so does a forgotten one", () => {
    const memory = new FailureMemory()
    told(memory, job(), [failed(0)])
    const second = { ...job(), metadata: { name: "work", namespace: "default", uid: "job-2" } }
    expect(told(memory, second, []).count).toBe(0)
    told(memory, second, [failed(0)])
    memory.remember("default/work", undefined)
    expect(told(memory, second, []).count).toBe(0)
  })

  test("recalling changed what is remembered: now only the plan does", () => {
    const memory = new FailureMemory()
    expect([memory.recall(job(), [failed(0)]), memory.of("default/work")]).toMatchObject([
      { failures: [[expect.any(String), noon]] },
      undefined,
    ])
  })

  test("no more is remembered than makes a difference", () => {
    expect(told(new FailureMemory(), job(), pods(50, { phase: "Failed", ended: 0 })).count).toBe(7)
  })
})
