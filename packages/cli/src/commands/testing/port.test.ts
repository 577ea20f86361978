import { expect, test } from "vitest"
import { firstPort } from "./port.ts"

test("two tests at once were given the same port: they are threads of one process, and each has ports of its own", () => {
  const first = Array.from({ length: 100 }, (_, thread) => firstPort(4_242, thread)).toSorted((one, other) => one - other)
  for (const [at, port] of first.entries()) expect(port).toBeGreaterThanOrEqual(at === 0 ? 20_000 : first[at - 1]! + 50)
  expect(first.at(-1)).toBeLessThanOrEqual(32_000 - 50)
})
