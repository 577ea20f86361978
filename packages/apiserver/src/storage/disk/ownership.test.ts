import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { objectIn, statusIn, testServer } from "../../testing/server.ts"
import type { Disk } from "./disk.ts"
import { contents, directories, diskClock, put, runs, systemDisk } from "./testing/disk-directory.ts"

const directory = directories()

const lost = {
  code: "STORAGE_FAILED",
  message: expect.stringMatching(
    /^another process owns the data directory \(.*\): .* takes no more writes from this process, reads go on, .*; stop this process and use the one that owns it$/,
  ),
}

test("a process that has lost its directory acknowledges nothing more, and what the new owner writes stays", async () => {
  const run = runs(directory())
  let isOwner = true
  const first = await run.open({ isOwner: () => isOwner })
  await first.commit([put("/a/1")])
  isOwner = false
  const second = await run.open()
  await second.commit([put("/a/2")])
  for (const key of ["/a/3", "/a/4"]) await expect(first.commit([put(key)])).rejects.toMatchObject(lost)
  expect(await first.writeRefusal()).toEqual({ reason: "another process owns the data directory", lasts: true })
  // Not even when the way to tell says otherwise again.
  isOwner = true
  await expect(first.commit([put("/a/5")])).rejects.toMatchObject(lost)
  await second.commit([put("/a/6")])
  await first.close()
  await second.close()
  expect(contents(await run.open()).map(([key]) => key)).toEqual(["/a/1", "/a/2", "/a/6"])
})

test("a write whose directory is lost while it is under way is not acknowledged", async () => {
  const run = runs(directory())
  let isOwner = true
  const disk = {
    ...systemDisk,
    async openLog(path: string) {
      const file = await systemDisk.openLog(path)
      return {
        ...file,
        async write(bytes: Uint8Array, position: number) {
          await file.write(bytes, position)
          isOwner = false
        },
      }
    },
  }
  const storage = await run.open({ disk, isOwner: () => isOwner })
  await expect(storage.commit([put("/a/1")])).rejects.toMatchObject(lost)
  expect(contents(storage)).toEqual([])
})

test("a process that has lost its directory begins no log, writes no snapshot, removes nothing and closes nothing there", async () => {
  const path = directory()
  const run = runs(path, { segmentBytes: 300 })
  let isOwner = true
  const storage = await run.open({ isOwner: () => isOwner })
  for (let count = 0; count < 20; count++) await storage.commit([put(`/a/${count}`)])
  const files = () => run.names().map((name) => [name, readFileSync(join(path, name)).toString("latin1").replace(/\0+$/, "")])
  const before = files()
  isOwner = false
  await storage.compact(storage.revision)
  await storage.close()
  expect(files()).toEqual(before)
})

test("a process that was paused before it began a log does not replace the log of the next owner", async () => {
  const run = runs(directory(), { segmentBytes: 300 })
  let isOwner = true
  const reached = Promise.withResolvers<void>()
  const resumed = Promise.withResolvers<void>()
  const pausing: Disk = {
    ...systemDisk,
    async writeWhole(path, parts, options) {
      if (path.endsWith("log-00000002")) {
        reached.resolve()
        await resumed.promise
      }
      return systemDisk.writeWhole(path, parts, options)
    },
  }
  const first = await run.open({ disk: pausing, isOwner: () => isOwner, clock: diskClock() })
  await first.commit([put("/a/1", undefined, "x".repeat(300))])
  const paused = first.commit([put("/a/2")]).catch((error: unknown) => error)
  await reached.promise
  isOwner = false
  const second = await run.open({ segmentBytes: 10_000 })
  await second.commit([put("/a/3")])
  resumed.resolve()
  expect(await paused).toMatchObject(lost)
  await second.commit([put("/a/4")])
  await first.close()
  await second.close()
  expect(contents(await run.open()).map(([key]) => key)).toEqual(["/a/1", "/a/3", "/a/4"])
})

test("a process that was paused while it closed its log does not make the log of the next owner unreadable", async () => {
  const run = runs(directory())
  const reached = Promise.withResolvers<void>()
  const resumed = Promise.withResolvers<void>()
  const pausing: Disk = {
    ...systemDisk,
    async openLog(path) {
      const file = await systemDisk.openLog(path)
      return {
        ...file,
        async write(bytes, position) {
          if (Buffer.from(bytes).includes("closed")) {
            reached.resolve()
            await resumed.promise
          }
          await file.write(bytes, position)
        },
      }
    },
  }
  // The fence is not noticed in time: it is checked before the pause only.
  const first = await run.open({ disk: pausing, clock: diskClock() })
  await first.commit([put("/a/1")])
  const closing = first.close()
  await reached.promise
  const second = await run.open({ clock: diskClock() })
  await second.commit([put("/a/2")])
  resumed.resolve()
  await closing
  expect(contents(await run.open()).map(([key]) => key)).toEqual(["/a/1", "/a/2"])
  await second.close()
})

test("a log whose manifest could not be written is begun again by the same process", async () => {
  const run = runs(directory(), { segmentBytes: 300 })
  let isFull = false
  const disk: Disk = {
    ...systemDisk,
    writeWhole(path, parts, options) {
      if (isFull && path.endsWith("manifest")) return Promise.reject(Object.assign(new Error("ENOSPC: no room"), { code: "ENOSPC" }))
      return systemDisk.writeWhole(path, parts, options)
    },
  }
  const storage = await run.open({ disk })
  await storage.commit([put("/a/1", undefined, "x".repeat(300))])
  isFull = true
  await expect(storage.commit([put("/a/2")])).rejects.toMatchObject({ code: "STORAGE_FAILED" })
  expect(run.names()).toContain("log-00000002")
  isFull = false
  await storage.commit([put("/a/3")])
  await storage.close()
  expect(contents(await run.open()).map(([key]) => key)).toEqual(["/a/1", "/a/3"])
})

test("a process that has lost its directory while it read it repairs nothing there", async () => {
  const path = directory()
  const run = runs(path)
  const crashed = await run.open({ clock: diskClock() })
  await crashed.commit([put("/a/1")])
  run.write("snapshot-00000001.new", "half")
  const files = () => run.names().map((name) => [name, run.read(name).length])
  const before = files()
  await expect(run.open({ isOwner: () => false })).rejects.toThrow("expected this process to be the owner")
  expect(files()).toEqual(before)
  await crashed.close()
})

test("over the API a lost directory is a 503, and the process is not alive: it is to be ended", async () => {
  const run = runs(directory())
  let isOwner = true
  const server = testServer("in process", { clock: run.clock, storage: await run.open({ isOwner: () => isOwner }) })
  const path = "/api/v1/namespaces/default/configmaps"
  objectIn(await server.post(path, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }), 201)
  isOwner = false
  expect(statusIn(await server.post(path, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b" } }))).toMatchObject({
    code: 503,
    reason: "ServiceUnavailable",
    message: expect.stringMatching(/^another process owns the data directory: /),
  })
  expect((await server.get("/livez")).status).toBe(500)
  await server.server.close()
})
