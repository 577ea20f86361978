import { describe, expect, test } from "vitest"
import { clockContract } from "./clock.contract.ts"
import type { Duration } from "./duration.ts"
import { VirtualClock } from "./virtual-clock.ts"

clockContract("virtual", () => {
  const clock = new VirtualClock()
  return { clock, until: async <T>(promise: Promise<T>) => (await clock.run(promise)) as T }
})

const hour = 3_600_000
const never = new Promise<never>(() => {})

describe("moving time", () => {
  test("starts on a Monday morning, or at the given time", () => {
    expect(new Date(new VirtualClock().now()).toISOString()).toBe("2026-01-05T09:00:00.000Z")
    expect(new VirtualClock({ start: 5 }).now()).toBe(5)
  })

  test("time stands still until it is advanced", async () => {
    const clock = new VirtualClock()
    let fired = false
    clock.timer(0, "now", () => {
      fired = true
    })
    await Promise.resolve()
    expect([fired, clock.elapsed()]).toEqual([false, 0])
  })

  test("settle fires what is due now, and what that makes due now, and no more", async () => {
    const clock = new VirtualClock()
    const fired: string[] = []
    clock.timer(0, "a", () => {
      fired.push("a")
      clock.timer(0, "b", () => fired.push("b"))
      clock.timer(1, "c", () => fired.push("c"))
    })
    await clock.settle()
    expect([fired, clock.elapsed()]).toEqual([["a", "b"], 0])
  })

  test("advance fires what falls due on the way, each at its time, and ends at the target", async () => {
    const clock = new VirtualClock()
    const fired: number[] = []
    for (const wait of [30, 10, 20, 31]) clock.timer(wait, `${wait}`, () => fired.push(clock.elapsed()))
    await clock.advance(30)
    expect([fired, clock.elapsed()]).toEqual([[10, 20, 30], 30])
  })

  test("advance includes timers made on the way", async () => {
    const clock = new VirtualClock()
    let ticks = 0
    const tick = () => {
      ticks++
      clock.timer(60_000, "tick", tick)
    }
    clock.timer(60_000, "tick", tick)
    await clock.advance("1h")
    expect(ticks).toBe(60)
  })

  test("run(promise) gives its result, and time is where it settled", async () => {
    const clock = new VirtualClock()
    const result = await clock.run(clock.sleep(5 * hour).then(() => "done"))
    expect([result, clock.elapsed()]).toEqual(["done", 5 * hour])
  })

  test("run(promise) rejects as the promise does", async () => {
    const clock = new VirtualClock()
    const failure = new Error("broken")
    const failing = clock.sleep(1).then(() => Promise.reject(failure))
    await expect(clock.run(failing)).rejects.toBe(failure)
  })

  test("run(predicate) stops at the first instant at which it holds", async () => {
    const clock = new VirtualClock()
    let count = 0
    for (const wait of [10, 20, 30]) clock.timer(wait, "count", () => count++)
    expect(await clock.run(() => count === 2)).toBeUndefined()
    expect(clock.elapsed()).toBe(20)
  })

  test("a thousand hours of twenty periodic tasks pass quickly", async () => {
    const clock = new VirtualClock()
    let ticks = 0
    const periodic = async (every: number) => {
      for (;;) {
        await clock.sleep(every)
        ticks++
      }
    }
    for (let number = 0; number < 20; number++) void periodic(hour)
    await clock.advance("1000h")
    expect(ticks).toBe(20_000)
  })
})

describe("when time cannot go on", () => {
  test("run(promise) is STUCK when no timer is left, and says at what time", async () => {
    const clock = new VirtualClock()
    await clock.advance(7)
    await expect(clock.run(never)).rejects.toMatchObject({
      code: "STUCK",
      message:
        "virtual time is stuck at 7 ms: the awaited promise has not settled, and no timer is left that could bring it; look for a promise that never settles, or real work not wrapped in clock.external",
    })
  })

  test("run(predicate) is STUCK with the condition in the message", async () => {
    const pods: string[] = []
    await expect(new VirtualClock().run(() => pods.length === 3)).rejects.toThrow(
      "virtual time is stuck at 0 ms: the condition () => pods.length === 3 does not hold, and no timer",
    )
  })

  test("STUCK is reported even when the promise rejects afterwards", async () => {
    const clock = new VirtualClock()
    const late = Promise.withResolvers<void>()
    await expect(clock.run(late.promise)).rejects.toMatchObject({ code: "STUCK" })
    late.reject(new Error("too late"))
    await clock.settle()
  })

  test("a cancelled timer does not keep a stuck run going", async () => {
    const clock = new VirtualClock()
    clock.timer(10, "cancelled", () => {})[Symbol.dispose]()
    await expect(clock.run(never)).rejects.toMatchObject({ code: "STUCK" })
    expect(clock.elapsed()).toBe(0)
  })

  test("CLOCK_LIMIT names who waits, earliest first", async () => {
    const clock = new VirtualClock({ limit: "1m" })
    const resync = () => void clock.timer(25_000, "resync of pods", resync)
    resync()
    clock.timer(2 * hour, "lease renewal", () => {})
    await expect(clock.run(never)).rejects.toMatchObject({
      code: "CLOCK_LIMIT",
      message:
        "virtual time ran 60000 ms and the awaited promise has not settled; waiting: resync of pods in 25000 ms; lease renewal in 7150000 ms",
    })
  })

  test("the limit counts from the start of each run", async () => {
    const clock = new VirtualClock({ limit: "1m" })
    await clock.run(clock.sleep(50_000))
    await clock.run(clock.sleep(50_000))
    expect(clock.elapsed()).toBe(100_000)
  })

  test("a predicate that throws comes out of run", async () => {
    const failing = () => {
      throw new Error("no such pod")
    }
    await expect(new VirtualClock().run(failing)).rejects.toThrow("no such pod")
  })
})

