import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, onTestFinished, test } from "vitest"

const main = fileURLToPath(new URL("./main.ts", import.meta.url))

/** Loaded before the program: at SIGUSR2 something is rejected that nothing handles. */
const faults = `data:text/javascript,${encodeURIComponent(
  'process.on("SIGUSR2", () => void Promise.reject(new Error("lost promise", { cause: new Error("worn out") })))',
)}`

interface Started {
  readonly child: ChildProcess
  readonly port: number
  readonly directory: string
  /** What it has written to standard error. */
  readonly errors: () => string
}

async function started(): Promise<Started> {
  const directory = mkdtempSync(join(tmpdir(), "pilothouse-stop-"))
  const args = ["--conditions=@pilothouse/source", "--import", faults, main, "apiserver", "--secure-port", "0", "--data-dir", directory]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] })
  onTestFinished(() => {
    child.kill("SIGKILL")
    rmSync(directory, { recursive: true, force: true })
  })
  let errors = ""
  child.stderr.on("data", (chunk) => (errors += chunk))
  const text = Promise.withResolvers<string>()
  let said = ""
  child.stdout.on("data", (chunk) => {
    said += chunk
    // The last line: everything runs.
    if (said.includes("export KUBECONFIG")) text.resolve(said)
  })
  child.on("close", () => text.reject(new Error(`expected it to start, found ${errors}`)))
  const port = Number(/:(\d+) after/.exec(await text.promise)?.[1])
  return { child, port, directory, errors: () => errors }
}

async function silent(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").on("error", () => undefined)
  onTestFinished(() => void socket.destroy())
  await once(socket, "connect")
  return socket
}

test("SIGTERM does not wait for clients that say nothing", async () => {
  const { child, port, directory } = await started()
  const clients = [await silent(port), await silent(port)]
  child.kill("SIGTERM")
  expect(await once(child, "close")).toEqual([0, null])
  expect(clients).toHaveLength(2)
  expect(locksIn(directory)).toEqual([])
})

test("a rejection that nothing handles is logged with its cause, and the process ends in order with exit code 1", async () => {
  const { child, directory, errors } = await started()
  child.kill("SIGUSR2")
  expect(await once(child, "close")).toEqual([1, null])
  expect(errors()).toMatch(/a promise was rejected and nothing handled it: Error: lost promise\n +at /)
  expect(errors()).toContain("[cause]: Error: worn out")
  expect(locksIn(directory)).toEqual([])
})

/** What a process that ended in the middle leaves behind. */
function locksIn(directory: string): readonly string[] {
  return readdirSync(directory).filter((name) => name.startsWith("lock"))
}
