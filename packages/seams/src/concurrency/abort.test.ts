import { getEventListeners } from "node:events"
import { describe, expect, test } from "vitest"
import { messageOf, PilothouseError } from "../errors/errors.ts"
import { abortable, aborted, abortWith, onAbort, throwIfAborted } from "./abort.ts"

describe("aborted", () => {
  const rows: Record<string, { reason: unknown; says: string }> = {
    "no reason": { reason: undefined, says: "the operation was aborted" },
    "a word": { reason: "Ctrl-C", says: "the operation was aborted: Ctrl-C" },
    "an error": { reason: new PilothouseError("TIMEOUT", "took longer than 5s"), says: "the operation was aborted: took longer than 5s" },
    "another abort": { reason: new PilothouseError("ABORTED", "the operation was aborted"), says: "the operation was aborted" },
  }
  test.each(Object.entries(rows))("says why: %s", (_, { reason, says }) => {
    const error = aborted(AbortSignal.abort(reason))
    expect([error.code, messageOf(error)]).toEqual(["ABORTED", says])
  })
})

describe("onAbort", () => {
  test("calls once on abort, right after when that has been, and never after it was disposed", async () => {
    const calls: string[] = []
    const stop = new AbortController()
    onAbort(stop.signal, () => calls.push("before"))
    onAbort(stop.signal, () => calls.push("disposed"))[Symbol.dispose]()
    onAbort(undefined, () => calls.push("no signal"))[Symbol.dispose]()
    stop.abort()
    onAbort(stop.signal, () => calls.push("disposed at once"))[Symbol.dispose]()
    const listening = onAbort(stop.signal, () => {
      calls.push("after")
      // Would be a ReferenceError, were this called before onAbort has returned.
      listening[Symbol.dispose]()
    })
    expect(calls).toEqual(["before"])
    await Promise.resolve()
    expect(calls).toEqual(["before", "after"])
  })

  test("calls in order, each as often as it was given, and not one that another has disposed meanwhile", () => {
    const calls: string[] = []
    const stop = new AbortController()
    const twice = () => calls.push("twice")
    onAbort(stop.signal, twice)
    onAbort(stop.signal, () => {
      calls.push("disposes the next")
      next[Symbol.dispose]()
    })
    const next = onAbort(stop.signal, () => calls.push("next"))
    onAbort(stop.signal, twice)
    stop.abort()
    expect(calls).toEqual(["twice", "disposes the next", "twice"])
  })

  test("however many listen, the signal has one listener, and none when they are gone", () => {
    const stop = new AbortController()
    const listeners = Array.from({ length: 100 }, () => onAbort(stop.signal, () => {}))
    expect(getEventListeners(stop.signal, "abort")).toHaveLength(1)
    for (const each of listeners) each[Symbol.dispose]()
    expect(getEventListeners(stop.signal, "abort")).toHaveLength(0)
  })
})

test("abortWith aborts with the signal and for its reason, at once when that has aborted", () => {
  const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()]
  const outer = new AbortController()
  abortWith(first, outer.signal)
  abortWith(second, outer.signal)[Symbol.dispose]()
  outer.abort("because")
  abortWith(third, outer.signal)
  expect([first, second, third].map(({ signal }) => [signal.aborted, signal.reason])).toEqual([
    [true, "because"],
    [false, undefined],
    [true, "because"],
  ])
})

describe("abortable", () => {
  const never = new Promise<never>(() => {})

  test("settles as the work does", async () => {
    const { signal } = new AbortController()
    expect(await abortable(Promise.resolve(1), signal)).toBe(1)
    expect(await abortable(Promise.resolve(2), undefined)).toBe(2)
    await expect(abortable(Promise.reject(new Error("broken")), signal)).rejects.toThrow("broken")
  })

  test("rejects with ABORTED when the signal does, before or during the work", async () => {
    const stop = new AbortController()
    const during = abortable(never, stop.signal)
    stop.abort()
    await expect(during).rejects.toMatchObject({ code: "ABORTED" })
    await expect(abortable(never, stop.signal)).rejects.toMatchObject({ code: "ABORTED" })
  })

  test("does not lose the work's later failure as an unhandled rejection", async () => {
    const late = Promise.withResolvers<void>()
    await expect(abortable(late.promise, AbortSignal.abort())).rejects.toMatchObject({ code: "ABORTED" })
    late.reject(new Error("too late"))
  })
})

test("throwIfAborted throws only then", () => {
  throwIfAborted(undefined)
  throwIfAborted(new AbortController().signal)
  expect(() => throwIfAborted(AbortSignal.abort())).toThrow(expect.objectContaining({ code: "ABORTED" }))
})
