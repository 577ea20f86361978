import { expect, test } from "vitest"
import type { Storage } from "../storage.ts"
import type { Disk } from "./disk.ts"
import { contents, directories, put, runs, systemDisk } from "./testing/disk-directory.ts"

const directory = directories()

interface State {
  /** Bytes that a log takes at once. */
  room: number
  /** What was done since the test emptied it. */
  readonly done: string[]
}

function smallDisk(state: State): Disk {
  return {
    ...systemDisk,
    writeWhole(path, parts) {
      state.done.push("file")
      return systemDisk.writeWhole(path, parts)
    },
    async openLog(path) {
      const file = await systemDisk.openLog(path)
      return {
        ...file,
        write(bytes, position) {
          state.done.push("append")
          if (bytes.length <= state.room) return file.write(bytes, position)
          return Promise.reject(Object.assign(new Error("ENOSPC: no room"), { code: "ENOSPC" }))
        },
      }
    },
  }
}

const full = { reason: "the disk is full", lasts: false }
const large = "x".repeat(100_000)

const refused = (storage: Storage, text: string) =>
  expect(storage.commit([put("/a/large", undefined, text)])).rejects.toMatchObject({ code: "STORAGE_FAILED" })

async function opened() {
  const run = runs(directory())
  const state: State = { room: Number.POSITIVE_INFINITY, done: [] }
  const storage = await run.open({ disk: smallDisk(state) })
  await storage.commit([put("/a/1")])
  return { run, state, storage, said: () => run.lines.map(({ level, message }) => `${level} ${message.split(" (")[0]}`) }
}

test.each([
  ["a small write", "x", 60_000, 70_000],
  ["a large one", large, 90_000, 101_000],
])("a disk that has refused %s is full until there is room for that, said once and in one file", async (_what, text, less, enough) => {
  const { run, state, storage, said } = await opened()
  const names = run.names()
  state.room = 10
  for (const room of [10, less, less]) {
    await refused(storage, text)
    state.room = room
    expect(await storage.writeRefusal()).toEqual(full)
    state.room = 10
  }
  expect(said()).toEqual(["error the disk is full"])
  expect(run.names()).toEqual(names)
  state.room = enough
  expect(await storage.writeRefusal()).toBeUndefined()
  await storage.commit([put("/a/large", undefined, text)])
  expect(said()).toEqual(["error the disk is full", "warn there is room on the disk again: writes are taken"])
  const kept = contents(storage)
  await storage.close()
  expect(contents(await run.open())).toEqual(kept)
})

test("what is written after a failure goes on in the same file, and a start that follows a crash reads all of it", async () => {
  const { run, state, storage } = await opened()
  state.room = 10
  await refused(storage, "x")
  expect(await storage.writeRefusal()).toEqual(full)
  state.room = 70_000
  expect(await storage.writeRefusal()).toBeUndefined()
  await storage.commit([put("/a/2")])
  expect(run.names()).toEqual(["log-00000001", "manifest"])
  // Without a close.
  const again = await run.open()
  expect(contents(again)).toEqual(contents(storage))
  await again.commit([put("/a/3")])
  expect(again.revision).toBeGreaterThan(storage.revision)
})

test("a question during a close writes nothing behind its end", async () => {
  const { state, storage } = await opened()
  state.room = 10
  await refused(storage, "x")
  state.room = Number.POSITIVE_INFINITY
  state.done.length = 0
  const closing = storage.close()
  const asked = storage.writeRefusal()
  await closing
  expect(await asked).toEqual({ reason: "the storage is closed", lasts: true })
  expect(state.done).toEqual([])
})

test("a close waits for a question that came before it", async () => {
  const { run, state, storage } = await opened()
  state.room = 10
  await refused(storage, "x")
  state.room = Number.POSITIVE_INFINITY
  state.done.length = 0
  const asked = storage.writeRefusal()
  await storage.close()
  const { length } = state.done
  expect(length).toBeGreaterThan(0)
  expect(await asked).toEqual({ reason: "the storage is closed", lasts: true })
  expect(state.done).toHaveLength(length)
  expect(contents(await run.open())).toHaveLength(1)
})

test("the last refusal is known without a try", async () => {
  const { state, storage } = await opened()
  expect(storage.lastRefusal).toBeUndefined()
  state.room = 10
  await refused(storage, "x")
  state.room = Number.POSITIVE_INFINITY
  state.done.length = 0
  expect(storage.lastRefusal).toEqual(full)
  expect(state.done).toEqual([])
})
