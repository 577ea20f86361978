import { expect, test } from "vitest"
import type { Disk } from "./disk.ts"
import { systemDisk } from "./system-disk.ts"
import { contents, directories, put, runs } from "./test-directory.ts"

const directory = directories()

/** A disk whose log writes half of what it is given, and then fails, from the given write on. */
function fullAfter(writes: number): Disk {
  let left = writes
  return {
    ...systemDisk,
    async openLog(path) {
      const file = await systemDisk.openLog(path)
      return {
        ...file,
        async write(bytes, position) {
          if (left-- > 0) return file.write(bytes, position)
          await file.write(bytes.subarray(0, 40), position)
          throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" })
        },
      }
    },
  }
}

test("on a full disk writes are refused, reads go on, and nothing acknowledged is lost", async () => {
  const run = runs(directory())
  const storage = await run.open({ disk: fullAfter(1) })
  await storage.commit([put("/a/1")])
  const failing = storage.commit([put("/a/2")])
  const behind = Promise.resolve().then(() => storage.commit([put("/a/3")]))
  for (const write of [failing, behind]) {
    await expect(write).rejects.toMatchObject({
      code: "STORAGE_FAILED",
      message: expect.stringMatching(
        /^the disk is full .*takes no more writes, reads go on, and nothing that was acknowledged is lost; make room and restart$/,
      ),
    })
  }
  await expect(storage.commit([put("/a/4")])).rejects.toMatchObject({ code: "STORAGE_FAILED" })
  expect([contents(storage).length, storage.revision]).toEqual([1, 1])
  await storage.close()
  const again = await run.open()
  expect(contents(again).map(([key]) => key)).toEqual(["/a/1"])
  await again.commit([put("/a/5")])
  expect(again.revision).toBeGreaterThan(4)
})

test("who conflicts with a write that fails hears of the failure, not of the conflict", async () => {
  const storage = await runs(directory()).open({ disk: fullAfter(0) })
  const results = await Promise.allSettled([storage.commit([put("/a/1", 0)]), storage.commit([put("/a/1", 0)])])
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"])
  expect(storage.get("/a/1")).toBeUndefined()
})

test("writers that come while a sync is under way share the next one", async () => {
  let writes = 0
  const counting: Disk = {
    ...systemDisk,
    async openLog(path) {
      const file = await systemDisk.openLog(path)
      return { ...file, write: (bytes, position) => (writes++, file.write(bytes, position)) }
    },
  }
  const storage = await runs(directory()).open({ disk: counting })
  await Promise.all(
    Array.from({ length: 16 }, async (_, writer) => {
      for (let round = 0; round < 10; round++) await storage.commit([put(`/a/${writer}`)])
    }),
  )
  expect(storage.revision).toBe(160)
  expect(writes).toBeLessThan(25)
})

test("a snapshot that cannot be written is a warning, and the log stays", async () => {
  const run = runs(directory(), { segmentBytes: 500 })
  const disk: Disk = {
    ...systemDisk,
    writeWhole: (path, parts) => (path.includes("snapshot") ? Promise.reject(new Error("no room")) : systemDisk.writeWhole(path, parts)),
  }
  const storage = await run.open({ disk })
  for (let round = 0; round < 20; round++) await storage.commit([put(`/a/${round}`)])
  await storage.compact(storage.revision)
  expect(run.lines.map(({ level, message }) => `${level} ${message}`)).toContain(
    "warn the log of the storage could not be shortened; it is tried again",
  )
  await storage.close()
  expect(contents(await run.open())).toHaveLength(20)
})
