import fc from "fast-check"
import { expect, test } from "vitest"
import { VersionWaiters } from "./version-waiters.ts"

test("model: a waiter is released by the first version that is late enough, and no other", async () => {
  const version = fc.integer({ min: 1, max: 30 })
  const command = fc.oneof(
    fc.record({ do: fc.constant("wait" as const), version }),
    fc.record({ do: fc.constant("reached" as const), version }),
    fc.record({ do: fc.constant("give-up" as const), version: fc.nat({ max: 5 }) }),
  )
  const property = fc.asyncProperty(fc.array(command, { maxLength: 40, size: "max" }), async (commands) => {
    const waiters = new VersionWaiters()
    const waiting: { version: number; giving: AbortController; ended: string }[] = []
    for (const one of commands) {
      if (one.do === "wait") {
        const waiter = { version: one.version, giving: new AbortController(), ended: "" }
        waiting.push(waiter)
        waiters.wait(String(one.version), waiter.giving.signal).then(
          () => (waiter.ended = "released"),
          () => (waiter.ended = "gave up"),
        )
      } else if (one.do === "give-up") waiting[one.version]?.giving.abort()
      else waiters.reached(String(one.version))
      await Promise.resolve()
      if (one.do === "reached") {
        for (const waiter of waiting) if (waiter.version <= one.version) expect(waiter.ended).not.toBe("")
      }
      expect(waiters.size).toBe(waiting.filter(({ ended }) => ended === "").length)
    }
    waiters.releaseAll()
    await Promise.resolve()
    expect(waiting.every(({ ended }) => ended !== "")).toBe(true)
  })
  await fc.assert(property, { numRuns: 200 })
})
