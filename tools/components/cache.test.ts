import { existsSync } from "node:fs"
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { cacheRoot } from "./cache.ts"
import { binary, cached, ensure } from "./index.ts"
import { testComponent, writeTool } from "./testing/component.ts"

async function temporaryRoot(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "components-"))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  return root
}

test("the cache is below XDG_CACHE_HOME, else below the home", () => {
  expect(cacheRoot({ XDG_CACHE_HOME: "/caches" }, "/home/u")).toBe("/caches/pilothouse/components")
  expect(cacheRoot({}, "/home/u")).toBe("/home/u/.cache/pilothouse/components")
  expect(cacheRoot({ XDG_CACHE_HOME: "relative" }, "/home/u")).toBe("/home/u/.cache/pilothouse/components")
})

test("looking makes nothing; ensure makes it once; then it is found", async () => {
  const root = await temporaryRoot()
  const table = [testComponent({ version: "1.2.3" }), testComponent({ version: "1.3.0" })]
  expect(cached("tool", undefined, { root, table })).toBeUndefined()
  expect(await readdir(root)).toEqual([])

  const lines: string[] = []
  const first = await ensure("tool@1.2", { root, table, onProgress: (line) => lines.push(line) })
  expect(first.map(({ directory, already }) => ({ directory, already }))).toEqual([
    { directory: join(root, "tool", "1.2.3"), already: false },
  ])
  expect(lines).toEqual(["tool@1.2.3: writing"])
  expect((await ensure("tool@1.2", { root, table }))[0]?.already).toBe(true)

  expect(cached("tool", "1.2", { root, table })).toBe(join(root, "tool", "1.2.3"))
  expect(cached("tool", "1.3", { root, table })).toBeUndefined()
  expect(binary("tool", "tool", { root, table })).toBe(join(root, "tool", "1.2.3", "bin", "tool"))
})

test("without a version the newest cached one is found", async () => {
  const root = await temporaryRoot()
  const table = [testComponent({ version: "1.9.0" }), testComponent({ version: "1.10.0" })]
  await ensure("tool", { root, table })
  expect(cached("tool", undefined, { root, table })).toBe(join(root, "tool", "1.10.0"))
})

test("typos throw instead of looking like something that is not cached", async () => {
  const root = await temporaryRoot()
  const table = [testComponent()]
  expect(() => cached("tol", undefined, { root, table })).toThrow("Did you mean tool?")
  expect(() => binary("tool", "tol", { root, table })).toThrow("tool has no program tol: it has tool")
})

test("a failed make leaves nothing, and what a killed process left is swept", async () => {
  const root = await temporaryRoot()
  // No process has this number: it is above the greatest that Linux gives.
  const abandoned = join(root, ".making", "99999999-tool@1.2.3-abc")
  await mkdir(abandoned, { recursive: true })
  const broken = testComponent({
    make: async ({ directory }) => {
      await writeTool(directory, "half")
      throw new Error("the network went away")
    },
  })
  await expect(ensure("tool", { root, table: [broken] })).rejects.toThrow("the network went away")
  expect(await readdir(join(root, ".making"))).toEqual([])
  expect(existsSync(join(root, "tool"))).toBe(false)
})

test("a program that says another version is not kept", async () => {
  const root = await temporaryRoot()
  const other = testComponent({ make: ({ directory }) => writeTool(directory, "9.9.9") })
  await expect(ensure("tool", { root, table: [other] })).rejects.toThrow(
    "tool@1.2.3 cannot be had: expected tool to say version 1.2.3, found tool 9.9.9;",
  )
  expect(cached("tool", undefined, { root, table: [other] })).toBeUndefined()
})

test("a directory from before the table gained a program is recreated", async () => {
  const root = await temporaryRoot()
  await mkdir(join(root, "tool", "1.2.3", "bin", "leftover"), { recursive: true })
  const [installed] = await ensure("tool", { root, table: [testComponent()] })
  expect(installed?.already).toBe(false)
  expect(await readdir(join(root, "tool", "1.2.3", "bin"))).toEqual(["tool"])
})

test("another platform is refused before anything is downloaded", async () => {
  const root = await temporaryRoot()
  const table = [testComponent({ platforms: ["plan9-mips"] })]
  await expect(ensure("tool", { root, table })).rejects.toThrow(
    /^tool@1.2.3 cannot be had: expected a machine of plan9-mips, .*, found \w+-\w+; run it on such a machine/,
  )
})
