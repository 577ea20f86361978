import { mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { findProgram } from "../bin/find-program.js"

let root: string
let bundles: string
const source = () => join(root, "source.ts")

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pilothouse-bundle-"))
  bundles = join(root, "bundles")
  mkdirSync(join(bundles, "one"), { recursive: true })
  writeFileSync(join(bundles, "one", "start.js"), "")
  writeFileSync(source(), "one()")
  const { size, mtimeMs } = statSync(source())
  writeFileSync(join(bundles, "inputs.json"), JSON.stringify({ bundle: "one", inputs: [["source.ts", size, mtimeMs]] }))
})
afterEach(() => rmSync(root, { recursive: true }))

test("the bundle runs while its sources are what it was made of", () => {
  expect(findProgram(bundles, root)).toEqual({ file: join(bundles, "one", "start.js"), flags: [], kind: "bundle" })
})

test.each<[string, () => void]>([
  ["an edit that leaves the size as it was", () => edited("two()", 5000)],
  ["a branch with an older file", () => edited("one()", 1000)],
  ["an edit within one tick of the clock, seen by its size", () => rewritten("longer()")],
  ["a source that is gone", () => rmSync(source())],
  ["a bundle that is only half made", () => rmSync(join(bundles, "inputs.json"))],
  ["a list of a bundle that is gone", () => rmSync(join(bundles, "one"), { recursive: true })],
  ["a list that names none", () => writeFileSync(join(bundles, "inputs.json"), '{"inputs":[]}')],
  ["a list that was cut off", () => writeFileSync(join(bundles, "inputs.json"), '{"inputs":[["sou')],
])("%s: the sources run", (_, change) => {
  change()
  expect(findProgram(bundles, root)).toMatchObject({ flags: ["--conditions=@pilothouse/source"], kind: "sources" })
})

/** Other text, the same time. */
function rewritten(text: string): void {
  const { atime, mtime } = statSync(source())
  writeFileSync(source(), text)
  utimesSync(source(), atime, mtime)
}

/** Seconds since 1970, so that no two moments of a fast machine are the same. */
function edited(text: string, time: number): void {
  writeFileSync(source(), text)
  utimesSync(source(), time, time)
}
