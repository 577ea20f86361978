import { memoryMetrics, VirtualClock } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { exponentialLimiter, withMaxRetries } from "./rate-limiters.ts"
import { WorkQueue, type WorkQueueOptions } from "./work-queue.ts"

function made(options: Partial<WorkQueueOptions> = {}): { readonly queue: WorkQueue; readonly clock: VirtualClock } {
  const clock = new VirtualClock()
  return { clock, queue: new WorkQueue({ name: "test", clock, limiter: exponentialLimiter(), ...options }) }
}

/** Processes everything that is ready. */
async function takeAll(queue: WorkQueue): Promise<readonly string[]> {
  const taken: string[] = []
  while (queue.depth > 0) {
    const key = (await queue.next()) ?? ""
    taken.push(key)
    queue.done(key)
  }
  return taken
}

describe("one entry per key", () => {
  test("asking twice is asking once, in the place of the first", async () => {
    const { queue } = made()
    for (const key of ["a", "b", "a"]) queue.add(key)
    expect(queue.depth).toBe(2)
    expect(await takeAll(queue)).toEqual(["a", "b"])
  })

  test("Reinsert: a key added while processing is never handed out twice at once, and is ready again after done", async () => {
    const { queue } = made()
    queue.add("a")
    expect(await queue.next()).toBe("a")
    queue.add("a")
    queue.add("b")
    expect(await queue.next()).toBe("b")
    queue.done("b")
    queue.done("a")
    expect(await takeAll(queue)).toEqual(["a"])
  })

  test("done of a key that is not processing is ignored", async () => {
    const { queue } = made()
    queue.add("a")
    queue.done("a")
    queue.done("b")
    expect(await takeAll(queue)).toEqual(["a"])
  })

  test("says when a key comes up", async () => {
    const { queue, clock } = made()
    queue.add("now")
    queue.add("later", { after: 5000 })
    await clock.advance(2000)
    expect(["now", "later", "never"].map((key) => queue.dueIn(key))).toEqual([0, 3000, undefined])
    await queue.next()
    expect(queue.dueIn("now")).toBeUndefined()
    queue.add("now")
    expect(queue.dueIn("now")).toBe(0)
  })

  test("a taker that waits is handed the next key; one that gives up is not", async () => {
    const { queue } = made()
    const giving = new AbortController()
    const first = queue.next(giving.signal)
    const second = queue.next()
    giving.abort()
    queue.add("a")
    expect([await first, await second, await queue.next(giving.signal)]).toEqual([undefined, "a", undefined])
  })
})

describe("later", () => {
  test("SimpleQueue: a delayed key comes when its time has come", async () => {
    const { queue, clock } = made()
    queue.add("a", { after: 50 })
    expect([queue.depth, queue.delayed]).toEqual([0, 1])
    await clock.advance(49)
    expect(queue.depth).toBe(0)
    await clock.advance(1)
    expect(await takeAll(queue)).toEqual(["a"])
  })

  test("Deduping, AddTwoFireEarly: of two delays the earlier wins, whichever was asked for first", async () => {
    for (const delays of [
      [100, 50],
      [50, 100],
    ]) {
      const { queue, clock } = made()
      for (const after of delays) queue.add("a", { after })
      await clock.advance(50)
      expect(await takeAll(queue)).toEqual(["a"])
      await clock.advance(100)
      expect(queue.depth).toBe(0)
    }
  })

  test("now is earlier than any delay, and a key that is ready is not delayed", async () => {
    const { queue, clock } = made()
    queue.add("a", { after: 50 })
    queue.add("a")
    queue.add("a", { after: 50 })
    expect([queue.depth, queue.delayed]).toEqual([1, 0])
    expect(await takeAll(queue)).toEqual(["a"])
    await clock.advance(100)
    expect(queue.depth).toBe(0)
    expect(clock.waiting()).toEqual([])
  })

  test("CopyShifting: delayed keys come in the order of their times", async () => {
    const { queue, clock } = made()
    queue.add("first", { after: 1000 })
    queue.add("second", { after: 500 })
    queue.add("third", { after: 250 })
    await clock.advance("2s")
    expect(await takeAll(queue)).toEqual(["third", "second", "first"])
  })

  test("a delay added while processing holds until after done", async () => {
    const { queue, clock } = made()
    queue.add("a")
    await queue.next()
    queue.add("a", { after: 50 })
    await clock.advance(60)
    expect(queue.depth).toBe(1)
    const waiting = queue.next()
    queue.done("a")
    expect(await waiting).toBe("a")
  })

  test("nothing and less than nothing is now; what is no time is refused", () => {
    const { queue } = made()
    queue.add("a", { after: -1 })
    expect(queue.depth).toBe(1)
    for (const after of [Number.NaN, Number.POSITIVE_INFINITY]) expect(() => queue.add("b", { after })).toThrow("expected a finite number")
    expect(queue.depth + queue.delayed).toBe(1)
  })
})

