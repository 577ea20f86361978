import { spawn } from "node:child_process"
import { EventEmitter, once } from "node:events"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { exitOnEpipe, isServing } from "./epipe.ts"

test.each<[words: string, isServer: boolean]>([
  ["up", true],
  ["run --dry-run", true],
  ["apiserver", true],
  ["discovery", true],
  ["discovery --port 1", true],
  ["discovery watch web", false],
  ["get pods -w", false],
  ["logs web -f", false],
  ["--help", false],
])("%s goes on without a reader: %s", (words, isServer) => {
  expect(isServing(words.split(" "))).toBe(isServer)
})

/** What becomes of a command when its standard output fails. */
function fail(code: string, ...args: readonly string[]): string {
  const output = new EventEmitter()
  let end = "goes on"
  exitOnEpipe([output], args, (complaint) => (end = complaint ?? "ends"))
  output.emit("error", Object.assign(new Error(code), { code }))
  return end
}

test("a reader that has gone ends a command that prints for it, and no server", () => {
  expect([fail("EPIPE", "get", "pods"), fail("EPIPE", "up")]).toEqual(["ends", "goes on"])
})

test.each(["EIO", "ENOSPC"])("%s of an output was thrown: a server goes on, and other commands end with a complaint", (code) => {
  expect(fail(code, "up")).toBe("goes on")
  expect(fail(code, "get", "pods")).toBe(`expected to write the output, found ${code}; write it to another place`)
})

test("`| head -n 1` was answered with a stack trace", async () => {
  const command = fileURLToPath(new URL("../../bin/pilothouse.js", import.meta.url))
  const child = spawn(process.execPath, [command, "run", "--help"], { stdio: ["ignore", "pipe", "pipe"] })
  child.stdout.destroy()
  const said: string[] = []
  child.stderr.setEncoding("utf8").on("data", (text: string) => void said.push(text))
  const [code] = (await once(child, "close")) as [number | null]
  expect([code, said.join("")]).toEqual([0, ""])
})