describe("errors in timer callbacks", () => {
  const thrower = () => {
    const clock = new VirtualClock()
    const fired: string[] = []
    clock.timer(10, "first", () => {
      fired.push("first")
      throw new Error("broken")
    })
    clock.timer(10, "second", () => fired.push("second"))
    return { clock, fired }
  }

  test.each([
    ["advance", (clock: VirtualClock) => clock.advance(20)],
    ["run(promise)", (clock: VirtualClock) => clock.run(never)],
    ["run(predicate)", (clock: VirtualClock) => clock.run(() => false)],
    ["settle", (clock: VirtualClock) => clock.advance(9).then(() => clock.timer(0, "now", broken) && clock.settle())],
  ])("come out of %s", async (_, move) => {
    await expect(move(thrower().clock)).rejects.toThrow("broken")
  })

  test("spend that timer only: the next call goes on from its instant", async () => {
    const { clock, fired } = thrower()
    await expect(clock.advance(20)).rejects.toThrow("broken")
    expect([clock.elapsed(), fired]).toEqual([10, ["first"]])
    await clock.advance(20)
    expect([clock.elapsed(), fired]).toEqual([30, ["first", "second"]])
  })
})

function broken(): never {
  throw new Error("broken")
}

describe("two callers that move time", () => {
  test("the second gets CLOCK_BUSY, the first is not disturbed", async () => {
    const clock = new VirtualClock()
    const first = clock.advance(10)
    await expect(clock.settle()).rejects.toMatchObject({
      code: "CLOCK_BUSY",
      message:
        "expected no other caller to move virtual time during settle(), found a advance() under way; await that first, and in code that runs under the clock use sleep or timer",
    })
    await first
    expect(clock.elapsed()).toBe(10)
  })

  test("code that runs under the clock cannot move it", async () => {
    const clock = new VirtualClock()
    const inside = clock.sleep(5).then(() => clock.advance(5))
    await expect(clock.run(inside)).rejects.toMatchObject({ code: "CLOCK_BUSY" })
  })

  test("one after the other is fine, also after a failure", async () => {
    const clock = new VirtualClock()
    await expect(clock.run(never)).rejects.toMatchObject({ code: "STUCK" })
    await clock.advance(1)
    await clock.settle()
    expect(clock.elapsed()).toBe(1)
  })

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, "soon"])("advance(%s) is refused", async (duration) => {
    await expect(new VirtualClock().advance(duration as Duration)).rejects.toMatchObject({ code: "INVALID" })
  })
})

describe("external work", () => {
  test("holds time still until it is over", async () => {
    const clock = new VirtualClock()
    const socket = Promise.withResolvers<string>()
    const order: string[] = []
    clock.timer(1, "timer", () => order.push("timer"))
    const reading = clock.external(socket.promise, "socket").then((text) => order.push(text))
    const moving = clock.advance(1)
    await macrotasks(3)
    expect([order, clock.elapsed()]).toEqual([[], 0])
    socket.resolve("answer")
    await moving
    await reading
    expect(order).toEqual(["answer", "timer"])
  })

  test("all of it must be over, also what is opened when another ends", async () => {
    const clock = new VirtualClock()
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const chain = clock.external(first.promise, "first").then(() => clock.external(second.promise, "second"))
    const moving = clock.advance(1)
    await macrotasks(2)
    first.resolve()
    await macrotasks(2)
    expect([clock.elapsed(), clock.waiting()]).toEqual([0, ["second (external)"]])
    second.resolve()
    await Promise.all([moving, chain])
    expect(clock.elapsed()).toBe(1)
  })

  test("that fails lets time go on", async () => {
    const clock = new VirtualClock()
    const work = clock.external(Promise.reject(new Error("refused")), "socket")
    await expect(clock.run(work)).rejects.toThrow("refused")
    await clock.advance(1)
  })

  test("that never ends is STUCK when the clock's patience, in real time, is over", async () => {
    const clock = new VirtualClock({ patience: 1 })
    void clock.external(never, "GET /api from 127.0.0.1")
    await expect(clock.run(never)).rejects.toMatchObject({
      code: "STUCK",
      message:
        "virtual time is stuck at 0 ms: external work has not ended in 1 ms of real time: GET /api from 127.0.0.1; look for a socket that is never closed, or give the clock more patience",
    })
  })
})

/** Gives everything that could run the chance to. */
async function macrotasks(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

test("waiting lists timers by due time, then external work", () => {
  const clock = new VirtualClock()
  clock.timer(20, "b", () => {})
  clock.timer(10, "a", () => {})
  clock.timer(15, "cancelled", () => {})[Symbol.dispose]()
  void clock.external(never, "socket")
  expect(clock.waiting()).toEqual(["a in 10 ms", "b in 20 ms", "socket (external)"])
})
