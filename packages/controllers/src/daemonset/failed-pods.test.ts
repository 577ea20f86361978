import { describe, expect, test } from "vitest"
import { FailedPods, type RememberFailure, waitBeforeDeletion } from "./failed-pods.ts"
import { daemonSet } from "./testing/objects.ts"

const owner = daemonSet({ status: { observedGeneration: 1 } as never })
const note = (at: number, of = owner, node = "node-1"): RememberFailure => ({
  do: "remember-failure",
  to: "",
  reason: "",
  owner: of,
  node,
  at,
})

describe("the wait after failures (DaemonKillFailedPodsBackoff)", () => {
  test("is a second, doubles, and ends at a quarter of an hour", () => {
    const failed = new FailedPods()
    let at = 0
    const waits = Array.from({ length: 13 }, () => {
      failed.remember(note(at))
      const { wait } = failed.of(owner, "node-1")!
      at += wait
      return wait / 1000
    })
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900])
  })

  test("starts over after half an hour without failure, for another node, and for a new generation", () => {
    const failed = new FailedPods()
    for (const at of [0, 1, 2]) failed.remember(note(at))
    expect(failed.of(owner, "node-1")?.wait).toBe(4_000)
    expect(failed.of(owner, "node-2")).toBeUndefined()
    expect(failed.of(daemonSet({ status: { observedGeneration: 2 } as never }), "node-1")).toBeUndefined()
    failed.remember(note(30 * 60_000 + 3))
    expect(failed.of(owner, "node-1")?.wait).toBe(1_000)
  })

  test.each([
    { name: "none was noted", backoff: undefined, now: 5, expected: 0 },
    { name: "some of it is left", backoff: { since: 1_000, wait: 2_000 }, now: 1_500, expected: 1_500 },
    { name: "it is just over", backoff: { since: 1_000, wait: 2_000 }, now: 3_000, expected: 0 },
  ])("$name", ({ backoff, now, expected }) => {
    expect(waitBeforeDeletion(backoff, now)).toBe(expected)
  })
})
