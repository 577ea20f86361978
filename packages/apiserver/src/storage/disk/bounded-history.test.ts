import { statSync } from "node:fs"
import { join } from "node:path"
import type { KubeObject } from "@pilothouse/api"
import { expect, test } from "vitest"
import type { Write } from "../storage.ts"
import { contents, directories, runs } from "./testing/disk-directory.ts"

const directory = directories()
const large = 50_000
const bounds = { historyBytes: 10 * large, segmentBytes: 2 * large }

const putLarge = (key: string): Write => ({
  key,
  make: (revision): KubeObject & { data: object } => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: key, resourceVersion: String(revision) },
    data: { text: "x".repeat(large) },
  }),
})

test("one object written over and over keeps neither memory nor disk nor the next start busy with what is gone", async () => {
  const path = directory()
  const run = runs(path, bounds)
  const bytes = () => run.names().reduce((sum, name) => sum + statSync(join(path, name)).size, 0)
  const storage = await run.open()
  const sizes: number[] = []
  for (let round = 0; round < 200; round++) {
    await storage.commit([putLarge("/a/1")])
    // Waits for the snapshot that is under way: how fast that is, is nothing to measure, and files come and go meanwhile.
    await storage.compact(storage.compacted)
    sizes.push(bytes())
  }
  // What history holds, a log that is worth a snapshot, the snapshot, and the zeros that a log grows by.
  expect(Math.max(...sizes)).toBeLessThan(25 * large + 1024 * 1024)
  const [before, { compacted }] = [contents(storage), storage]
  await storage.close()
  const again = await run.open()
  expect(contents(again)).toEqual(before)
  expect(again.compacted).toBeGreaterThanOrEqual(compacted)
  expect(again.revision).toBe(200)
})

test("a start holds no more history than it is given, whatever is in the log", async () => {
  const run = runs(directory(), { ...bounds, historyBytes: 1000 * large })
  const first = await run.open()
  for (let round = 0; round < 20; round++) await first.commit([putLarge("/a/1")])
  expect(first.compacted).toBe(0)
  await first.close()
  const second = await run.open({ historyBytes: 5 * large })
  expect(second.compacted).toBeGreaterThan(14)
  expect(second.list("/a/", { at: second.compacted }).items).toHaveLength(1)
  await second.close()
})
