import { EventEmitter } from "node:events"
import { expect, onTestFinished, test, vi } from "vitest"
import { Signals } from "../commands/testing/signals.ts"
import { endOnUnhandledErrors, limitStops, stopLimit, waitForStopSignal } from "./process.ts"

function watched(listens: boolean) {
  const process = Object.assign(new EventEmitter(), { exitCode: undefined as number | undefined })
  const [said, done]: [string[], string[]] = [[], []]
  endOnUnhandledErrors({
    process,
    write: (text) => said.push(text),
    requestStop: () => {
      done.push("stop")
      return listens
    },
    exit: () => done.push("exit"),
  })
  const fail = (error: unknown, origin = "uncaughtException") => process.emit("uncaughtException", error, origin)
  return { process, said, done, fail }
}

test("an error that nothing caught is logged with its stack and its cause, and the command stops in order with exit code 1", () => {
  const { process, said, done, fail } = watched(true)
  fail(new Error("broken part", { cause: new Error("worn out") }))
  expect(said[0]).toMatch(/^pilothouse: an error was thrown and nothing caught it: Error: broken part\n +at /)
  expect(said[0]).toContain("[cause]: Error: worn out")
  expect([process.exitCode, done]).toEqual([1, ["stop"]])
})

test("where no command listens for a stop the process ends at once", () => {
  const { done, fail } = watched(false)
  fail("no error at all", "unhandledRejection")
  expect(done).toEqual(["stop", "exit"])
})

test("what fails while it stops is logged, and asks for no other stop", () => {
  const { said, done, fail } = watched(true)
  fail(new Error("first"))
  fail(new Error("second"), "unhandledRejection")
  expect(said.at(-1)).toContain("a promise was rejected and nothing handled it: Error: second")
  expect(done).toEqual(["stop"])
})

test("a second request to stop found no listener, and the process ended in the middle of the first", () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const bus = new EventEmitter()
  const requestStop = limitStops(bus)
  expect(requestStop()).toBe(false)
  // As a command does that has one listener for one signal.
  bus.once("SIGTERM", () => bus.emit("pilothouse-stopping", stopLimit))
  expect(requestStop()).toBe(true)
  expect([bus.listenerCount("SIGTERM"), requestStop()]).toEqual([0, true])
})

test("a command that ends because its data directory was lost had no time limit", async () => {
  using _signals = new Signals()
  const limits: number[] = []
  ;(process as EventEmitter).once("pilothouse-stopping", (limit: number) => limits.push(limit))
  await expect(waitForStopSignal(true, Promise.reject(new Error("taken over")))).rejects.toThrow("taken over")
  expect(limits).toEqual([stopLimit])
})
