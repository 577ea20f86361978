import { execFileSync } from "node:child_process"
import { getHeapStatistics } from "node:v8"
import { VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { collectGarbage, settleAfterFirstState } from "./heap-size.ts"

const used = () => getHeapStatistics().used_heap_size
/** Objects of some 40 MB. */
const many = () => Array.from({ length: 500_000 }, (_, number) => ({ number, more: [number] }))

test("collects what is not referenced, and keeps what is", () => {
  collectGarbage()
  const before = used()
  const held = many()
  collectGarbage()
  const full = used()
  expect(full - before).toBeGreaterThan(20e6)
  expect(held.at(-1)).toEqual({ number: 499_999, more: [499_999] })
  held.length = 0
  collectGarbage()
  expect(used() - before).toBeLessThan(5e6)
})

test("leaves no gc() behind that a program did not request", () => {
  collectGarbage()
  expect(Object.hasOwn(globalThis, "gc")).toBe(false)
})

/** Makes much that lives for a while, in a process of its own: flags of V8 hold for the whole of one. */
function megabytesAfterLoad(before: string): number {
  const file = new URL("./heap-size.ts", import.meta.url).href
  const program = `
    import { getHeapSpaceStatistics } from "node:v8"
    const { limitYoungGeneration, settleAfterFirstState } = await import(${JSON.stringify(file)})
    const load = async () => {
      const held = []
      for (let turn = 0; turn < 300; turn++) {
        held[turn % 60] = Array.from({ length: 10_000 }, (_, number) => ({ number }))
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    // The first timer, at once.
    const settle = () => void settleAfterFirstState({ timer: (_, __, run) => (queueMicrotask(run), { [Symbol.dispose]() {} }) })
    ${before}
    await load()
    const { space_size } = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")
    process.stdout.write(String(space_size / 2 ** 20))`
  // V8 allows less on a machine with little memory.
  const flags = ["--max-semi-space-size=32", "--conditions=@pilothouse/source", "--input-type=module", "--eval"]
  return Number(execFileSync(process.execPath, [...flags, program], { encoding: "utf8" }))
}

test.each([
  ["from the start", "limitYoungGeneration()"],
  ["after the first state, too", "limitYoungGeneration(); await load(); settle()"],
])("the space for new objects grows under load, and no further than the limit, %s", (_when, before) => {
  const limited = megabytesAfterLoad(before)
  expect(limited).toBeGreaterThan(4)
  expect(limited).toBeLessThan(17)
  expect(megabytesAfterLoad("")).toBeGreaterThan(1.5 * limited)
})

test("nothing is collected where the server stops before", async () => {
  const clock = new VirtualClock()
  settleAfterFirstState(clock)[Symbol.dispose]()
  const held = [many()]
  const before = used()
  held.length = 0
  await clock.advance("2s")
  expect(before - used()).toBeLessThan(20e6)
})
