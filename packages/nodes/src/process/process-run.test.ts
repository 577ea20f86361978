import { expect, test } from "vitest"
import { ProcessRun } from "./process-run.ts"

test("a signal was lost that came before the process ran", () => {
  const received: string[] = []
  const run = new ProcessRun(0)
  run.signal("SIGTERM")
  run.signal("SIGKILL")
  run.runs({ signal: (name) => received.push(name) }, { argv: [], env: {} })
  expect(received).toEqual(["SIGKILL"])
})

test("the log of a run was bounded in lines only", () => {
  const run = new ProcessRun(0)
  const line = "x".repeat(16 * 1024)
  for (let count = 1; count <= 300; count++) run.print(line, count)
  expect([run.lines.length, run.dropped, run.lines[0]?.at]).toEqual([256, 44, 45])
  for (let count = 301; count <= 5600; count++) run.print("short", count)
  expect([run.lines.length, run.dropped, run.lines.at(-1)?.at]).toEqual([5000, 600, 5600])
  for (let count = 0; count < 256; count++) run.print(line, count)
  expect(run.lines.length).toBe(256)
})
