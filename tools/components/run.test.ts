import { expect, test } from "vitest"
import { run } from "./run.ts"

const words = { missing: "install it", failing: "look at it", signal: new AbortController().signal }

test("returns standard output and passes on the lines of standard error", async () => {
  const lines: string[] = []
  const script = "console.log('out'); console.error('one\\ntwo')"
  const output = await run({ command: process.execPath, arguments: ["-e", script], ...words, onLine: (line) => lines.push(line) })
  expect({ output, lines }).toEqual({ output: "out\n", lines: ["one", "two"] })
})

test("a command that is not installed says so and what to do", async () => {
  const call = run({ command: "no-such-command-here", arguments: [], ...words })
  await expect(call).rejects.toThrow("expected `no-such-command-here` on PATH, found none; install it.")
})

test("a failing command says what it said last", async () => {
  const call = run({ command: process.execPath, arguments: ["-e", "console.error('no network'); process.exitCode = 3"], ...words })
  await expect(call).rejects.toThrow(/to succeed, found exit code 3: no network; look at it\.$/)
})

test("abort stops the command and rejects with the reason", async () => {
  const controller = new AbortController()
  const script = "console.error('started'); setInterval(() => {}, 1000)"
  const stop = () => controller.abort(new Error("stopped"))
  const call = run({ command: process.execPath, arguments: ["-e", script], ...words, signal: controller.signal, onLine: stop })
  await expect(call).rejects.toThrow("stopped")
})
