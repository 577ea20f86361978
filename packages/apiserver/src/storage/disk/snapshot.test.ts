import type { KubeObject } from "@pilothouse/api"
import { expect, test } from "vitest"
import type { Disk } from "./disk.ts"
import { contents, directories, put, runs, systemDisk } from "./testing/disk-directory.ts"

const directory = directories()
const mebibyte = 1024 * 1024

/** A ConfigMap of about `length` characters of JSON. */
const putLarge = (key: string, length: number) => ({
  key,
  make: (revision: number): KubeObject & { data: object } => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: key, resourceVersion: String(revision) },
    data: { text: "x".repeat(length) },
  }),
})

/** A disk that records the lengths of the pieces of each snapshot: each piece is encoded in one turn of the event loop. */
function recordingDisk(lengths: number[]): Disk {
  function* recorded(parts: Iterable<Uint8Array>): Generator<Uint8Array> {
    for (const part of parts) {
      lengths.push(part.length)
      yield part
    }
  }
  return {
    ...systemDisk,
    writeWhole: (path, parts) => systemDisk.writeWhole(path, path.includes("snapshot") ? recorded(parts) : parts),
  }
}

test.each([
  ["40 objects of 100 KB", 40, 100_000, 1.1 * mebibyte],
  ["an object of 1.4 MiB between small ones", 2, 1.4 * mebibyte, 1.5 * mebibyte],
])("the frames of a snapshot are bounded by their length, not only by the number of objects: %s", async (_what, count, length, bound) => {
  const run = runs(directory(), { segmentBytes: 1000 })
  const lengths: number[] = []
  const storage = await run.open({ disk: recordingDisk(lengths) })
  await storage.commit([put("/a")])
  for (let index = 0; index < count; index++) await storage.commit([putLarge(`/b/${index}`, length)])
  await storage.commit([put("/c")])
  await storage.compact(storage.revision)
  const before = contents(storage)
  expect(lengths.length).toBeGreaterThan(2)
  expect(Math.max(...lengths)).toBeLessThan(bound)
  await storage.close()
  expect(run.names().filter((name) => name.startsWith("snapshot"))).toHaveLength(1)
  expect(contents(await run.open())).toEqual(before)
})
