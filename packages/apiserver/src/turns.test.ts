import { expect, test } from "vitest"
import { mapInSlices, Turns } from "./turns.ts"

/** A clock on which each step takes a millisecond. */
function steppingClock() {
  let now = 0
  return { clock: { elapsed: () => now }, step: () => void now++ }
}

const items = (length: number) => Array.from({ length }, (_, at) => at)

/** Counts the turns of the event loop until the work is over. */
async function turnsOf(work: Promise<unknown>): Promise<number> {
  let turns = 0
  const over = work.then(() => "over")
  const turn = () => new Promise<string>((resolve) => setImmediate(resolve, "a turn"))
  while ((await Promise.race([over, turn()])) !== "over") turns++
  return turns
}

test("long work gives the event loop a turn after each slice", async () => {
  const { clock, step } = steppingClock()
  const work = mapInSlices(items(320), new Turns(clock).begin(), (item) => {
    step()
    return item * 2
  })
  expect(await turnsOf(work)).toBeGreaterThanOrEqual(9)
  expect(await work).toEqual(items(320).map((item) => item * 2))
})

test("twenty works at once take no more of a turn than one", async () => {
  const { clock, step } = steppingClock()
  const turns = new Turns(clock)
  const perTurn: number[] = []
  let [done, running] = [0, true]
  const count = () => {
    perTurn.push(done)
    done = 0
    if (running) setImmediate(count)
  }
  setImmediate(count)
  const work = Promise.all(
    items(20).map(() =>
      mapInSlices(items(320), turns.begin(), () => {
        step()
        done++
      }),
    ),
  )
  await work
  running = false
  // In the first turn each of them begins with the 32 steps before its first look at the clock; after that one of them has a turn.
  expect(perTurn[0]).toBe(20 * 32)
  expect(Math.max(...perTurn.slice(1))).toBeLessThanOrEqual(32)
})

test("short work is not interrupted", async () => {
  const { clock } = steppingClock()
  const pause = new Turns(clock).begin()
  expect(items(10_000).map(() => pause())).toEqual(Array(10_000).fill(undefined))
})

test("work whose client has gone ends at its next pause", async () => {
  const { clock, step } = steppingClock()
  const client = new AbortController()
  let done = 0
  const work = mapInSlices(items(3200), new Turns(clock).begin(client.signal), () => {
    step()
    if (++done === 40) client.abort()
  })
  await expect(work).rejects.toMatchObject({ code: "ABORTED" })
  expect(done).toBeLessThan(100)
})
