import { execFileSync } from "node:child_process"
import { expect, test } from "vitest"

/** Makes much that lives for a while, in a process of its own: flags of V8 hold for the whole of one. */
function megabytesAfterLoad(limited: boolean): number {
  const file = new URL("./young-generation-limit.ts", import.meta.url).href
  const program = `
    const { limitYoungGeneration, youngGenerationSize } = await import(${JSON.stringify(file)})
    if (${limited}) limitYoungGeneration()
    const held = []
    for (let turn = 0; turn < 300; turn++) {
      held[turn % 60] = Array.from({ length: 10_000 }, (_, number) => ({ number }))
      await new Promise((resolve) => setImmediate(resolve))
    }
    process.stdout.write(String(youngGenerationSize() / 2 ** 20))`
  // V8 allows less on a machine with little memory.
  const flags = ["--max-semi-space-size=32", "--input-type=module", "--eval"]
  return Number(execFileSync(process.execPath, [...flags, program], { encoding: "utf8" }))
}

test("the space for new objects grows under load, and no further than the limit", () => {
  const limited = megabytesAfterLoad(true)
  expect(limited).toBeGreaterThan(16)
  expect(limited).toBeLessThan(48)
  expect(megabytesAfterLoad(false)).toBeGreaterThan(1.5 * limited)
})
