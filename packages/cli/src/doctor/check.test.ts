import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { type Files, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { type Finding, formatFindings, note, ok, problem } from "./check.ts"
import { checkDataDirectory, checkNode, checkPort } from "./machine-checks.ts"

test("findings are a line each, with what to do below where something is to be done", () => {
  expect(formatFindings([ok("Node", "v24"), note("port", "in use", "take another"), problem("clock", "off", "set it")])).toBe(
    ["✓ Node   v24", "• port   in use", "         → take another", "✗ clock  off", "         → set it", "", "1 problem found.", ""].join(
      "\n",
    ),
  )
})

test.each<[name: string, findings: readonly Finding[], end: string]>([
  ["all is well", [ok("Node", "v24")], "Nothing is wrong."],
  ["what may not be meant is not passed over", [note("options", "means nothing", "mend it")], "Nothing is wrong, but see the note (•)."],
  [
    "what was not looked at is not called well",
    [{ ...note("cluster", "not asked", "name it"), notMade: ["owners", "addresses"] }],
    "Nothing wrong was found, but 2 checks were not made: owners, addresses.",
  ],
  [
    "nor is it forgotten beside a problem",
    [
      { ...problem("a", "off", "set it"), notMade: ["owners"] },
      { ...note("b", "off", "set it"), notMade: ["owners"] },
    ],
    "1 problem found. 1 check was not made: owners.",
  ],
])("the last line: %s", (_name, findings, end) => {
  expect(formatFindings(findings).trimEnd().split("\n").at(-1)).toBe(end)
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
      files.write("/data/pilothouse.owner", JSON.stringify({ pid: 7, host: "here" }))
    },
    "/data is in use by process 7",
  ],
])("a data directory that is %s", (_name, prepare, found) => {
  const files = virtualFiles(new VirtualClock())
  prepare(files)
  expect(checkDataDirectory(files, "/data", ({ pid }) => pid === 7).found).toBe(found)
})

test("a port that is free, one that is in use, and an address that is not ours", async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  expect(await checkPort("127.0.0.1", port)).toMatchObject({ state: "note", found: "in use, by a running cluster perhaps" })
  server.close()
  await once(server, "close")
  expect(await checkPort("127.0.0.1", port)).toMatchObject({ state: "ok", found: "free" })
  expect(await checkPort("192.0.2.1", port)).toMatchObject({ state: "problem", found: expect.stringContaining("EADDRNOTAVAIL") })
})
