import { VirtualClock } from "@pilothouse/seams"
import fc from "fast-check"
import { expect, test } from "vitest"
import { exponentialLimiter } from "./rate-limiters.ts"
import { WorkQueue } from "./work-queue.ts"

interface Wish {
  readonly due: number
  /** Of two that are due together the one whose time was set first comes first. */
  readonly set: number
  readonly priority: number
  readonly order: number
}

/** What a work queue should be, in the plainest words: wishes by key, and the keys in hand. */
class Model {
  readonly wishes = new Map<string, Wish>()
  readonly inHand = new Set<string>()
  #order = 0
  #sets = 0

  add(key: string, due: number, now: number, priority: number): void {
    const old = this.wishes.get(key)
    const higher = Math.max(priority, old?.priority ?? priority)
    const earlier = Math.min(due, old?.due ?? due)
    const moved = old === undefined || higher > old.priority || (old.due > now && earlier <= now)
    const set = old === undefined || due < old.due ? this.#sets++ : old.set
    this.wishes.set(key, { due: earlier, set, priority: higher, order: moved ? this.#order++ : old.order })
  }

  /** A wish whose time comes, or that waited for done(), stands at the end of its line. */
  enter(key: string): void {
    const wish = this.wishes.get(key)
    if (wish !== undefined) this.wishes.set(key, { ...wish, order: this.#order++ })
  }

  next(now: number): string | undefined {
    const ready = [...this.wishes].filter(([key, { due }]) => due <= now && !this.inHand.has(key))
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

test("model: any calls leave the queue with what was wished for, and hand it out in order", async () => {
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
        if (model.inHand.delete(one.key) && (model.wishes.get(one.key)?.due ?? now + 1) <= now) model.enter(one.key)
      } else if (one.do === "advance") {
        // One wish after the other falls due, the earliest first.
        for (const [due, ripe] of [...model.wishes]
          .filter(([, { due }]) => due > now && due <= now + one.milliseconds)
          .sort(([, a], [, b]) => a.due - b.due || a.set - b.set)) {
          void ripe
          model.enter(due)
        }
        await clock.advance(one.milliseconds)
      } else if (model.next(now) !== undefined) {
        const expected = model.next(now)!
        expect(await queue.next()).toBe(expected)
        model.wishes.delete(expected)
        model.inHand.add(expected)
      }
      const later = [...model.wishes.values()].filter(({ due }) => due > clock.elapsed()).length
      expect([queue.depth, queue.delayed]).toEqual([model.wishes.size - later, later])
    }
  })
  await fc.assert(property, { numRuns: 1000 })
})

test("races: workers that take their time in any order never hold a key twice, and no wish is lost", async () => {
  const property = fc.asyncProperty(
    fc.scheduler(),
    fc.array(key, { minLength: 1, maxLength: 20, size: "max" }),
    async (scheduler, keys) => {
      const queue = new WorkQueue({ name: "races", clock: new VirtualClock(), limiter: exponentialLimiter() })
      const inHand = new Set<string>()
      const wished = new Set<string>()
      const work = async () => {
        for (let taken = await queue.next(); taken !== undefined; taken = await queue.next()) {
          expect(inHand.has(taken)).toBe(false)
          inHand.add(taken)
          wished.delete(taken)
          await scheduler.schedule(Promise.resolve(), `work on ${taken}`)
          inHand.delete(taken)
          queue.done(taken)
        }
      }
      const workers = [work(), work(), work()]
      const asking = scheduler.scheduleSequence(
        keys.map((one) => async () => {
          wished.add(one)
          queue.add(one)
        }),
      )
      await scheduler.waitFor(asking.task)
      await scheduler.waitFor(Promise.all([queue.drain(), ...workers]))
      expect([inHand.size, wished.size, queue.depth]).toEqual([0, 0, 0])
    },
  )
  await fc.assert(property, { numRuns: 200 })
})
