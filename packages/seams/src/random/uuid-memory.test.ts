import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { expect, test } from "vitest"
import { seededRandom } from "./seeded-random.ts"

setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")

test("a UUID takes the memory of its letters", () => {
  const random = seededRandom(1)
  const kept: string[] = new Array<string>(20_000).fill("")
  const drawn = () => kept.forEach((_, index) => (kept[index] = random.uuid()))
  drawn()
  kept.fill("")
  collect()
  const before = process.memoryUsage().heapUsed
  drawn()
  collect()
  // 36 letters and what V8 needs before the first of them; a chain of parts takes nearly 500.
  expect((process.memoryUsage().heapUsed - before) / kept.length).toBeLessThan(100)
})
