import { describe, expect, test } from "vitest"
import type { Clock } from "./clock.ts"

/** A clock, and the means to let its time go on. */
export interface ClockUnderTest {
  readonly clock: Clock
  /** Lets time go on until the promise settles: the system clock just awaits it. */
  until<T>(promise: Promise<T>): Promise<T>
}

/** What every Clock promises. Waits are of 0 to 2 ms and no row measures one, so that the suite can run on real time. */
export function clockContract(name: string, make: () => ClockUnderTest): void {
  describe(`the clock contract: ${name}`, () => {
    orderRows(make)
    sleepRows(make)
    externalRows(make)
  })
}

function orderRows(make: () => ClockUnderTest): void {
  test("timers fire in order of their due time, whatever the order of creation", async () => {
    const { clock, until } = make()
    let fired = false
    // Far apart: a busy machine may stop a real process for many milliseconds between two lines, and the due times move with it.
    using _later = clock.timer(10_000, "later", () => {
      fired = true
    })
    await until(new Promise<void>((resolve) => clock.timer(0, "sooner", resolve)))
    expect(fired).toBe(false)
  })

  test("timers that are due together fire in order of creation", async () => {
    const { clock, until } = make()
    const fired: number[] = []
    for (const number of [1, 2, 3]) clock.timer(1, `timer ${number}`, () => fired.push(number))
    await until(clock.sleep(1))
    expect(fired).toEqual([1, 2, 3])
  })

  test("what one timer's promise leads to is done before the next timer fires", async () => {
    const { clock, until } = make()
    const order: string[] = []
    clock.timer(1, "first", () => {
      order.push("first")
      void Promise.resolve().then(() => order.push("after first"))
    })
    clock.timer(1, "second", () => order.push("second"))
    await until(clock.sleep(1))
    expect(order).toEqual(["first", "after first", "second"])
  })

  test("no timer fires inside the call that made it", () => {
    const { clock } = make()
    let fired = false
    const timer = clock.timer(0, "now", () => {
      fired = true
    })
    expect(fired).toBe(false)
    timer[Symbol.dispose]()
  })

  test("a negative wait is as good as 0", async () => {
    const { clock, until } = make()
    await until(clock.sleep(-5))
  })

  test("a disposed timer never fires, and disposing twice or after it fired does nothing", async () => {
    const { clock, until } = make()
    const fired: string[] = []
    const disposed = clock.timer(0, "disposed", () => fired.push("disposed"))
    const kept = clock.timer(0, "kept", () => fired.push("kept"))
    disposed[Symbol.dispose]()
    disposed[Symbol.dispose]()
    await until(clock.sleep(1))
    kept[Symbol.dispose]()
    expect(fired).toEqual(["kept"])
  })

  test("one timer may dispose another that is due at the same instant", async () => {
    const { clock, until } = make()
    const fired: string[] = []
    clock.timer(1, "first", () => {
      fired.push("first")
      second[Symbol.dispose]()
    })
    const second = clock.timer(1, "second", () => fired.push("second"))
    await until(clock.sleep(1))
    expect(fired).toEqual(["first"])
  })

  test.each([Number.NaN, Number.POSITIVE_INFINITY])("a wait of %s is refused", async (wait) => {
    const { clock } = make()
    const message = `expected a finite number of milliseconds for the timer "x", found ${wait}; a wait without end needs no timer`
    expect(() => clock.timer(wait, "x", () => {})).toThrow(expect.objectContaining({ code: "INVALID", message }))
    await expect(clock.sleep(wait, { name: "x" })).rejects.toMatchObject({ code: "INVALID", message })
  })

  test("elapsed never goes back, and now is a time in this century", async () => {
    const { clock, until } = make()
    const before = clock.elapsed()
    await until(clock.sleep(1))
    expect(clock.elapsed()).toBeGreaterThanOrEqual(before)
    expect(new Date(clock.now()).getUTCFullYear()).toBeGreaterThanOrEqual(2025)
  })
}

function sleepRows(make: () => ClockUnderTest): void {
  test("sleep rejects with ABORTED when its signal aborts", async () => {
    const { clock, until } = make()
    const stop = new AbortController()
    const sleeping = clock.sleep(3_600_000, { signal: stop.signal })
    stop.abort()
    await expect(until(sleeping)).rejects.toMatchObject({ code: "ABORTED", retryable: false })
  })

  test("sleep rejects with ABORTED when its signal has aborted before", async () => {
    const { clock, until } = make()
    await expect(until(clock.sleep(0, { signal: AbortSignal.abort() }))).rejects.toMatchObject({ code: "ABORTED" })
  })

  test("an abort after the sleep is over changes nothing", async () => {
    const { clock, until } = make()
    const stop = new AbortController()
    await until(clock.sleep(0, { signal: stop.signal }))
    stop.abort()
  })
}

function externalRows(make: () => ClockUnderTest): void {
  test("external gives the result of the work", async () => {
    const { clock, until } = make()
    expect(await until(clock.external(Promise.resolve(7), "work"))).toBe(7)
  })

  test("external passes the failure of the work on", async () => {
    const { clock, until } = make()
    const failure = new Error("broken")
    await expect(until(clock.external(Promise.reject(failure), "work"))).rejects.toBe(failure)
  })
}
