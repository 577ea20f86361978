import { existsSync } from "node:fs"
import { expect, test } from "vitest"
import type { RunningProcess } from "./spawn.ts"
import { systemSpawner } from "./system-spawn.ts"
import { useOfTree } from "./system-use.ts"

const systemSpawn = systemSpawner()

const saysUse = existsSync("/proc/self/stat")

/** Uses a tenth of a second of CPU, in a process that the first one has started, and holds 30 MB. */
const busy = `
const held = Buffer.alloc(30e6, 1)
const until = process.cpuUsage().user + 100_000
while (process.cpuUsage().user < until);
console.log("used")
setInterval(() => held, 1000)`

test.runIf(saysUse)("a process uses what it and all that it has started use", async () => {
  const { promise: used, resolve: tell } = Promise.withResolvers<void>()
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const argv = ["sh", "-c", `"${process.execPath}" -e '${busy}' & wait`]
  const listener = { line: () => tell(), end: () => end() }
  const running: RunningProcess = await systemSpawn({ argv, env: {} }, listener)
  await used
  const { cpu = 0, memory = 0 } = running.used?.() ?? {}
  expect(cpu).toBeGreaterThanOrEqual(0.09)
  expect(memory).toBeGreaterThan(30e6)
  running.signal("SIGKILL")
  await ended
})

test("where the system does not say what processes use they were measured all the same", async () => {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const running: RunningProcess = await systemSpawn({ argv: ["sleep", "30"], env: {} }, { line() {}, end: () => end() })
  expect(running.used !== undefined).toBe(saysUse)
  running.signal("SIGKILL")
  await ended
})

test("a process that is not there has no usage", () => {
  expect(useOfTree(2 ** 30)).toBeUndefined()
})
