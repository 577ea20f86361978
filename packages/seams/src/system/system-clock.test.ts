import { expect, test } from "vitest"
import { clockContract } from "../clock/clock.contract.ts"
import { systemClock } from "./system-clock.ts"

clockContract("system", () => ({ clock: systemClock, until: (promise) => promise }))

test("a wait longer than Node's timers can be does not fire at once", async () => {
  let fired = false
  const timer = systemClock.timer(2 ** 31 + 5, "a month", () => {
    fired = true
  })
  await systemClock.sleep(1)
  timer[Symbol.dispose]()
  expect(fired).toBe(false)
})
