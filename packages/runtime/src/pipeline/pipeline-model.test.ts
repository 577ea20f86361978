import { configMaps } from "@pilothouse/api/core/v1"
import { PilothouseError, type Random, seededRandom } from "@pilothouse/seams"
import { cluster } from "@pilothouse/testing"
import fc from "fast-check"
import { expect, test } from "vitest"
import { executor } from "../controller/plan/executor.ts"
import { plan } from "../controller/plan/plan-builder.ts"
import { testManager } from "../manager/testing/manager.ts"
import { eventHandler } from "./event-handler.ts"
import { pipeline } from "./pipeline.ts"

type Word = "added" | "modified"

interface Taken {
  readonly word: Word | "present" | "deleted"
  readonly value: string
  readonly from: "gone" | "failed" | "here"
  readonly deletions: number
}

/** One name, in the plainest words: what has happened under it that was not handled, and what is being done about it. */
class Modelled {
  readonly told: string[] = []
  value: string | undefined
  #word: Word | undefined
  #gone: string[] = []
  #failedGone: string[] = []
  #mayTry = 0
  #active: Taken | undefined
  #deletions = 0
  #changedMeanwhile = false
  #since = 0
  #failures = 0
  #stuck = false
  due = Number.POSITIVE_INFINITY

  received(value: string | undefined): void {
    if (value === undefined) {
      this.#gone.push(this.value!)
      this.#word = undefined
      this.#deletions++
    } else if (this.value === undefined) this.#word = "added"
    else this.#word ??= "modified"
    this.value = value
    this.#mayTry = this.#failedGone.length
    this.#changedMeanwhile = true
  }

  /** A free handler takes the next event. */
  step(now: number, blocked: boolean, failing: boolean): void {
    for (;;) {
      if (this.#active === undefined) {
        if (!this.#changedMeanwhile && this.due > now) return
        this.#changedMeanwhile = false
        this.due = Number.POSITIVE_INFINITY
        this.#active = this.#next()
        if (this.#active === undefined) return
      }
      if (blocked) return
      this.#end(now, failing)
    }
  }

  get failed(): number {
    return this.#failedGone.length + (this.#stuck ? 1 : 0)
  }

  #next(): Taken | undefined {
    const deletions = this.#deletions
    const gone = this.#gone[0]
    if (gone !== undefined) return { word: "deleted", value: gone, from: "gone", deletions }
    if (this.value !== undefined && (this.#word !== undefined || this.#mayTry === 0)) {
      const word = this.#word ?? "present"
      this.#word = undefined
      return { word, value: this.value, from: "here", deletions }
    }
    const failed = this.#mayTry > 0 ? this.#failedGone[0] : undefined
    return failed === undefined ? undefined : { word: "deleted", value: failed, from: "failed", deletions }
  }

  #end(now: number, failing: boolean): void {
    const { word, value, from, deletions } = this.#active!
    this.#active = undefined
    if (!failing) {
      this.told.push(`${word} ${value}`)
      this.#failures = 0
      this.#stuck = false
      this.#over(from)
      return
    }
    if (this.#failures === 0) this.#since = now
    this.#failures++
    if (from === "here" && deletions === this.#deletions) this.#word = word === "added" ? "added" : (this.#word ?? "modified")
    const left = this.#since + 180_000 - now
    if (left > 0) {
      this.due = now + Math.min(3000 * (2 ** this.#failures - 1), left)
      return
    }
    this.#failures = 0
    if (from === "here") {
      this.#stuck = true
      return
    }
    this.#over(from)
    this.#failedGone.push(value)
  }

  /** What comes behind it can be taken. */
  #over(from: Taken["from"]): void {
    if (from === "gone") this.#gone.shift()
    if (from === "failed") this.#failedGone.shift()
    if (from === "failed") this.#mayTry--
    this.#changedMeanwhile ||= this.#gone.length > 0 || this.#word !== undefined || this.#mayTry > 0
  }
}

const names = ["a", "b"] as const
const name = fc.constantFrom(...names)
const command = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("put" as const), name }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("remove" as const), name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("block" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("open" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("fail" as const), name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("mend" as const), name }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("advance" as const), seconds: fc.constantFrom(1, 3, 30, 170, 200) }) },
)

