import { PilothouseError } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { memoryStorage } from "../storage/memory.ts"
import type { Storage } from "../storage/storage.ts"
import { objectIn, testServer } from "../testing/server.ts"

const path = "/api/v1/namespaces/default/events"
const event = (name: string) => ({ metadata: { name, namespace: "default" }, involvedObject: { namespace: "default" } })

/** A storage that is full, or not. */
function fillable(): { storage: Storage; full: boolean } {
  const storage = memoryStorage()
  const commit = storage.commit.bind(storage)
  const disk = { storage, full: false }
  storage.commit = (writes) => (disk.full ? Promise.reject(new PilothouseError("STORAGE_FAILED", "the disk is full")) : commit(writes))
  return disk
}

function eventServer() {
  const disk = fillable()
  const api = testServer("in process", { storage: disk.storage, eventTtl: 60_000 })
  return { ...api, disk, names: async () => objectIn(await api.get(path)).items?.map(({ metadata }) => metadata.name) }
}

test("events whose time was over on a full disk go when there is room again", async () => {
  const { clock, disk, names, post } = eventServer()
  await post(path, event("a"))
  await clock.advance("30s")
  await post(path, event("b"))
  disk.full = true
  await clock.advance("45s")
  expect(await names()).toEqual(["a", "b"])
  disk.full = false
  await clock.advance("10s")
  expect(await names()).toEqual(["b"])
  await clock.advance("5s")
  expect(await names()).toEqual([])
})

test("thousands of events that are over at once are removed five hundred at a time", async () => {
  const { clock, disk, names, post } = eventServer()
  await Promise.all(Array.from({ length: 1200 }, (_, at) => post(path, event(`e-${at}`))))
  let [underWay, max] = [0, 0]
  const commit = disk.storage.commit.bind(disk.storage)
  disk.storage.commit = async (writes) => {
    max = Math.max(max, ++underWay)
    try {
      return await commit(writes)
    } finally {
      underWay--
    }
  }
  await clock.advance("61s")
  expect(await names()).toEqual([])
  expect(max).toBe(500)
})

test("an event that is written while others could not be removed waits for its own time", async () => {
  const { clock, disk, names, post } = eventServer()
  await post(path, event("a"))
  disk.full = true
  await clock.advance("61s")
  disk.full = false
  await post(path, event("b"))
  await clock.advance("9s")
  expect(await names()).toEqual(["b"])
  await clock.advance("52s")
  expect(await names()).toEqual([])
})

test("a server that is closed while its disk is full leaves no timer behind", async () => {
  const { clock, disk, post, server } = eventServer()
  await post(path, event("a"))
  disk.full = true
  await clock.advance("65s")
  expect(clock.waiting().join()).toContain("expiry of events")
  await server.close()
  await clock.advance("1m")
  expect(clock.waiting().join()).not.toContain("expiry of events")
})

test("one entry waits for each live event, however often it is written or made and deleted", async () => {
  const { clock, disk, names, post, patch, delete: remove } = eventServer()
  for (let count = 0; count < 100; count++) {
    await post(path, event(`gone-${count}`))
    await remove(`${path}/gone-${count}`)
  }
  await post(path, event("a"))
  for (let count = 1; count <= 100; count++) await patch(`${path}/a`, "merge", { count })
  let looks = 0
  const get = disk.storage.get.bind(disk.storage)
  disk.storage.get = (key) => (looks++, get(key))
  await clock.advance("61s")
  expect(await names()).toEqual([])
  expect(looks).toBe(1)
})
