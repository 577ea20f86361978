import fc from "fast-check"
import { expect, test } from "vitest"
import { type Timer, TimerHeap } from "./timer-heap.ts"

type Action = { do: "push"; due: number } | { do: "pop" } | { do: "cancel"; which: number }

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("push" as const), due: fc.integer({ min: 0, max: 20 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("pop" as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("cancel" as const), which: fc.nat() }) },
)

/** The same promises in the plainest way: a list, sorted at every call. */
class SortedList {
  timers: Timer[] = []
  sorted(): Timer[] {
    return this.timers.toSorted((a, b) => a.due - b.due || a.order - b.order)
  }
  take(timer: Timer | undefined): void {
    this.timers = this.timers.filter((other) => other !== timer)
  }
}

test("a heap gives what a sorted list gives", () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 400 }), (actions) => {
      const [heap, model, made] = [new TimerHeap(), new SortedList(), [] as Timer[]]
      for (const step of actions) {
        play(step, heap, model, made)
        expect(heap.peek()?.order).toBe(model.sorted()[0]?.order)
        expect(heap.size).toBe(model.timers.length)
      }
      expect(heap.waiting().map(({ order }) => order)).toEqual(model.sorted().map(({ order }) => order))
    }),
  )
})

function play(step: Action, heap: TimerHeap, model: SortedList, made: Timer[]): void {
  if (step.do === "push") {
    const timer = timerAt(step.due, made.length)
    made.push(timer)
    heap.push(timer)
    model.timers.push(timer)
  } else if (step.do === "pop") {
    const expected = model.sorted()[0]
    model.take(expected)
    expect(heap.pop()?.order).toBe(expected?.order)
  } else if (made.length > 0) {
    // Any timer ever made, so also one that has fired or was cancelled before.
    const timer = made[step.which % made.length]!
    heap.cancel(timer)
    model.take(timer)
  }
}

test("cancelled timers are cleared out: those that wait still come in order", () => {
  const heap = new TimerHeap()
  const timers = Array.from({ length: 10_000 }, (_, order) => timerAt((order * 7919) % 10_007, order))
  for (const timer of timers) heap.push(timer)
  for (const timer of timers) if (timer.order % 100 !== 0) heap.cancel(timer)
  const out: number[] = []
  for (let timer = heap.pop(); timer; timer = heap.pop()) out.push(timer.due)
  expect(out).toHaveLength(100)
  expect(out).toEqual(out.toSorted((a, b) => a - b))
})

function timerAt(due: number, order: number): Timer {
  return { due, order, name: `timer ${order}`, fire: () => {}, gone: false }
}
