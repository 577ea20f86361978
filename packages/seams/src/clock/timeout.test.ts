import { expect, test } from "vitest"
import { abortable, throwIfAborted } from "../concurrency/abort.ts"
import { PilothouseError } from "../errors/errors.ts"
import { startTimeout, withTimeout } from "./timeout.ts"
import { VirtualClock } from "./virtual-clock.ts"

type Work = (signal: AbortSignal, clock: VirtualClock) => Promise<string>

const late = (cause?: unknown) => new PilothouseError("TIMEOUT", "too late", { cause })
const heeding: Work = (signal, clock) => clock.sleep(500, { signal }).then(() => "done")
const deaf: Work = (_signal, clock) => clock.sleep(500).then(() => "done")
const stubborn: Work = () => new Promise<string>(() => {})

const rows: Record<string, { work: Work; timeout: number; abortAt?: number; ends: object | string; at: number }> = {
  "work that ends in time": { work: heeding, timeout: 600, ends: "done", at: 500 },
  "work that does not": { work: heeding, timeout: 100, ends: { code: "TIMEOUT", cause: { code: "ABORTED" } }, at: 100 },
  "work that is aborted from outside": { work: heeding, timeout: 600, abortAt: 50, ends: { code: "ABORTED" }, at: 50 },
  "a failure in time is passed on": {
    work: async () => {
      throw new PilothouseError("INVALID", "no")
    },
    timeout: 600,
    ends: { code: "INVALID" },
    at: 0,
  },
  "work that ignores its signal is waited for, and its result counts": { work: deaf, timeout: 100, ends: "done", at: 500 },
  "work that ignores its signal and is wrapped is left alone": {
    work: (signal, clock) => abortable(stubborn(signal, clock), signal),
    timeout: 100,
    ends: { code: "TIMEOUT" },
    at: 100,
  },
  "an outer signal that has aborted already": {
    work: async (signal) => {
      throwIfAborted(signal)
      return "done"
    },
    timeout: 600,
    abortAt: 0,
    ends: { code: "ABORTED" },
    at: 0,
  },
}

test.each(Object.entries(rows))("%s", async (_name, { work, timeout, abortAt, ends, at }) => {
  const clock = new VirtualClock()
  const outer = new AbortController()
  if (abortAt === 0) outer.abort()
  else if (abortAt !== undefined) clock.timer(abortAt, "abort", () => outer.abort())
  const options = { clock, timeout, name: "test", signal: outer.signal, error: late }
  const ended = withTimeout(options, (signal) => work(signal, clock)).then(
    (value) => ({ value, at: clock.elapsed() }),
    (error: unknown) => ({ error, at: clock.elapsed() }),
  )
  await clock.advance(1000)
  expect(await ended).toMatchObject(typeof ends === "string" ? { value: ends, at } : { error: ends, at })
})

test("leaves no timer behind", async () => {
  const clock = new VirtualClock()
  await withTimeout({ clock, timeout: "1m", name: "test", error: late }, async () => "done")
  expect(clock.waiting()).toEqual([])
})

test("a timeout of its own aborts with its error and says that it is over", async () => {
  const clock = new VirtualClock()
  using timeout = startTimeout({ clock, timeout: "1s", name: "test", error: late })
  expect([timeout.isOver, timeout.signal.aborted]).toEqual([false, false])
  await clock.advance(1000)
  expect([timeout.isOver, timeout.signal.reason]).toEqual([true, expect.objectContaining({ code: "TIMEOUT" })])
})