/** Draws the longest wait every time, so that the model can say when. */
const longest: Random = { ...seededRandom(1), int: (below) => below - 1 }

/** A pipeline with one handler that can be blocked and made to fail. */
async function subject() {
  const server = await cluster({ nodes: 0, controllers: [] })
  const told = new Map<string, string[]>(names.map((one) => [one, []]))
  const failing = new Set<string>()
  let waiting: (() => void)[] = []
  const state = { blocked: false }
  const handler = eventHandler({
    name: "told",
    of: configMaps,
    reconcileTimeout: 1_000_000_000,
    executors: [
      executor("tell-it", async ({ to }) => {
        const [word = "", one = "", value = ""] = to.split(" ")
        if (state.blocked) await new Promise<void>((resolve) => waiting.push(resolve))
        if (failing.has(one)) throw new PilothouseError("CLOUD", "not now")
        told.get(one)?.push(`${word} ${value}`)
      }),
    ],
    onPresent: ({ type, object }) => say(type, object),
    onDeleted: ({ type, object }) => say(type, object),
  })
  const say = (type: string, { metadata, data }: { metadata: { name?: string }; data?: Record<string, string> }) =>
    names.includes(metadata.name as "a")
      ? plan().operation({ do: "tell-it", to: `${type} ${metadata.name} ${data?.value}`, reason: "a test listens" })
      : plan().nothing("the server's own")
  const made = pipeline({ handlers: [handler], clock: server.clock, random: longest, resync: "1000h", depth: 1000 })
  const manager = await testManager(made.controllers, { server })
  const open = () => {
    state.blocked = false
    for (const go of waiting) go()
    waiting = []
  }
  const close = async () => {
    open()
    await manager.stop()
    await server.close()
  }
  return { server, told, failing, state, open, made, [Symbol.asyncDispose]: close }
}

test("model: a handler receives the events of the model, in its order, and the same events are kept as failed", async () => {
  const property = fc.asyncProperty(fc.array(command, { minLength: 10, maxLength: 40, size: "max" }), async (commands) => {
    await using run = await subject()
    const model = new Map(names.map((one) => [one, new Modelled()]))
    let count = 0
    const now = () => run.server.clock.elapsed()
    const step = () => {
      for (const [one, modelled] of model) modelled.step(now(), run.state.blocked, run.failing.has(one))
    }
    for (const one of commands) {
      if (one.do === "put") {
        const value = `${++count}`
        await run.server.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: one.name }, data: { value } })
        model.get(one.name)!.received(value)
      } else if (one.do === "remove") {
        if (model.get(one.name)!.value === undefined) continue
        await run.server.client.delete(configMaps, `default/${one.name}`)
        model.get(one.name)!.received(undefined)
      } else if (one.do === "block") run.state.blocked = true
      else if (one.do === "open") run.open()
      else if (one.do === "fail") run.failing.add(one.name)
      else if (one.do === "mend") run.failing.delete(one.name)
      else await advanceBoth(one.seconds * 1000)
      await run.server.settled()
      step()
      for (const [key, { told }] of model) expect(run.told.get(key)).toEqual(told)
    }
    const failed = [...model.values()].reduce((sum, one) => sum + one.failed, 0)
    expect(run.made.failed().length).toBe(failed)

    /** From one attempt of the model to the next, so that both see the same instants. */
    async function advanceBoth(milliseconds: number): Promise<void> {
      const until = now() + milliseconds
      for (;;) {
        const due = Math.min(...[...model.values()].map((one) => one.due))
        const next = Math.max(now(), Math.min(due, until))
        await run.server.advance(next - now())
        step()
        if (due > until) return
      }
    }
  })
  await fc.assert(property, { numRuns: 60 })
})
