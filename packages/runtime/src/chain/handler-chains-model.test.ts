import { recordingLog, VirtualClock } from "@pilothouse/seams"
import fc from "fast-check"
import { expect, test } from "vitest"
import { HandlerChains } from "./handler-chains.ts"
import { TestSource } from "./testing/source.ts"

/** One object, in the plainest words: what its handlers still have to receive, and when they are retried. */
interface Modelled {
  gone: string | undefined
  here: string | undefined
  due: number
  /** Failures since its last change: they increase the delay. */
  wait: number
  /** Failures since it last went well, or was found gone, or was given up: those of one thing to tell. */
  attempts: number
  /** What the attempts were of. */
  failed: "gone" | "here" | undefined
}

/** What a handler chain should be. */
class Model {
  readonly told: string[] = []
  readonly failing = new Set<string>()
  readonly #objects = new Map<string, Modelled>()

  received(name: string, value: string | undefined, before: string | undefined, now: number): void {
    const one = this.#objects.get(name) ?? { gone: undefined, here: undefined, due: now, wait: 0, attempts: 0, failed: undefined }
    if (value === undefined) Object.assign(one, { gone: one.gone ?? before, here: undefined })
    else one.here = value
    this.#objects.set(name, Object.assign(one, { due: now, wait: 0 }))
    this.#attempt(name, one, now)
  }

  /** Up to this instant, one attempt after the other. */
  advance(until: number): void {
    for (;;) {
      const [next] = [...this.#objects].filter(([, { due }]) => due <= until).sort(([, a], [, b]) => a.due - b.due)
      if (next === undefined) return
      this.#attempt(next[0], next[1], next[1].due)
    }
  }

  stuck(): string[] {
    return [...this.#objects].filter(([, { attempts }]) => attempts >= 10).map(([name]) => name)
  }

  #attempt(name: string, one: Modelled, now: number): void {
    for (; one.gone !== undefined || one.here !== undefined; ) {
      if (!this.failing.has(name)) {
        this.told.push(one.gone === undefined ? `${name}=${one.here}` : `${name}=${one.gone} is gone`)
        one.attempts = 0
        one.wait = 0
      } else {
        this.#count(one)
        if (one.gone === undefined || one.attempts < 10) {
          one.due = now + Math.min(1000 * 2 ** one.wait++, 60_000)
          return
        }
        one.failed = undefined
        one.wait = 0
      }
      if (one.gone === undefined) one.here = undefined
      else one.gone = undefined
    }
    one.due = Number.POSITIVE_INFINITY
  }

  #count(one: Modelled): void {
    const what = one.gone === undefined ? "here" : "gone"
    one.attempts = one.failed === what ? one.attempts + 1 : 1
    one.failed = what
  }
}

const name = fc.constantFrom("a", "b", "c")
const command = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("put" as const), name, value: fc.constantFrom("1", "2", "3") }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("remove" as const), name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("fail" as const), name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("mend" as const), name }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("advance" as const), seconds: fc.constantFrom(1, 3, 30, 61, 600) }) },
)

test("model: whatever happens, handlers receive what the model says, in its order, and the same objects are stuck", async () => {
  const property = fc.asyncProperty(fc.array(command, { maxLength: 40, size: "max" }), async (commands) => {
    const clock = new VirtualClock()
    const source = new TestSource()
    const model = new Model()
    const told: string[] = []
    const chains = new HandlerChains({ name: "model", clock, log: recordingLog().log })
    const chain = chains.chain(source, { kind: "ConfigMaps" })
    chain.append(({ object }) => {
      if (model.failing.has(object.metadata.name!)) throw new Error("failing")
    })
    chain.append(({ event, object }) => {
      told.push(`${object.metadata.name}=${object.data?.value}${event === "delete" ? " is gone" : ""}`)
    })
    const stopping = new AbortController()
    const running = chains.run(stopping.signal)
    source.markSynced()
    await clock.settle()
    for (const one of commands) {
      if (one.do === "put" || one.do === "remove") {
        const before = source.store.get(`shop/${one.name}`)?.data?.value
        const value = one.do === "put" ? one.value : undefined
        if (one.do === "put") source.put(one.name, one.value)
        else source.remove(one.name)
        await clock.settle()
        if (value !== before) model.received(one.name, value, before, clock.elapsed())
      } else if (one.do === "advance") {
        await clock.advance(one.seconds * 1000)
        model.advance(clock.elapsed())
      } else if (one.do === "fail") model.failing.add(one.name)
      else model.failing.delete(one.name)
      expect(told).toEqual(model.told)
      expect(chains.stuck.map(({ key }) => key.slice("shop/".length)).sort()).toEqual(model.stuck().sort())
    }
    stopping.abort()
    await clock.run(running)
  })
  await fc.assert(property, { numRuns: 500 })
})
