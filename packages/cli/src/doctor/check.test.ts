import { type Files, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { type Finding, formatFindings, note, ok, problem } from "./check.ts"
import { checkDataDirectory, checkNode } from "./machine-checks.ts"

test("findings are a line each, with what to do below where something is to be done", () => {
  expect(formatFindings([ok("Node", "v24"), note("port", "in use", "take another"), problem("clock", "off", "set it")])).toBe(
    ["✓ Node   v24", "• port   in use", "         → take another", "✗ clock  off", "         → set it", "", "1 problem found.", ""].join(
      "\n",
    ),
  )
})

test.each<[version: string, state: Finding["state"]]>([
  ["v24.21.0", "ok"],
  ["v26.0.0", "ok"],
  ["v20.1.0", "problem"],
])("Node %s: %s", (version, state) => {
  expect(checkNode(version).state).toBe(state)
})

test.each<[name: string, prepare: (files: Files) => void, found: string]>([
  ["not there yet", () => {}, '/data is not there yet: "pilothouse up" makes it'],
  ["a file", (files) => files.write("/data", ""), "/data is a file"],
  ["writable", (files) => files.makeDirectory("/data", 0o700), "/data can be written"],
  [
    "in use",
    (files) => {
      files.makeDirectory("/data", 0o700)
      files.write("/data/lock-7", "7")
    },
    "/data is in use by process 7",
  ],
])("a data directory that is %s", (_name, prepare, found) => {
  const files = virtualFiles(new VirtualClock())
  prepare(files)
  expect(checkDataDirectory(files, "/data", (pid) => pid === 7).found).toBe(found)
})
