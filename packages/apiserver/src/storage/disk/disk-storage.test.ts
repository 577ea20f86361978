import { expect, test } from "vitest"
import { storageContract } from "../storage.contract.ts"
import type { Change } from "../storage.ts"
import { diskStorage } from "./open.ts"
import { contents, directories, diskClock, drop, put, runs } from "./testing/disk-directory.ts"

const directory = directories()

storageContract("disk", (options) => diskStorage({ directory: directory(), clock: diskClock(), ...options }))
storageContract("disk, a new log after every write", (options) =>
  diskStorage({ directory: directory(), clock: diskClock(), segmentBytes: 1, ...options }),
)

test("everything is there after a restart, and revisions go on", async () => {
  const run = runs(directory())
  const first = await run.open()
  await first.commit([put("/a/1"), put("/a/2")])
  await first.commit([put("/a/1", 1, " again"), drop("/a/2")])
  const before = contents(first)
  await first.close()
  const second = await run.open()
  expect(contents(second)).toEqual(before)
  expect(second.revision).toBe(4)
  await second.commit([put("/a/3")])
  expect(second.revision).toBe(5)
})

test("a watch goes on over a restart, with what stood there before", async () => {
  const run = runs(directory())
  const first = await run.open()
  await first.commit([put("/a/1")])
  await first.commit([put("/a/1"), put("/b/1"), drop("/a/1")])
  await first.close()
  const seen: Change[] = []
  const second = await run.open()
  second.watch("/a/", 1, (change) => seen.push(change))
  expect(seen.map(({ type, revision, previous }) => [type, revision, previous?.revision])).toEqual([
    ["put", 2, 1],
    ["delete", 4, 2],
  ])
})

test("after a crash no revision that may have been given out is given out again, whatever was written since", async () => {
  const run = runs(directory())
  const crashed = await run.open()
  await crashed.commit([put("/a/1")])
  const idle = await run.open()
  expect(idle.revision).toBe(1)
  await idle.close()
  const next = await run.open()
  await next.commit([put("/a/2")])
  expect(next.revision).toBeGreaterThan(10_000)
  expect(contents(next).map(([key]) => key)).toEqual(["/a/1", "/a/2"])
  expect(next.list("/a/", { at: 1 }).items).toHaveLength(1)
})

test("a gap is remembered by a log that begins in it", async () => {
  const run = runs(directory(), { segmentBytes: 1 })
  await (await run.open()).commit([put("/a/1")])
  const lost = await run.open()
  const given: number[] = []
  const make = (revision: number) => {
    given.push(revision)
    throw new Error("never written")
  }
  await expect(lost.commit([{ key: "/a/2", make }])).rejects.toThrow("never written")
  await lost.commit([put("/a/3")])
  // As if nothing had been written behind it: who takes away both has nothing that names the last log.
  run.remove(run.names().findLast((name) => name.startsWith("log"))!)
  run.remove("manifest")
  const next = await run.open()
  await next.commit([put("/a/4")])
  expect(next.revision).toBeGreaterThan(given[0]!)
})

test("no reader sees a write before it is durable, and the next writer conflicts with it already", async () => {
  const run = runs(directory())
  const storage = await run.open()
  const seen: string[] = []
  storage.watch("/", 0, ({ key }) => seen.push(key))
  const writing = storage.commit([put("/a/1", 0)])
  const losing = storage.commit([put("/a/1", 0)])
  expect([storage.get("/a/1"), storage.revision, seen]).toEqual([undefined, 0, []])
  expect(await losing).toMatchObject({ ok: false, current: { revision: 1 } })
  expect([storage.get("/a/1")?.revision, seen]).toEqual([1, ["/a/1"]])
  expect(await writing).toMatchObject({ ok: true })
})

test("history is known for five minutes after a restart, and what is older is refused", async () => {
  const run = runs(directory())
  const first = await run.open()
  await first.commit([put("/a/1")])
  await first.commit([put("/a/1")])
  await run.clock.advance("4m")
  await first.commit([put("/a/1")])
  await run.clock.advance("2m")
  await first.close()
  const second = await run.open()
  expect([second.compacted, second.revision]).toEqual([2, 3])
  expect(() => second.watch("/a/", 1, () => {})).toThrow(expect.objectContaining({ code: "COMPACTED" }))
})

test("the log is replaced by a snapshot when enough of it is outdated, and stays bounded", async () => {
  const run = runs(directory(), { segmentBytes: 2000 })
  const storage = await run.open()
  for (let round = 0; round < 100; round++) {
    await storage.commit([put(`/a/${round % 3}`), put("/b/1"), drop("/b/1")])
    if (round % 10 === 9) await storage.compact(storage.revision - 2)
  }
  const before = contents(storage)
  expect(run.names().filter((name) => name.startsWith("snapshot"))).toHaveLength(1)
  expect(run.names().length).toBeLessThan(15)
  await storage.close()
  const again = await run.open()
  expect(contents(again)).toEqual(before)
  expect(again.revision).toBe(300)
  expect(again.compacted).toBeGreaterThan(200)
  expect(again.list("/a/", { at: 299 }).items).toHaveLength(3)
})

test("many short runs do not leave many files", async () => {
  const run = runs(directory())
  for (let round = 0; round < 22; round++) {
    const storage = await run.open()
    await storage.commit([put(`/a/${round}`)])
    await run.clock.advance("10m")
    await storage.compact(0)
    await storage.close()
  }
  const storage = await run.open()
  await storage.compact(0)
  expect(run.names().length).toBeLessThan(20)
  expect(storage.list("/a/").items).toHaveLength(22)
})

test("a clock that has gone back does no harm", async () => {
  const run = runs(directory())
  const first = await run.open()
  await first.commit([put("/a/1")])
  await first.close()
  const second = await run.open({ clock: diskClock(0) })
  await second.commit([put("/a/2")])
  await second.close()
  const third = await run.open()
  expect(contents(third).map(([key, revision]) => [key, revision])).toEqual([
    ["/a/1", 1],
    ["/a/2", 2],
  ])
})

test("a closed storage takes no writes", async () => {
  const storage = await runs(directory()).open()
  await storage.close()
  await storage.close()
  await expect(storage.commit([put("/a/1")])).rejects.toMatchObject({ code: "STORAGE_FAILED" })
})
