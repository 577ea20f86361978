import { type Transport, valueBody } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { TurnGate } from "./turn-gate.ts"

const request = { verb: "GET", path: "/", query: {}, headers: {} } as const

/** Each answer takes a millisecond. */
function setUp() {
  let [now, answered] = [0, 0]
  const transport: Transport = async () => {
    now++
    return { status: 200, headers: {}, body: valueBody(++answered) }
  }
  const turns = new TurnGate({ elapsed: () => now })
  return { turns, ask: turns.over(transport), answered: () => answered, pass: (milliseconds: number) => (now += milliseconds) }
}

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve))

test("a thousand requests at once leave turns to others, and are answered in their order", async () => {
  const { ask, answered } = setUp()
  const all = Promise.all(Array.from({ length: 1000 }, () => ask(request)))
  expect(answered()).toBe(51)
  let before = answered()
  for (; before < 1000; before = answered()) {
    await turn()
    expect(answered() - before).toBeLessThanOrEqual(32)
  }
  expect((await all).map(({ body }) => (body.type === "value" ? body.value : 0))).toEqual(Array.from({ length: 1000 }, (_, at) => at + 1))
})

test("a request after a pause does not wait", async () => {
  const { ask, answered, pass } = setUp()
  await ask(request)
  await turn()
  pass(10_000)
  void ask(request)
  expect(answered()).toBe(2)
})

test("none is lost when it ends, and none waits after that", async () => {
  const { turns, ask, answered, pass } = setUp()
  const all = Promise.all(Array.from({ length: 100 }, () => ask(request)))
  turns[Symbol.dispose]()
  await all
  pass(10_000)
  await ask(request)
  expect(answered()).toBe(101)
})

test("what one does before it is over counts: work of 30 ms each goes on two in a turn", async () => {
  const { turns, pass } = setUp()
  let done = 0
  const work = async () => {
    await turns.whenFree()
    await Promise.resolve()
    pass(30)
    done++
  }
  expect(turns.whenFree()).toBeUndefined()
  pass(60)
  const all = Promise.all(Array.from({ length: 20 }, work))
  for (let before = done; before < 20; before = done) {
    await turn()
    expect(done - before).toBeLessThanOrEqual(2)
  }
  await all
})
