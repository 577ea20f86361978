import { expect, test } from "vitest"
import type { Disk } from "./disk.ts"
import { contents, directories, put, runs, systemDisk } from "./testing/disk-directory.ts"

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

/** A disk that has no room while the state says so; of each write some bytes are there before it says so. */
function fullWhile(state: { readonly full: boolean }, code = "ENOSPC"): Disk {
  const fault = () => Object.assign(new Error(`${code}: no room`), { code })
  return {
    ...systemDisk,
    writeWhole: (path, parts) => (state.full ? Promise.reject(fault()) : systemDisk.writeWhole(path, parts)),
    async openLog(path) {
      const file = await systemDisk.openLog(path)
      return {
        ...file,
        async write(bytes, position) {
          if (!state.full) return file.write(bytes, position)
          await file.write(bytes.subarray(0, 40), position)
          throw fault()
        },
      }
    },
  }
}

/** A full disk that cannot be truncated to the last whole write either. */
function stuckWhile(state: { readonly full: boolean }): Disk {
  const disk = fullWhile(state)
  return {
    ...disk,
    async openLog(path) {
      return { ...(await disk.openLog(path)), cut: () => Promise.reject(new Error("stuck")) }
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
        /^the disk is full .*takes no writes until there is room, reads go on, and nothing that was acknowledged is lost; make room$/,
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

test.each(["ENOSPC", "EDQUOT"])("a disk that is full at the start (%s) is an error that says what to do", async (code) => {
  await expect(runs(directory()).open({ disk: fullWhile({ full: true }, code) })).rejects.toMatchObject({
    code: "DATA_DIRECTORY",
    message: expect.stringMatching(new RegExp(`^the storage directory .* cannot be used \\(${code}: no room\\); make room on that disk$`)),
  })
})

test("the zeros that a log grows by are no reason to call a disk full: it is used to its end", async () => {
  const run = runs(directory())
  const room = 100_000
  const written = { max: 0 }
  const small: Disk = {
    ...systemDisk,
    async openLog(path) {
      const file = await systemDisk.openLog(path)
      return {
        ...file,
        async write(bytes, position) {
          await file.write(bytes.subarray(0, Math.max(0, room - position)), position)
          if (position + bytes.length > room) throw Object.assign(new Error("ENOSPC: no room"), { code: "ENOSPC" })
          written.max = Math.max(written.max, position + bytes.length)
        },
      }
    },
  }
  const storage = await run.open({ disk: small })
  let count = 0
  const filled = async (): Promise<unknown> => {
    for (;;) await storage.commit([put(`/a/${count++}`)])
  }
  await expect(filled()).rejects.toMatchObject({ code: "STORAGE_FAILED", message: expect.not.stringMatching(/no room.*no room/) })
  expect(written.max).toBeGreaterThan(room - 1000)
  await storage.close()
  expect(contents(await run.open())).toHaveLength(count - 1)
})

test("when there is room again writes go on without a restart, and a restart finds them", async () => {
  const run = runs(directory(), { segmentBytes: 200 })
  const state = { full: false }
  const storage = await run.open({ disk: fullWhile(state) })
  const lost = (key: string) => expect(storage.commit([put(key)])).rejects.toMatchObject({ code: "STORAGE_FAILED" })
  for (let round = 0; round < 3; round++) {
    await storage.commit([put(`/a/${round}`)])
    state.full = true
    await Promise.all([lost("/a/lost"), lost(`/a/${round}`)])
    await lost("/a/lost")
    state.full = false
    await storage.commit([put(`/b/${round}`, 0)])
  }
  const kept = contents(storage)
  expect(kept.map(([key]) => key)).toEqual(["/a/0", "/a/1", "/a/2", "/b/0", "/b/1", "/b/2"])
  expect(storage.revision).toBe(15)
  await storage.close()
  const again = await run.open()
  expect(contents(again)).toEqual(kept)
  await again.commit([put("/a/5")])
  expect(again.revision).toBe(16)
})

test("a run that ends while the disk is full gives out no revision twice", async () => {
  const run = runs(directory())
  const state = { full: false }
  const storage = await run.open({ disk: fullWhile(state) })
  await storage.commit([put("/a/1")])
  state.full = true
  await expect(storage.commit([put("/a/2")])).rejects.toMatchObject({ code: "STORAGE_FAILED" })
  await storage.close()
  const again = await run.open()
  await again.commit([put("/a/3")])
  expect(again.revision).toBeGreaterThan(2)
})

test("after a failure of another kind nothing is written any more", async () => {
  const run = runs(directory())
  const state = { full: false }
  const storage = await run.open({ disk: fullWhile(state, "EIO") })
  await storage.commit([put("/a/1")])
  state.full = true
  await expect(storage.commit([put("/a/2")])).rejects.toMatchObject({ message: expect.stringContaining("look after the disk and restart") })
  state.full = false
  await expect(storage.commit([put("/a/3")])).rejects.toMatchObject({ code: "STORAGE_FAILED" })
  await storage.close()
  expect(contents(await run.open()).map(([key]) => key)).toEqual(["/a/1"])
})

test("when a partial write cannot be truncated, nothing is written behind it", async () => {
  const run = runs(directory())
  const state = { full: false }
  const disk = stuckWhile(state)
  const storage = await run.open({ disk })
  await storage.commit([put("/a/1")])
  state.full = true
  await expect(storage.commit([put("/a/2")])).rejects.toMatchObject({ code: "STORAGE_FAILED" })
  state.full = false
  await expect(storage.commit([put("/a/3")])).rejects.toMatchObject({ code: "STORAGE_FAILED" })
  await storage.close()
  expect(contents(await run.open()).map(([key]) => key)).toEqual(["/a/1"])
})

test("a commit that conflicts with a failed write is answered with the failure, not with the conflict", async () => {
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