describe("priorities", () => {
  test("higher goes first, equal ones in order of arrival", async () => {
    const { queue } = made()
    for (const key of ["old-1", "old-2"]) queue.add(key, { priority: -100 })
    for (const key of ["live-1", "live-2"]) queue.add(key)
    expect(await takeAll(queue)).toEqual(["live-1", "live-2", "old-1", "old-2"])
  })

  test("asking again raises a key to the higher priority and never lowers it", async () => {
    const { queue, clock } = made()
    for (const key of ["a", "b", "c"]) queue.add(key, { priority: -100 })
    queue.add("c", { priority: 5 })
    queue.add("c", { priority: -5 })
    queue.add("b", { priority: 1, after: 1000 })
    expect(await takeAll(queue)).toEqual(["c", "b", "a"])
    queue.add("late", { priority: -100, after: 10 })
    queue.add("late", { priority: 7, after: 20 })
    queue.add("other", { after: 10 })
    await clock.advance(10)
    expect(await takeAll(queue)).toEqual(["late", "other"])
  })

  test("a retry keeps the priority the key was taken with, unless something more urgent comes", async () => {
    const { queue, clock } = made()
    queue.add("a", { priority: -100 })
    await queue.next()
    expect(queue.priorityOf("a")).toBe(-100)
    queue.retry("a")
    queue.done("a")
    queue.add("b", { priority: -50, after: 5 })
    await clock.advance(5)
    expect(await takeAll(queue)).toEqual(["b", "a"])
  })

  test("a thousand of them are taken from the highest to the lowest", async () => {
    const { queue } = made()
    for (let priority = 0; priority < 1000; priority++) queue.add(`key-${priority}`, { priority })
    expect(await takeAll(queue)).toEqual(Array.from({ length: 1000 }, (_, at) => `key-${999 - at}`))
  })
})

describe("retries", () => {
  test("wait as the limiter says, from the start again once a key went well", async () => {
    const { queue, clock } = made()
    const waits: number[] = []
    for (const well of [false, false, true, false]) {
      const before = clock.elapsed()
      queue.retry("a")
      await clock.run(() => queue.depth > 0)
      waits.push(clock.elapsed() - before)
      queue.done((await queue.next()) ?? "")
      if (well) queue.forget("a")
    }
    expect(waits).toEqual([5, 10, 20, 5])
  })

  test("a key that failed too often is given up, and starts again with the next event", async () => {
    const { queue, clock } = made({ limiter: withMaxRetries(exponentialLimiter(), 2) })
    expect([queue.retry("a"), queue.retry("a"), queue.retry("a"), queue.retry("a")]).toEqual([true, true, false, true])
    await clock.advance("1s")
    expect(await takeAll(queue)).toEqual(["a"])
  })
})

