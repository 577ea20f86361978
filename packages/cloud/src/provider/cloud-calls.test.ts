import { VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { CloudCalls } from "./cloud-calls.ts"

const never = new AbortController().signal

function harness(maxConcurrent = 1) {
  const clock = new VirtualClock()
  const calls = new CloudCalls({ clock, maxConcurrent, patience: 100, timeout: 1000 })
  const begun: string[] = []
  /** A call that takes so long. */
  const call = (name: string, milliseconds: number, signal = never) =>
    calls.run(
      name,
      async (inner) => {
        begun.push(name)
        await clock.sleep(milliseconds, { signal: inner })
        return name
      },
      signal,
    )
  return { clock, calls, begun, call }
}

test("so many begin at once, and the next when one has ended", async () => {
  const { clock, begun, call } = harness(2)
  const all = Promise.all([call("a", 50), call("b", 60), call("c", 10)])
  await clock.advance(40)
  expect(begun).toEqual(["a", "b"])
  await clock.advance(30)
  expect(begun).toEqual(["a", "b", "c"])
  expect(await all).toEqual(["a", "b", "c"])
})

test("a slow one gives its place away, and goes on", async () => {
  const { clock, begun, call } = harness()
  const slow = call("slow", 900)
  const next = call("next", 10)
  await clock.advance(90)
  expect(begun).toEqual(["slow"])
  await clock.advance(20)
  expect(begun).toEqual(["slow", "next"])
  await clock.run(slow)
  expect([await slow, await next]).toEqual(["slow", "next"])
})

test("one that does not end is given up in words, though it heeds no signal", async () => {
  const { clock, calls } = harness()
  const hanging = calls.run("make a thing", () => new Promise(() => {}), never).catch((error: unknown) => error)
  await clock.advance(1000)
  expect(await hanging).toMatchObject({ code: "TIMEOUT", message: "the cloud did not make a thing within 1 s" })
})

test("an aborted call ends at once, and one that waited never begins", async () => {
  const { clock, begun, call } = harness()
  const stop = new AbortController()
  const codes = ["a", "b"].map((name) => call(name, 500, stop.signal).catch((error: { code: string }) => error.code))
  await clock.advance(10)
  stop.abort()
  await clock.settle()
  expect(await Promise.all(codes)).toEqual(["ABORTED", "ABORTED"])
  expect(begun).toEqual(["a"])
})
