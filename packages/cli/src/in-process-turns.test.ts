import { type Transport, valueBody } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { InProcessTurns } from "./in-process-turns.ts"

const request = { verb: "GET", path: "/", query: {}, headers: {} } as const

/** Each answer takes a millisecond; the event loop turns when the test says so. */
function setUp() {
  let [now, answered] = [0, 0]
  const timers: (() => void)[] = []
  const clock = {
    now: () => now,
    elapsed: () => now,
    sleep: () => Promise.resolve(),
    timer: (_milliseconds: number, _name: string, fire: () => void) => {
      timers.push(fire)
      return { [Symbol.dispose]: () => {} }
    },
    external: <T>(work: Promise<T>) => work,
  }
  const transport: Transport = async () => {
    now++
    return { status: 200, headers: {}, body: valueBody(++answered) }
  }
  const turn = async () => {
    for (const fire of timers.splice(0)) fire()
    for (let at = 0; at < 5; at++) await Promise.resolve()
  }
  const turns = new InProcessTurns(clock)
  return { turns, ask: turns.over(transport), turn, answered: () => answered, pass: (milliseconds: number) => (now += milliseconds) }
}

test("a thousand requests at once leave turns to others", async () => {
  const { ask, turn, answered } = setUp()
  const all = Promise.all(Array.from({ length: 1000 }, () => ask(request)))
  expect(answered()).toBe(51)
  await turn()
  expect(answered()).toBe(83)
  for (let turns = 0; turns < 30; turns++) await turn()
  expect((await all).map(({ body }) => (body.type === "value" ? body.value : 0))).toEqual(Array.from({ length: 1000 }, (_, at) => at + 1))
})

test("a request after a pause does not wait", async () => {
  const { ask, turn, answered, pass } = setUp()
  await ask(request)
  await turn()
  pass(10_000)
  await ask(request)
  expect(answered()).toBe(2)
})

test("none is lost when it ends", async () => {
  const { turns, ask, answered } = setUp()
  const all = Promise.all(Array.from({ length: 100 }, () => ask(request)))
  turns[Symbol.dispose]()
  await all
  expect(answered()).toBe(100)
})
