import { VirtualClock } from "@pilothouse/seams"
import fc from "fast-check"
import { expect, test } from "vitest"
import { exponentialLimiter } from "./rate-limiters.ts"
import { WorkQueue } from "./work-queue.ts"

interface QueuedRequest {
  readonly due: number
  /** Of two that are due together the one whose time was set first comes first. */
  readonly set: number
  readonly priority: number
  readonly order: number
}

/** A model of a work queue: requests by key, and the active keys. */
class Model {
  readonly requests = new Map<string, QueuedRequest>()
  readonly processing = new Set<string>()
  #order = 0
  #sets = 0

  add(key: string, due: number, now: number, priority: number): void {
    const old = this.requests.get(key)
    const higher = Math.max(priority, old?.priority ?? priority)
    const earlier = Math.min(due, old?.due ?? due)
    const moved = old === undefined || higher > old.priority || (old.due > now && earlier <= now)
    const set = old === undefined || due < old.due ? this.#sets++ : old.set
    this.requests.set(key, { due: earlier, set, priority: higher, order: moved ? this.#order++ : old.order })
  }

  /** A request that becomes due, or that waited for done(), goes to the end of its line. */
  enter(key: string): void {
    const request = this.requests.get(key)
    if (request !== undefined) this.requests.set(key, { ...request, order: this.#order++ })
  }

  next(now: number): string | undefined {
    const ready = [...this.requests].filter(([key, { due }]) => due <= now && !this.processing.has(key))
    return ready.sort(([, a], [, b]) => b.priority - a.priority || a.order - b.order)[0]?.[0]
  }
}

const key = fc.constantFrom("a", "b", "c", "d")
const command = fc.oneof(
  fc.record({ do: fc.constant("add" as const), key, after: fc.constantFrom(0, 0, 5, 10), priority: fc.constantFrom(-100, 0, 0, 7) }),
  fc.record({ do: fc.constant("take" as const) }),
  fc.record({ do: fc.constant("done" as const), key }),
  fc.record({ do: fc.constant("advance" as const), milliseconds: fc.constantFrom(1, 5, 20) }),
)

test("model: any calls leave the queue with the requested keys, and hand them out in order", async () => {
  const property = fc.asyncProperty(fc.array(command, { maxLength: 80, size: "max" }), async (commands) => {
    const clock = new VirtualClock()
    const queue = new WorkQueue({ name: "model", clock, limiter: exponentialLimiter() })
    const model = new Model()
    for (const one of commands) {
      const now = clock.elapsed()
      if (one.do === "add") {
        queue.add(one.key, one)
        model.add(one.key, now + one.after, now, one.priority)
      } else if (one.do === "done") {
        queue.done(one.key)
        if (model.processing.delete(one.key) && (model.requests.get(one.key)?.due ?? now + 1) <= now) model.enter(one.key)
      } else if (one.do === "advance") {
        // Requests become due one after the other, the earliest first.
        for (const [due, ripe] of [...model.requests]
          .filter(([, { due }]) => due > now && due <= now + one.milliseconds)
          .sort(([, a], [, b]) => a.due - b.due || a.set - b.set)) {
          void ripe
          model.enter(due)
        }
        await clock.advance(one.milliseconds)
      } else if (model.next(now) !== undefined) {
        const expected = model.next(now)!
        expect(await queue.next()).toBe(expected)
        model.requests.delete(expected)
        model.processing.add(expected)
      }
      const later = [...model.requests.values()].filter(({ due }) => due > clock.elapsed()).length
      expect([queue.depth, queue.delayed]).toEqual([model.requests.size - later, later])
    }
  })
  await fc.assert(property, { numRuns: 1000 })
})

test("races: concurrent workers never process a key twice at once, and no add is lost", async () => {
  const property = fc.asyncProperty(
    fc.scheduler(),
    fc.array(key, { minLength: 1, maxLength: 20, size: "max" }),
    async (scheduler, keys) => {
      const queue = new WorkQueue({ name: "races", clock: new VirtualClock(), limiter: exponentialLimiter() })
      const processing = new Set<string>()
      const requested = new Set<string>()
      const work = async () => {
        for (let taken = await queue.next(); taken !== undefined; taken = await queue.next()) {
          expect(processing.has(taken)).toBe(false)
          processing.add(taken)
          requested.delete(taken)
          await scheduler.schedule(Promise.resolve(), `work on ${taken}`)
          processing.delete(taken)
          queue.done(taken)
        }
      }
      const workers = [work(), work(), work()]
      const asking = scheduler.scheduleSequence(
        keys.map((one) => async () => {
          requested.add(one)
          queue.add(one)
        }),
      )
      await scheduler.waitFor(asking.task)
      await scheduler.waitFor(Promise.all([queue.drain(), ...workers]))
      expect([processing.size, requested.size, queue.depth]).toEqual([0, 0, 0])
    },
  )
  await fc.assert(property, { numRuns: 200 })
})
