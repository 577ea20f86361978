import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, onTestFinished, test } from "vitest"

const main = fileURLToPath(new URL("./main.ts", import.meta.url))

/**
 * Loaded before the program: at SIGUSR2, or with REJECT_ON=SIGTERM while that signal is being handled, something is rejected that nothing handles.
 * Says "listening" to its parent where there is a channel to it, once a signal can stop the program.
 */
const faults = `data:text/javascript,${encodeURIComponent(`
  const reject = () => void Promise.reject(new Error("lost promise", { cause: new Error("worn out") }))
  process.once(process.env.REJECT_ON ?? "SIGUSR2", () => setImmediate(reject))
  process.on("newListener", (name) => name === "SIGHUP" && setImmediate(() => process.send?.("listening")))
`)}`

interface Started {
  readonly child: ChildProcess
  readonly port: number
  readonly directory: string
  /** What it has written to standard error. */
  readonly errors: () => string
}

function spawned(options: SpawnOptions): { readonly child: ChildProcess; readonly directory: string } {
  const directory = mkdtempSync(join(tmpdir(), "pilothouse-stop-"))
  const args = ["--conditions=@pilothouse/source", "--import", faults, main, "apiserver", "--secure-port", "0", "--data-dir", directory]
  const child = spawn(process.execPath, args, options)
  onTestFinished(() => {
    child.kill("SIGKILL")
    rmSync(directory, { recursive: true, force: true })
  })
  return { child, directory }
}

async function started(env: NodeJS.ProcessEnv = {}): Promise<Started> {
  const { child, directory } = spawned({ stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } })
  let errors = ""
  child.stderr?.on("data", (chunk) => (errors += chunk))
  const text = Promise.withResolvers<string>()
  let said = ""
  child.stdout?.on("data", (chunk) => {
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
  expectOrderlyEnd(directory)
})

test("a rejection that nothing handles is logged with its cause, and the process ends in order with exit code 1", async () => {
  const { child, directory, errors } = await started()
  child.kill("SIGUSR2")
  expect(await once(child, "close")).toEqual([1, null])
  expect(errors()).toMatch(/a promise was rejected and nothing handled it: Error: lost promise\n +at /)
  expect(errors()).toContain("[cause]: Error: worn out")
  expectOrderlyEnd(directory)
})

test("a rejection while SIGTERM was being handled ended the process at once, with its storage open", async () => {
  const { child, directory, errors } = await started({ REJECT_ON: "SIGTERM" })
  child.kill("SIGTERM")
  expect(await once(child, "close")).toEqual([1, null])
  expect(errors()).toContain("Error: lost promise")
  expectOrderlyEnd(directory)
})

test.runIf(process.platform === "linux")(
  "an output that cannot be written was reported to itself without end: it is no reason to stop",
  async () => {
    const full = openSync("/dev/full", "w")
    const { child, directory } = spawned({ stdio: ["ignore", full, full, "ipc"] })
    closeSync(full)
    expect(await once(child, "message")).toEqual(["listening", undefined])
    child.kill("SIGTERM")
    expect(await once(child, "exit")).toEqual([0, null])
    expectOrderlyEnd(directory)
  },
)

/** A process that ended in the middle leaves its name behind, and a manifest without an end. */
function expectOrderlyEnd(directory: string): void {
  expect(existsSync(join(directory, "pilothouse.owner"))).toBe(false)
  expect(readFileSync(join(directory, "storage", "manifest"), "utf8")).toContain('"closed":')
}
