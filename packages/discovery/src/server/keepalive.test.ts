import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { Keepalive } from "./keepalive.ts"

type Sessions = ConstructorParameters<typeof Keepalive>[0]

// What is read from sockets comes between timers and immediates: those stay real.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setTimeout", "clearTimeout"] }))
afterEach(() => void vi.useRealTimers())

const afterSockets = () => new Promise<void>((resolve) => setImmediate(resolve))

function setUp() {
  const answers: ((error: Error | null) => void)[] = []
  const session = {
    destroyed: false,
    ping: (answer: (error: Error | null) => void) => void answers.push(answer),
    destroy: () => void (session.destroyed = true),
  }
  let silent = 0
  const keepalive = new Keepalive(new Set([session]) as unknown as Sessions, { time: 30, timeout: 10 }, () => silent++)
  return { session, answers, keepalive, silent: () => silent }
}

test("an answer that was there in time counts, though it is read after the timer", async () => {
  const { session, answers, silent } = setUp()
  vi.advanceTimersByTime(40)
  answers[0]!(null)
  await afterSockets()
  expect([session.destroyed, silent()]).toEqual([false, 0])
  vi.advanceTimersByTime(20)
  expect(answers.length).toBe(2)
})

test.each([
  ["no answer", () => undefined],
  ["an error", (answer: (error: Error | null) => void) => answer(new Error("not sent"))],
])("%s ends the connection, and is reported once", async (_title, answer) => {
  const { session, answers, silent } = setUp()
  vi.advanceTimersByTime(30)
  answer(answers[0]!)
  vi.advanceTimersByTime(10)
  await afterSockets()
  expect([session.destroyed, silent()]).toEqual([true, 1])
  vi.advanceTimersByTime(100)
  await afterSockets()
  expect([answers.length, silent()]).toEqual([1, 1])
})

test("nothing is left of it once it is disposed of", () => {
  const { keepalive } = setUp()
  vi.advanceTimersByTime(30)
  keepalive[Symbol.dispose]()
  expect(vi.getTimerCount()).toBe(0)
})