describe("the end", () => {
  test("NoQueueDrainageUsingShutDown: takes nothing more, hands out what is ready, then says that it is over", async () => {
    const { queue, clock } = made()
    queue.add("a")
    queue.add("late", { after: 10 })
    queue.close()
    queue.add("b")
    expect([await queue.next(), await queue.next()]).toEqual(["a", undefined])
    await clock.advance("1s")
    expect([queue.depth, queue.delayed]).toEqual([0, 0])
  })

  test("waiting callers are released", async () => {
    const { queue } = made()
    const waiting = [queue.next(), queue.next()]
    queue.close()
    expect(await Promise.all(waiting)).toEqual([undefined, undefined])
  })

  test("QueueDrainageUsingShutDownWithDrain: ends when everything has been processed", async () => {
    const { queue, clock } = made()
    queue.add("a")
    queue.add("b")
    await queue.next()
    let drained = false
    void queue.drain().then(() => (drained = true))
    queue.done("a")
    await clock.settle()
    expect(drained).toBe(false)
    queue.done((await queue.next()) ?? "")
    await clock.settle()
    expect(drained).toBe(true)
  })

  test("QueueDrainageUsingShutDownWithDrainWithDirtyItem: waits for a key that was added again while processing", async () => {
    const { queue, clock } = made()
    queue.add("a")
    await queue.next()
    queue.add("a")
    let drained = false
    void queue.drain().then(() => (drained = true))
    queue.done("a")
    await clock.settle()
    expect(drained).toBe(false)
    expect(await takeAll(queue)).toEqual(["a"])
    await clock.settle()
    expect(drained).toBe(true)
  })

  test("ForceQueueShutdownUsingShutDown: closing ends a drain whose workers are gone", async () => {
    const { queue } = made()
    queue.add("a")
    await queue.next()
    const draining = queue.drain()
    queue.close()
    await draining
  })

  test("an empty queue is drained at once", async () => {
    await made().queue.drain()
  })
})

test("GarbageCollection: nothing is kept of keys that are done with", async () => {
  const { queue, clock } = made()
  for (let at = 0; at < 1000; at++) queue.add(`key-${at}`, { after: at % 2 })
  await clock.advance(1)
  await takeAll(queue)
  expect([queue.depth, queue.delayed, clock.waiting().length]).toEqual([0, 0, 0])
})

test("100,000 keys are handed out in order, quickly", async () => {
  const { queue } = made()
  const keys = Array.from({ length: 100_000 }, (_, at) => `key-${at}`)
  for (const key of keys) queue.add(key)
  expect(await takeAll(queue)).toEqual(keys)
}, 10_000)

test("metrics with upstream's names", async () => {
  const metrics = memoryMetrics()
  const { clock } = made()
  const queue = new WorkQueue({ name: "pods", clock, limiter: exponentialLimiter(), metrics })
  const value = (name: string) => metrics.value(`workqueue_${name}`, { name: "pods" })
  queue.add("a")
  queue.add("a")
  queue.add("b")
  expect([value("depth"), value("adds_total")]).toEqual([2, 2])
  await clock.advance("2s")
  await queue.next()
  expect([value("depth"), value("queue_duration_seconds")]).toEqual([1, 1])
  await clock.advance(500)
  expect([value("unfinished_work_seconds"), value("longest_running_processor_seconds")]).toEqual([0.5, 0.5])
  await clock.advance("2500ms")
  expect([value("unfinished_work_seconds"), value("longest_running_processor_seconds")]).toEqual([3, 3])
  queue.retry("a")
  queue.done("a")
  expect([value("work_duration_seconds"), value("retries_total")]).toEqual([1, 1])
  await clock.advance("1s")
  expect([value("unfinished_work_seconds"), value("longest_running_processor_seconds")]).toEqual([0, 0])
  expect(metrics.text()).toContain('workqueue_queue_duration_seconds_sum{name="pods"} 2')
  const bounds = [...metrics.text().matchAll(/workqueue_work_duration_seconds_bucket\{.*le="([^"]+)"/g)].map(([, bound]) => Number(bound))
  expect(bounds.slice(0, -1)).toEqual([1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10, 100, 1000])
  expect(clock.waiting()).toEqual([])
})
