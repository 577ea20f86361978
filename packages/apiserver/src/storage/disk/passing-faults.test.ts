import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import type { Disk, LogFile } from "./disk.ts"
import { contents, directories, put, runs, systemDisk } from "./testing/disk-directory.ts"

const directory = directories()

interface Faulty {
  /** What the disk fails with; nothing by default. */
  error?: { readonly code: string; readonly syscall: string }
  /** Calls since it was set. */
  calls: number
}

/** A disk that fails every call that writes or opens while the state has an error; of a write some bytes are there before that. */
function faulty(state: Faulty): Disk {
  const fail = <T>(call: () => Promise<T>): Promise<T> => {
    if (state.error === undefined) return call()
    state.calls++
    return Promise.reject(Object.assign(new Error(`${state.error.code}: ${state.error.syscall}`), state.error))
  }
  const log = (file: LogFile): LogFile => ({
    write: async (bytes, position) => {
      if (state.error !== undefined) await file.write(bytes.subarray(0, 30), position)
      return fail(() => file.write(bytes, position))
    },
    truncate: (size) => fail(() => file.truncate(size)),
    cut: (size) => fail(() => file.cut(size)),
    close: () => file.close(),
  })
  return {
    ...systemDisk,
    writeWhole: (path, parts) => fail(() => systemDisk.writeWhole(path, parts)),
    openLog: (path) => fail(async () => log(await systemDisk.openLog(path))),
  }
}

test.each([
  ["EMFILE", "open"],
  ["ENFILE", "open"],
  ["EAGAIN", "write"],
  ["EINTR", "write"],
  ["ENOMEM", "write"],
])(
  "%s of %s passes: writes are refused meanwhile, then taken without a restart, in the same log and in the next",
  async (code, syscall) => {
    for (const segmentBytes of [1, 1_000_000]) {
      const run = runs(directory(), { segmentBytes })
      const state: Faulty = { calls: 0 }
      const storage = await run.open({ disk: faulty(state) })
      await storage.commit([put("/a/1")])
      state.error = { code, syscall }
      for (const key of ["/a/2", "/a/3"]) {
        await expect(storage.commit([put(key)])).rejects.toMatchObject({
          code: "STORAGE_FAILED",
          message: expect.stringMatching(/^the system is short of resources \(E.*takes no writes until that has passed, reads go on/),
        })
      }
      expect(await storage.writeRefusal()).toEqual({ reason: "the system is short of resources", lasts: false })
      expect(state.calls).toBeGreaterThan(2)
      state.error = undefined
      await storage.commit([put("/a/4")])
      expect(await storage.writeRefusal()).toBeUndefined()
      expect(run.lines.map(({ level, message }) => `${level} ${message.split(" (")[0]}`)).toEqual(
        expect.arrayContaining(["error the system is short of resources", "warn the system has resources again: writes are taken"]),
      )
      await storage.close()
      expect(contents(await run.open()).map(([key]) => key)).toEqual(["/a/1", "/a/4"])
    }
  },
)

test.each([
  ["EIO", "write"],
  ["EIO", "fdatasync"],
  ["EINTR", "fsync"],
  ["ENOMEM", "fdatasync"],
  ["EROFS", "write"],
])("%s of %s is final: nothing is acknowledged afterwards, though the disk would take it", async (code, syscall) => {
  const run = runs(directory())
  const state: Faulty = { calls: 0 }
  const storage = await run.open({ disk: faulty(state) })
  await storage.commit([put("/a/1")])
  state.error = { code, syscall }
  await expect(storage.commit([put("/a/2")])).rejects.toMatchObject({ message: expect.stringMatching(/^a write to the disk failed/) })
  state.error = undefined
  for (let attempt = 0; attempt < 3; attempt++) {
    await expect(storage.commit([put("/a/3")])).rejects.toMatchObject({ code: "STORAGE_FAILED" })
    expect(await storage.writeRefusal()).toEqual({ reason: "a write to the disk failed", lasts: true })
  }
  await storage.close()
  expect(contents(await run.open()).map(([key]) => key)).toEqual(["/a/1"])
})

test("a sync that fails while the log is shortened is final too, also for a write that is under way", async () => {
  const run = runs(directory(), { segmentBytes: 500 })
  const failing = Promise.withResolvers<void>()
  const disk: Disk = {
    ...systemDisk,
    async writeWhole(path, parts) {
      if (!path.includes("snapshot")) return systemDisk.writeWhole(path, parts)
      failing.resolve()
      throw Object.assign(new Error("EIO: i/o error, fsync"), { code: "EIO", syscall: "fsync" })
    },
  }
  const storage = await run.open({ disk })
  for (let round = 0; round < 20; round++) await storage.commit([put(`/a/${round}`)])
  const shrinking = storage.compact(storage.revision)
  const underWay = storage.commit([put("/a/late")]).then(
    () => "acknowledged",
    () => "refused",
  )
  await shrinking
  await failing.promise
  expect(await underWay).toBe("refused")
  await expect(storage.commit([put("/a/later")])).rejects.toMatchObject({ message: expect.stringContaining("EIO: i/o error, fsync") })
  await storage.close()
  expect(contents(await run.open()).filter(([key]) => key !== "/a/late")).toHaveLength(20)
})

test("a process without a free descriptor writes on, into new logs and snapshots, and frees its spares when it closes", () => {
  const script = fileURLToPath(new URL("testing/without-descriptors.ts", import.meta.url))
  const node = `"${process.execPath}" --conditions=@pilothouse/source --disable-warning=ExperimentalWarning "${script}" "${directory()}"`
  const { stdout, stderr, status } = spawnSync("sh", ["-c", `ulimit -n 120 && exec ${node}`], { encoding: "utf8" })
  expect({ said: stdout, stderr, status }).toEqual({
    said: "no descriptor is free\n60 writes in at least 5 logs, a snapshot\nas many descriptors as before\n",
    stderr: "",
    status: 0,
  })
})
