import { VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { exponentialLimiter } from "../queue/rate-limiters.ts"
import { WorkQueue } from "../queue/work-queue.ts"
import { reconcileKeys } from "./reconcile-keys.ts"

/** Work that lasts until the test ends it, key by key. */
function bench(places: number, keys: readonly string[]) {
  const queue = new WorkQueue({ name: "bench", clock: new VirtualClock(), limiter: exponentialLimiter() })
  for (const key of keys) queue.add(key)
  const begun: string[] = []
  const ends = new Map<string, PromiseWithResolvers<void>>()
  const stop = new AbortController()
  let over: AbortSignal | undefined
  const running = reconcileKeys({
    queue,
    maxConcurrent: places,
    stop: stop.signal,
    async work(key, signal) {
      over = signal
      begun.push(key)
      const end = Promise.withResolvers<void>()
      ends.set(key, end)
      try {
        await end.promise
      } finally {
        queue.done(key)
      }
    },
  })
  return {
    queue,
    begun,
    running,
    stop,
    over: () => over?.aborted,
    end: (key: string) => ends.get(key)!.resolve(),
    fail: (key: string) => ends.get(key)!.reject(new Error(`${key} failed`)),
  }
}

/** Everything that needs no time has happened. */
async function quiet(): Promise<void> {
  for (let round = 0; round < 20; round++) await Promise.resolve()
}

test("no more than maxConcurrent keys are active, and the next starts when one ends", async () => {
  const { begun, end } = bench(2, ["a", "b", "c", "d"])
  await quiet()
  expect(begun).toEqual(["a", "b"])
  end("b")
  await quiet()
  expect(begun).toEqual(["a", "b", "c"])
})

test("a key that is more urgent than those that wait for a place goes before them", async () => {
  const { queue, begun, end } = bench(1, ["a", "b", "c"])
  await quiet()
  queue.add("urgent", { priority: 10 })
  end("a")
  await quiet()
  expect(begun).toEqual(["a", "urgent"])
})

test("a key that is asked for several times before its turn is begun once", async () => {
  const { queue, begun } = bench(500, [])
  await quiet()
  for (let times = 0; times < 3; times++) for (const key of ["a", "b"]) queue.add(key)
  await quiet()
  // The first was handed out at once, so that later adds of it lead to another reconcile.
  expect(begun).toEqual(["a", "b"])
})

test("a key that is started again as it is released counts once", async () => {
  const { queue, begun, end } = bench(2, ["a"])
  await quiet()
  queue.add("a")
  end("a")
  await quiet()
  for (const key of ["b", "c"]) queue.add(key)
  await quiet()
  expect(begun).toEqual(["a", "a", "b"])
})

test("the signal lets nothing more begin, and it ends when all that was begun has", async () => {
  const { begun, end, running, stop } = bench(2, ["a", "b", "c"])
  let ended = false
  void running.then(() => {
    ended = true
  })
  await quiet()
  stop.abort()
  end("a")
  await quiet()
  expect({ begun, ended }).toEqual({ begun: ["a", "b"], ended: false })
  end("b")
  await running
  expect(begun).toEqual(["a", "b"])
})

test("work that throws ends the rest cleanly before the error is thrown", async () => {
  const { begun, end, fail, over, running } = bench(2, ["a", "b", "c"])
  let failure: unknown
  const told = running.catch((error: unknown) => {
    failure = error
  })
  await quiet()
  fail("a")
  await quiet()
  expect({ begun, over: over(), failure }).toEqual({ begun: ["a", "b"], over: true, failure: undefined })
  end("b")
  await told
  expect(failure).toEqual(new Error("a failed"))
})
