import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, expect, test, vi } from "vitest"
import { runProgram } from "../program.ts"
import { Signals } from "./testing/signals.ts"

afterEach(() => vi.restoreAllMocks())

/** Everything that is said on standard error while the program runs; it is asked to stop when some text was said there or on standard output. */
async function saidUntil(text: string, args: readonly string[]): Promise<string> {
  const [errors, all]: [string[], string[]] = [[], []]
  vi.spyOn(process.stderr, "write").mockImplementation((more) => errors.push(String(more)) * all.push(String(more)) > 0)
  vi.spyOn(process.stdout, "write").mockImplementation((more) => all.push(String(more)) > 0)
  using signals = new Signals()
  const running = runProgram([...args])
  await expect.poll(() => all.join("")).toContain(text)
  await expect.poll(() => signals.hasListener("SIGTERM")).toBe(true)
  signals.send("SIGTERM")
  expect(await running).toBe(0)
  return errors.join("")
}

const time = String.raw`\d\d:\d\d:\d\d\.\d\d\d`

test("apiserver: what is logged begins with the time of day", async () => {
  const directory = mkdtempSync(join(tmpdir(), "pilothouse-log-"))
  try {
    // Objects without keys: something to warn of.
    mkdirSync(join(directory, ".pilothouse", "storage"), { recursive: true })
    const args = ["apiserver", "--ephemeral", "--secure-port=0", `--data-dir=${join(directory, ".pilothouse")}`]
    expect(await saidUntil("The API server is up", args)).toMatch(new RegExp(`^${time} warn  ca.crt and ca.key were missing`))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})

test("discovery watch: so it does there", async () => {
  const said = await saidUntil("trying again", ["discovery", "watch", "web.default:80", "--server", "127.0.0.1:1"])
  expect(said).toMatch(new RegExp(`^${time} warn  the stream has ended; trying again`))
})
