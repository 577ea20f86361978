import { spawn } from "node:child_process"
import { closeSync, openSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { expect, test } from "vitest"

/** Says which descriptors a child has, beside the one that lists them, before and after those of others were closed. */
const program = `
const { closeInheritedDescriptors } = await import(process.argv[1])
const { spawnSync } = await import("node:child_process")
const { createServer } = await import("node:net")
// One of its own, which no child has.
const server = createServer().listen(0, "127.0.0.1")
const ofChild = () => spawnSync("sh", ["-c", "ls /proc/$$/fd"], { encoding: "utf8" }).stdout.trim().split("\\n").map(Number)
const before = ofChild()
const closed = closeInheritedDescriptors()
console.log(JSON.stringify({ before, closed, after: ofChild() }))
server.close()
`

test.runIf(process.platform === "linux")("descriptors that this program was started with reached its processes", async () => {
  const secret = openSync(import.meta.filename, "r")
  // Node marks the first sixteen itself, and then until one is not there.
  const stdio = Array.from({ length: 41 }, (_, number) => (number === 1 ? "pipe" : number === 40 ? secret : "ignore"))
  const child = spawn(process.execPath, ["--input-type=module", "-e", program, join(import.meta.dirname, "inherited-descriptors.ts")], {
    stdio,
  })
  closeSync(secret)
  const { before, closed, after } = JSON.parse(await text(child.stdout!)) as Record<string, readonly number[]>
  expect(before).toContain(40)
  expect(closed).toContain(40)
  expect(after?.filter((number) => number > 2)).toEqual([])
})
