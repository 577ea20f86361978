import { VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { TimeLimit } from "./time-limit.ts"

function limited() {
  const clock = new VirtualClock()
  const limit = new TimeLimit(clock, "a test", 100)
  const over: [name: string, at: number][] = []
  const begun = clock.elapsed()
  const start = (name: string) => limit.start(() => over.push([name, clock.elapsed() - begun]))
  return { clock, limit, over, start }
}

test("each is over after its own time", async () => {
  const { clock, over, start } = limited()
  start("a")
  await clock.advance(30)
  start("b")
  start("c")
  await clock.advance(200)
  start("d")
  await clock.advance(200)
  expect(over).toEqual([
    ["a", 100],
    ["b", 130],
    ["c", 130],
    ["d", 330],
  ])
})

test("who was disposed is not called, and does not hold up the next", async () => {
  const { clock, over, start } = limited()
  const first = start("a")
  await clock.advance(10)
  start("b")
  first[Symbol.dispose]()
  await clock.advance(100)
  expect(over).toEqual([["b", 110]])
})

test("one that begins when another is over has its whole time", async () => {
  const { clock, limit, over, start } = limited()
  limit.start(() => void start("second"))
  await clock.advance(199)
  expect(over).toEqual([])
  await clock.advance(1)
  expect(over).toEqual([["second", 200]])
})

test("calls nothing after it is disposed", async () => {
  const { clock, limit, over, start } = limited()
  start("a")
  limit[Symbol.dispose]()
  await clock.advance(1000)
  expect(over).toEqual([])
})
