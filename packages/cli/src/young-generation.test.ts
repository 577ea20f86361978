import { execFileSync } from "node:child_process"
import { setFlagsFromString } from "node:v8"
import { VirtualClock } from "@pilothouse/seams"
import { afterEach, expect, test } from "vitest"
import { settleAfterFirstState } from "./young-generation.ts"

const megabyte = 1024 * 1024

// Other tests may run in this process.
afterEach(() => setFlagsFromString("--semi-space-growth-factor=2"))

/** Megabytes for new objects after each step, in a process of its own: in one that others share the room is made by them too. */
function sizesAfter(...steps: readonly string[]): readonly number[] {
  const [room, limit] = ["./young-generation.ts", "./young-generation-limit.ts"].map((name) => new URL(name, import.meta.url).href)
  const program = `
    const { enlargeYoungGeneration, settleAfterFirstState } = await import(${JSON.stringify(room)})
    const { youngGenerationSize } = await import(${JSON.stringify(limit)})
    const megabyte = ${megabyte}
    // Many objects that live for a while: V8 makes room for them where it may.
    const live = () => { for (let round = 0; round < 10; round++) Array.from({ length: 100_000 }, (_, number) => ({ number })) }
    const collect = () => { for (let round = 0; round < 2; round++) gc({ type: "minor" }) }
    // Only the first timer, at once.
    const settle = (cpu) => {
      const timers = []
      settleAfterFirstState({ timer: (_, __, run) => void timers.push(run) }, cpu)
      timers[0]()
      return timers
    }
    // And the first look after it, which finds much work.
    const work = () => {
      let spent = 0
      settle(() => (spent += 1_000))[1]()
    }
    const sizes = []
    for (const step of [${steps.map((step) => `() => ${step}`).join(", ")}]) {
      step()
      sizes.push(youngGenerationSize() / megabyte)
    }
    process.stdout.write(JSON.stringify(sizes))`
  // V8 allows less on a machine with little memory.
  const flags = ["--max-semi-space-size=32", "--expose-gc", "--input-type=module", "--eval"]
  return JSON.parse(execFileSync(process.execPath, [...flags, program], { encoding: "utf8" }))
}

test("the room for new objects grows to what is asked for, and stays there however many there are", () => {
  const [eight, , later] = sizesAfter("enlargeYoungGeneration(8 * megabyte)", "live()", "collect()")
  expect(eight).toBeGreaterThanOrEqual(8)
  expect(eight).toBeLessThan(16)
  expect(later).toBe(eight)
})

test("room that is there already is left as it is", () => {
  const [before, after] = sizesAfter("undefined", "enlargeYoungGeneration(youngGenerationSize() / 2)")
  expect(after).toBe(before)
})

test("once the first state was read it grows no more by itself", () => {
  // Two halves of 1 MB. Pages that were emptied count until V8 has swept them, so both are asked for after a collection.
  expect(sizesAfter("settle()", "live()", "collect()").at(-1)).toBe(2)
  expect(sizesAfter("live()", "collect()").at(-1)).toBeGreaterThan(2)
})

test("while there is work there is room", () => {
  const [before, after] = sizesAfter("undefined", "work()")
  expect(before).toBeLessThan(8)
  expect(after).toBeGreaterThanOrEqual(8)
})

test("the room is looked after until it is disposed of", async () => {
  const clock = new VirtualClock()
  let [asked, spent] = [0, 0]
  const made: number[] = []
  const cpu = () => {
    asked++
    return spent
  }
  const settling = settleAfterFirstState(clock, cpu, (bytes) => made.push(bytes) > 0)
  await clock.advance("1s")
  expect(asked).toBe(1)
  spent += 1_000
  await clock.advance("2s")
  expect([made, asked]).toEqual([[8 * megabyte], 2])
  await clock.advance("20s")
  expect(asked).toBe(12)
  settling[Symbol.dispose]()
  await clock.advance("20s")
  expect(asked).toBe(12)
})

test("room that could not be made is not tried for again, however much work there is", async () => {
  const clock = new VirtualClock()
  let [spent, tried] = [0, 0]
  const work = () => (spent += 10_000)
  using _settling = settleAfterFirstState(clock, work, () => ++tried < 2)
  await clock.advance("60s")
  expect(tried).toBe(2)
})

test.each([["--max-semi-space-size=1"], ["--max-semi-space-size=2"], ["--max-heap-size=128"]])(
  "where V8 may not have the room (%s) a few rounds show it",
  (flag) => {
    const file = new URL("./young-generation.ts", import.meta.url).href
    const program = `
    const { enlargeYoungGeneration } = await import(${JSON.stringify(file)})
    process.stdout.write(String(enlargeYoungGeneration(${8 * megabyte})))`
    expect(execFileSync(process.execPath, [flag, "--input-type=module", "--eval", program], { encoding: "utf8" })).toBe("false")
  },
)
