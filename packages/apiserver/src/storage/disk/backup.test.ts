import { expect, test } from "vitest"
import { contents, directories, drop, put, runs } from "./testing/disk-directory.ts"

const directory = directories()

/** A copy that crosses the begin of a log: its files are listed before, and copied after. Returns the run on the copy. */
async function copyAcrossRotation(manifest: "first" | "in its turn") {
  const run = runs(directory(), { segmentBytes: 300 })
  const storage = await run.open()
  await storage.commit([put("/a/1", undefined, "x".repeat(300))])
  const first = run.read("manifest")
  const names = run.names()
  // A new log, and one that a deleted Secret begins.
  await storage.commit([put("/registry/secrets/default/b")])
  await storage.commit([drop("/registry/secrets/default/b")])
  const copy = runs(directory())
  await (await copy.open()).close()
  for (const name of copy.names()) copy.remove(name)
  for (const name of names) copy.write(name, run.read(name))
  if (manifest === "first") copy.write("manifest", first)
  await storage.close()
  return copy
}

test("a copy of a running storage with the manifest of before the copy opens, with everything acknowledged before", async () => {
  const copy = await copyAcrossRotation("first")
  const storage = await copy.open()
  expect(contents(storage).map(([key]) => key)).toEqual(["/a/1"])
  await storage.close()
})

test("a copy whose manifest names a log that it lacks is refused, and nothing is changed", async () => {
  const copy = await copyAcrossRotation("in its turn")
  const before = copy.names()
  await expect(copy.open()).rejects.toThrow(/expected .*log-0000000\d, which .*manifest names/)
  expect(copy.names()).toEqual(before)
})
