import { VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { inTurns, mapInSlices, Turns } from "./turns.ts"

/** A clock on which each step takes a millisecond. */
function steppingClock() {
  let now = 0
  return { clock: { elapsed: () => now, external: <T>(work: Promise<T>) => work }, step: () => void now++ }
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
  // In the first turn each of them begins with the 32 steps before it reads the clock first; after that one of them has a turn.
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

test("work that cannot be divided waits once the slice of the turn is over, and goes on one in each turn", async () => {
  const { clock, step } = steppingClock()
  const turns = new Turns(clock)
  const done: number[] = []
  const work = async (item: number) => {
    const others = turns.whenFree()
    if (others !== undefined) await others
    for (let count = 0; count < 10; count++) step()
    done.push(item)
  }
  const all = Promise.all(items(12).map(work))
  expect(done).toEqual([0, 1, 2])
  expect(await turnsOf(all)).toBeGreaterThanOrEqual(8)
  expect(done).toEqual(items(12))
})

test("cheap steps do not wait in a turn that something else has made long", async () => {
  const { clock, step } = steppingClock()
  const turns = new Turns(clock)
  turns.spend(1)
  for (let count = 0; count < 100; count++) step()
  expect(items(20).map(() => (turns.spend(1), turns.whenUnspent()))).toEqual(Array(20).fill(undefined))
})

test("dear steps take a slice of a turn together, and then go on one in each", async () => {
  const { clock } = steppingClock()
  const turns = new Turns(clock)
  const done: number[] = []
  const work = async (item: number) => {
    const others = turns.whenUnspent()
    if (others !== undefined) await others
    turns.spend(10)
    done.push(item)
  }
  const all = Promise.all(items(12).map(work))
  expect(done).toEqual([0, 1, 2])
  expect(await turnsOf(all)).toBeGreaterThanOrEqual(8)
  expect(done).toEqual(items(12))
})

test("each step of large work has a turn of its own", async () => {
  const { clock } = steppingClock()
  const turns = new Turns(clock)
  const work = async () => {
    for (let count = 0; count < 5; count++) await turns.next()
  }
  expect(await turnsOf(Promise.all([work(), work()]))).toBeGreaterThanOrEqual(9)
})

test("a step of large work whose client has gone does not go on", async () => {
  const controller = new AbortController()
  const next = new Turns(steppingClock().clock).next(controller.signal)
  controller.abort()
  await expect(next).rejects.toThrow("the operation was aborted")
})

/** Counts the stages of a request that had to wait for a turn; each takes so many milliseconds. */
async function turnsOfStages(milliseconds: readonly number[], isLarge = false): Promise<number> {
  const { clock, step } = steppingClock()
  const { begin, pause } = new Turns(clock).stages(isLarge)
  let turns = 0
  begin()
  for (const stage of milliseconds) {
    for (let count = 0; count < stage; count++) step()
    const others = pause()
    if (others === undefined) continue
    turns++
    await others
  }
  return turns
}

test("the stages of a small request have one turn, those of a long one a turn each, whatever the size of its body", async () => {
  expect(await turnsOfStages([1, 2, 3, 3])).toBe(0)
  expect(await turnsOfStages([100, 100, 100])).toBe(3)
  expect(await turnsOfStages([4, 7, 4, 7])).toBe(2)
  expect(await turnsOfStages([0, 0, 0], true)).toBe(3)
})

test("virtual time stands still while work waits for its turn", async () => {
  const clock = new VirtualClock()
  const turns = new Turns(clock)
  let at: number | undefined
  void (async () => {
    for (let count = 0; count < 3; count++) await turns.next()
    at = clock.elapsed()
  })()
  await clock.advance(60_000)
  expect(at).toBe(0)
})

test("steps are taken at once while no pause is due, and wait where one is", async () => {
  const taken: number[] = []
  function* work() {
    for (let step = 1; step <= 3; step++) {
      taken.push(step)
      yield
    }
    return "done"
  }
  expect(inTurns(work(), () => undefined)).toBe("done")
  const { promise, resolve } = Promise.withResolvers<void>()
  let pauses = 0
  const outcome = inTurns(work(), () => (++pauses === 2 ? promise : undefined))
  expect(taken).toEqual([1, 2, 3, 1, 2])
  resolve()
  expect(await outcome).toBe("done")
  expect(taken).toEqual([1, 2, 3, 1, 2, 3])
})
