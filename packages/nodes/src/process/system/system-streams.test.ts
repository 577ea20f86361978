import { text } from "node:stream/consumers"
import { systemClock } from "@pilothouse/seams/system"
import { expect, test } from "vitest"
import type { ProcessCall, StreamOptions } from "./spawn.ts"
import { systemStreams } from "./system-streams.ts"

const plain = { stdin: false, tty: false }

async function run(argv: readonly string[], options: StreamOptions = plain, call: Partial<ProcessCall> = {}, input?: string) {
  const started = await systemStreams()({ argv, env: {}, ...call }, options)
  if (input !== undefined) started.stdin?.end(input)
  const [out, errors, end] = await Promise.all([text(started.stdout), text(started.stderr!), started.ended])
  return { out, errors, ...end }
}

test("a command has the environment, the directory and the input that it was given, and its exit code is known", async () => {
  const script = 'cat; pwd; echo "$GREETING" >&2; exit 3'
  const ran = await run(["sh", "-c", script], { stdin: true, tty: false }, { env: { GREETING: "hello" }, cwd: "/" }, "input\n")
  expect(ran).toEqual({ out: "input\n/\n", errors: "hello\n", exitCode: 3 })
})

test.each([
  ["no-such-program", 'exec: "no-such-program": executable file not found in $PATH'],
  ["/no/such/program", 'exec: "/no/such/program": stat /no/such/program: no such file or directory'],
])("%s cannot be started", async (program, message) => {
  await expect(run([program])).rejects.toThrow(message)
  await expect(run([program], { stdin: true, tty: true })).rejects.toThrow(message)
})

test("what goes on in the background does not hold its command up", async () => {
  const ran = await run(["sh", "-c", "sleep 30 & echo done"])
  expect(ran).toMatchObject({ out: "done\n", exitCode: 0 })
})

test("all output of a command that has ended comes to a reader that is slow", async () => {
  const started = await systemStreams()({ argv: ["sh", "-c", "head -c 300000 /dev/zero"], env: {} }, plain)
  let read = 0
  for await (const chunk of started.stdout) {
    read += (chunk as Buffer).length
    await systemClock.sleep(30)
  }
  expect([read, await started.ended]).toEqual([300_000, { exitCode: 0 }])
})

test("a command has a terminal with the size of its client", async () => {
  // The size is set by a program that takes its time.
  const resized = 'until test "$(stty size)" = "45 123"; do sleep 0.01; done; stty size'
  const script = `test -t 0 && test -t 1 && test -t 2 && echo terminal $TERM; read line; ${resized}; echo "it's $line"; exit 4`
  const started = await systemStreams()({ argv: ["sh", "-c", script], env: {} }, { stdin: true, tty: true })
  started.resize!({ width: 123, height: 45 })
  let said = ""
  started.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()))
  started.stderr!.resume()
  await expect.poll(() => said).toContain("terminal xterm")
  started.stdin!.write("me\n")
  expect(await started.ended).toEqual({ exitCode: 4 })
  expect(said.replaceAll("\r", "")).toBe("terminal xterm\nme\n45 123\nit's me\n")
})

test("Ctrl-C interrupts the program in the terminal", async () => {
  const started = await systemStreams()({ argv: ["sh", "-c", "echo ready; sleep 30"], env: {} }, { stdin: true, tty: true })
  let said = ""
  started.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()))
  started.stderr!.resume()
  await expect.poll(() => said).toContain("ready")
  started.stdin!.write("\u0003")
  expect(await started.ended).toEqual({ exitCode: 130 })
})
