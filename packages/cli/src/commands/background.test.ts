import { spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { runProgram } from "../program.ts"

let home = ""

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pilothouse-home-"))
  mkdirSync(join(home, "tmp"))
})

afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = undefined
  rmSync(home, { recursive: true })
})

const main = new URL("../main.ts", import.meta.url).pathname

interface Ended {
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

/** `pilothouse up` in a process of its own, with a home of its own. */
function up(...words: readonly string[]): Promise<Ended> {
  const flags = ["up", "--port", "0", "--nodes", "1", ...words]
  const args = ["--conditions=@pilothouse/source", "--disable-warning=ExperimentalWarning", main, ...flags]
  const env = { ...process.env, HOME: home, TMPDIR: join(home, "tmp"), KUBECONFIG: undefined }
  const child = spawn(process.execPath, args, { cwd: home, env, stdio: ["ignore", "pipe", "pipe"] })
  const [output, errors]: [string[], string[]] = [[], []]
  child.stdout.setEncoding("utf8").on("data", (text: string) => output.push(text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => errors.push(text))
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, output: output.join(""), errors: errors.join("") })))
}

/** Another command, in this process. */
async function printed(...words: readonly string[]): Promise<string> {
  const written: string[] = []
  vi.spyOn(process.stdout, "write").mockImplementation((text) => written.push(String(text)) > 0)
  expect(await runProgram(words)).toBe(0)
  return written.join("")
}

test("up -- runs a command beside a cluster of its own, ends with its exit code and leaves nothing behind", async () => {
  const script = `const config = require("node:fs").readFileSync(process.env.KUBECONFIG, "utf8")
    process.stdout.write(JSON.parse(config).clusters[0].cluster.server)
    process.exit(3)`
  const { code, output } = await up("--no-discovery", "--", process.execPath, "-e", script)
  expect(code).toBe(3)
  expect(output).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
  expect(readdirSync(join(home, "tmp")).filter((name) => name.startsWith("pilothouse-"))).toEqual([])
  expect(existsSync(join(home, ".pilothouse"))).toBe(false)
})

test("up --detach serves in the background, which status shows and down stops", async () => {
  const directory = join(home, "demo")
  const started = await up("--no-discovery", "--data-dir", directory, "--detach")
  expect(started.errors).toBe("")
  const [, address, pid] = /^Pilothouse is up at (\S+) after \d+ ms, in the background \(process (\d+)\)\n/.exec(started.output) ?? []
  const flags = ["--data-dir", directory]
  expect(started.output).toContain(`\n  npx @pilothouse/cli status ${flags.join(" ")}\n  npx @pilothouse/cli down ${flags.join(" ")}\n`)
  try {
    expect(JSON.parse(await printed("status", ...flags, "--json"))).toEqual([
      { state: "up", server: address, pid: Number(pid), kubeconfig: join(directory, "kubeconfig"), dataDirectory: directory },
    ])
    expect(process.exitCode).toBe(undefined)
  } finally {
    expect(await printed("down", ...flags)).toBe(`the cluster in ${directory} is down\n`)
  }
  expect(await printed("status", ...flags)).toMatch(/^NAME +STATE +SERVER +PROCESS +DATA DIRECTORY\n- +stopped +- +- +\//)
  expect(process.exitCode).toBe(1)
  expect(await printed("down", ...flags)).toBe(`no cluster is up in ${directory}\n`)
})

test("up --detach reports why the cluster did not start", async () => {
  writeFileSync(join(home, "bad.json"), JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" }, data: 5 }))
  const { code, errors } = await up("--detach", "--from", "bad.json")
  expect(code).toBe(1)
  expect(errors).toMatch(/^pilothouse: the cluster did not start: 1 of 1 objects were refused:/)
})
