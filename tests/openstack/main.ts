// npm run test:openstack [-- --install] [-- <suite…>]: our clients, and what is built on them, against a real Keystone, Neutron and Octavia from Debian packages.
// Says why where it cannot run. --install gets the packages first, as root. --keep leaves the directory with logs and data.

import { spawn } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { install, whyNot } from "./cloud/packages.ts"
import { startCloud } from "./cloud/start.ts"

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130))

const { values, positionals } = parseArgs({ allowPositionals: true, options: { install: { type: "boolean" }, keep: { type: "boolean" } } })
if (values.install) install()
const reason = whyNot()
if (reason !== undefined)
  console.log(`skipped: ${reason}\n0 passed, 0 failed, ${readdirSync(join(import.meta.dirname, "suites")).length} skipped`)
else process.exitCode = await runAll()

async function runAll(): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), "pilothouse-openstack-"))
  const began = Date.now()
  const say = (line: string) => console.log(`[${((Date.now() - began) / 1000).toFixed(1)} s] ${line}`)
  try {
    // Its own ports, so that a cloud that runs with the default ones is not met.
    await using _cloud = await startCloud(
      { directory, ports: { database: 23_306, keystone: 25_000, neutron: 29_696, octavia: 29_876 } },
      say,
    )
    return await runSuites(directory)
  } finally {
    if (!values.keep) rmSync(directory, { recursive: true, force: true })
  }
}

function runSuites(directory: string): Promise<number> {
  const root = join(import.meta.dirname, "../..")
  const chosen = positionals.map((name) => `tests/openstack/suites/${name}`)
  const words = [
    join(root, "tools/run.js"),
    "vitest",
    "run",
    "--reporter=verbose",
    "--config",
    "tests/openstack/vitest.config.ts",
    ...chosen,
  ]
  const env = { ...process.env, PILOTHOUSE_OPENSTACK: directory }
  // A group of its own, which ends with us: suites that outlive their cloud would meet the next one.
  const child = spawn(process.execPath, words, { cwd: root, stdio: "inherit", env, detached: true })
  process.once("exit", () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, "SIGKILL")
    if (!values.keep) rmSync(directory, { recursive: true, force: true })
  })
  return new Promise((resolve) => {
    child.once("close", (code) => resolve(code ?? 1))
  })
}
