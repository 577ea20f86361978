import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { systemFiles } from "@pilothouse/seams/system"
import { expect, onTestFinished, test } from "vitest"
import { ownerSystem } from "../data-directory/directory-owner.ts"
import { namedCluster } from "./known-clusters.ts"

/** Who has a directory whose owner's file has this text. */
function ownerOf(text: string, isLocked = false) {
  const dataDir = mkdtempSync(join(tmpdir(), "pilothouse-known-"))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  writeFileSync(join(dataDir, "pilothouse.owner"), text)
  writeFileSync(join(dataDir, "pilothouse.lock"), "")
  using _lock = isLocked ? ownerSystem.lock(join(dataDir, "pilothouse.lock")) : undefined
  return namedCluster({ dataDir }, { files: systemFiles, system: ownerSystem }).owner
}

const { self } = ownerSystem
const anyStart = { pid: process.pid, host: hostname() }

test.each<[string, object]>([
  ["all processes", { ...anyStart, pid: -1 }],
  ["its own process group", { ...anyStart, pid: 0 }],
  ["a part of a process", { ...anyStart, pid: process.pid + 0.5 }],
  ["a text", { ...anyStart, pid: String(process.pid) }],
  ["any process of this machine, without its start", anyStart],
  ["a process that started at another time", { ...self, started: "boot:1" }],
  ["a process with a start that is no text", { ...self, started: 5 }],
  ["a cluster whose address moves the cursor", { ...self, cluster: { url: "\u001b[2J", kubeconfig: "/k" } }],
  ["a process, in a file without end", { ...self, padding: "x".repeat(100_000) }],
])("an owner's file that names %s gives down and status no process", (_, record) => {
  expect(ownerOf(JSON.stringify(record), record !== anyStart)).toBeUndefined()
})

test("the owner of a directory is the process that has it", () => {
  expect(ownerOf(JSON.stringify(self), true)).toEqual(self)
  // Where the system does not tell when a process started.
  expect(ownerOf(JSON.stringify(anyStart), true)).toEqual(anyStart)
})
