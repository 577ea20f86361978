import type { KubeObject } from "@pilothouse/api"
import { describe, expect, test } from "vitest"
import type { Change, Committed, Revision, Storage, Write } from "./storage.ts"

const object = (name: string, revision: Revision): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, resourceVersion: String(revision) },
})

const put = (key: string, expected?: Revision): Write => ({ key, expected, make: (revision) => object(key, revision) })
const drop = (key: string, expected?: Revision): Write => ({ ...put(key, expected), deletes: true })

/** So many bytes that two of them are not to be mistaken for anything else. */
const large = 100_000
const putLarge = (key: string): Write => ({ key, make: (revision) => ({ ...object(key, revision), data: { text: "x".repeat(large) } }) })

export interface ContractOptions {
  readonly historyBytes?: number
}

/** What every storage promises; run by each implementation's own test. */
export function storageContract(name: string, open: (options?: ContractOptions) => Promise<Storage>): void {
  describe(`storage: ${name}`, () => {
    const committed = async (storage: Storage, ...writes: Write[]): Promise<Committed> => {
      const result = await storage.commit(writes)
      if (!result.ok) throw new Error(`conflict at ${result.key}`)
      return result
    }
    const keysOf = (storage: Storage, prefix: string, options = {}) => storage.list(prefix, options).items.map(({ key }) => key)

    test("every write has the next revision, and its value carries it", async () => {
      const storage = await open()
      const before = storage.revision
      const { stored } = await committed(storage, put("/a/1"), put("/a/2"))
      expect(stored.map(({ revision }) => revision)).toEqual([before + 1, before + 2])
      expect(stored[1]!.value.metadata.resourceVersion).toBe(String(before + 2))
      await committed(storage, drop("/a/1"))
      expect(storage.revision).toBe(before + 3)
    })

    test("a write whose expectation fails changes nothing and shows what is there", async () => {
      const storage = await open()
      const { stored } = await committed(storage, put("/a/1", 0))
      const { revision } = storage
      expect(await storage.commit([put("/a/1", 0)])).toEqual({ ok: false, key: "/a/1", current: stored[0] })
      expect(await storage.commit([put("/a/2", 7)])).toEqual({ ok: false, key: "/a/2", current: undefined })
      expect(storage.revision).toBe(revision)
    })

    test("of two writers that saw the same state one wins", async () => {
      const storage = await open()
      const { stored } = await committed(storage, put("/a/1"))
      const seen = stored[0]!.revision
      const results = await Promise.all([storage.commit([put("/a/1", seen)]), storage.commit([put("/a/1", seen)])])
      expect(results.filter(({ ok }) => ok)).toHaveLength(1)
    })

    test("several keys are written together or not at all", async () => {
      const storage = await open()
      await committed(storage, put("/a/2"))
      const result = await storage.commit([put("/a/1", 0), put("/a/2", 0), put("/a/3", 0)])
      expect(result).toMatchObject({ ok: false, key: "/a/2" })
      expect(keysOf(storage, "/a/")).toEqual(["/a/2"])
    })

    test("several writes of one key in one commit are changes of their own, the last of which stays", async () => {
      const storage = await open()
      const before = storage.revision
      const changes: Change[] = []
      storage.watch("/a/", before, (change) => void changes.push(change))
      await committed(storage, put("/a/1", 0), put("/a/1"), put("/a/2"), put("/a/1"))
      const revisions = changes.map(({ key, revision, previous }) => [key, revision - before, previous && previous.revision - before])
      expect(revisions).toEqual([
        ["/a/1", 1, undefined],
        ["/a/1", 2, 1],
        ["/a/2", 3, undefined],
        ["/a/1", 4, 2],
      ])
      expect(storage.get("/a/1")?.revision).toBe(before + 4)
      expect(storage.list("/a/", { at: before + 1 }).items.map(({ revision }) => revision - before)).toEqual([1])
      expect(await storage.commit([put("/a/1", before + 1)])).toMatchObject({ ok: false, current: { revision: before + 4 } })
      await committed(storage, put("/a/1", before + 4))
    })

    test("a value that cannot be made leaves nothing behind", async () => {
      const storage = await open()
      const { revision } = storage
      const broken: Write = {
        key: "/a/2",
        make: () => {
          throw new Error("no")
        },
      }
      await expect(storage.commit([put("/a/1"), broken])).rejects.toThrow("no")
      expect(storage.revision).toBe(revision)
      expect(keysOf(storage, "/a/")).toEqual([])
    })

    test("a read shows every write that was acknowledged", async () => {
      const storage = await open()
      await committed(storage, put("/a/1"))
      expect(storage.get("/a/1")?.value.metadata.name).toBe("/a/1")
      await committed(storage, drop("/a/1"))
      expect(storage.get("/a/1")).toBeUndefined()
    })

    test("lists by prefix in the order of keys", async () => {
      const storage = await open()
      await committed(storage, put("/a/b/2"), put("/a/b/10"), put("/a/c/1"), put("/ab/1"))
      expect(keysOf(storage, "/a/")).toEqual(["/a/b/10", "/a/b/2", "/a/c/1"])
      expect(keysOf(storage, "/a/b/")).toEqual(["/a/b/10", "/a/b/2"])
      expect(keysOf(storage, "/none/")).toEqual([])
    })

    test("pages show one instant while writes go on", async () => {
      const storage = await open()
      await committed(storage, ...["1", "2", "3", "4", "5"].map((name) => put(`/a/${name}`)))
      const first = storage.list("/a/", { limit: 2 })
      expect(first.items.map(({ key }) => key)).toEqual(["/a/1", "/a/2"])
      expect(first.remaining).toBe(3)
      await committed(storage, drop("/a/3"), put("/a/31"), put("/a/4"), put("/a/6"), drop("/a/1"))
      const rest = storage.list("/a/", { at: first.revision, after: "/a/2" })
      expect(rest.items.map(({ key }) => key)).toEqual(["/a/3", "/a/4", "/a/5"])
      expect(rest.items.every(({ revision }) => revision <= first.revision)).toBe(true)
      expect(rest.revision).toBe(first.revision)
      const next = storage.list("/a/", { at: first.revision, after: "/a/2", limit: 1 })
      expect([next.items.map(({ key }) => key), next.remaining]).toEqual([["/a/3"], 2])
      expect(storage.list("/a/", { at: first.revision, limit: 2 })).toMatchObject({
        items: [{ key: "/a/1" }, { key: "/a/2" }],
        remaining: 3,
      })
      expect(storage.list("/a/", { after: "/a/2", limit: 1 })).toMatchObject({ items: [{ key: "/a/31" }], remaining: 3 })
      expect(keysOf(storage, "/a/")).toEqual(["/a/2", "/a/31", "/a/4", "/a/5", "/a/6"])
    })

    test("a watcher gets every change behind its revision once, in order, past and present", async () => {
      const storage = await open()
      await committed(storage, put("/a/1"))
      const since = storage.revision
      await committed(storage, put("/a/2"), put("/b/1"))
      const seen: Change[] = []
      const watching = storage.watch("/a/", since, (change) => seen.push(change))
      await committed(storage, put("/a/1"), drop("/a/2"))
      watching[Symbol.dispose]()
      await committed(storage, put("/a/3"))
      expect(seen.map(({ type, key, revision }) => [type, key, revision - since])).toEqual([
        ["put", "/a/2", 1],
        ["put", "/a/1", 3],
        ["delete", "/a/2", 4],
      ])
      expect(seen.map(({ previous }) => previous && previous.revision - since)).toEqual([undefined, 0, 1])
    })

    test("a watch from a revision that is still to come waits for it", async () => {
      const storage = await open()
      const seen: Change[] = []
      const watching = storage.watch("/a/", storage.revision + 1, (change) => seen.push(change))
      await committed(storage, put("/a/1"), put("/a/2"))
      watching[Symbol.dispose]()
      expect(seen.map(({ key }) => key)).toEqual(["/a/2"])
    })

    test("a watcher that throws is ended, and neither the commit nor the other watchers notice", async () => {
      const storage = await open()
      const [failing, seen]: [string[], string[]] = [[], []]
      storage.watch("/a/", storage.revision, ({ key }) => {
        failing.push(key)
        throw new Error("a printer failed")
      })
      storage.watch("/a/", storage.revision, ({ key }) => seen.push(key))
      await committed(storage, put("/a/1"), put("/a/2"))
      await committed(storage, put("/a/3"))
      expect(keysOf(storage, "/a/")).toEqual(["/a/1", "/a/2", "/a/3"])
      expect({ failing, seen }).toEqual({ failing: ["/a/1"], seen: ["/a/1", "/a/2", "/a/3"] })
    })

    test("a watcher that reads in its callback sees the whole commit", async () => {
      const storage = await open()
      const read: (readonly string[])[] = []
      storage.watch("/a/", storage.revision, () => read.push(keysOf(storage, "/a/")))
      await committed(storage, put("/a/1"), put("/a/2"))
      expect(read).toEqual([
        ["/a/1", "/a/2"],
        ["/a/1", "/a/2"],
      ])
    })

    test("a watch that another's sink begins in the middle of a commit gets every change once", async () => {
      const storage = await open()
      const since = storage.revision
      const seen: string[] = []
      let begun: Disposable | undefined
      storage.watch("/a/", since, () => {
        begun ??= storage.watch("/a/", since, ({ key }) => seen.push(key))
      })
      await committed(storage, put("/a/1"), put("/a/2"))
      await committed(storage, put("/a/3"))
      expect(seen).toEqual(["/a/1", "/a/2", "/a/3"])
    })

    test("what is compacted is refused, what is not stays", async () => {
      const storage = await open()
      await committed(storage, put("/a/1"))
      const old = storage.revision
      await committed(storage, put("/a/2"))
      const kept = storage.revision
      await committed(storage, drop("/a/1"))
      await storage.compact(kept)
      expect(storage.compacted).toBe(kept)
      expect(() => storage.list("/a/", { at: old })).toThrowError(expect.objectContaining({ code: "COMPACTED" }))
      expect(() => storage.watch("/a/", old, () => {})).toThrowError(expect.objectContaining({ code: "COMPACTED" }))
      expect(keysOf(storage, "/a/", { at: kept })).toEqual(["/a/1", "/a/2"])
      expect(keysOf(storage, "/a/")).toEqual(["/a/2"])
      await storage.compact(old)
      expect(storage.compacted).toBe(kept)
    })

    test("revisions go on where they were after everything is compacted", async () => {
      const storage = await open()
      await committed(storage, put("/a/1"))
      const { revision } = storage
      await storage.compact(revision)
      await committed(storage, put("/a/2"))
      expect(storage.revision).toBe(revision + 1)
    })

    test("history that holds more bytes than it may loses its oldest changes and keeps the newest", async () => {
      const storage = await open({ historyBytes: 5 * large })
      const seen: Revision[] = []
      storage.watch("/a/", storage.revision, ({ revision }) => seen.push(revision))
      const old = storage.revision
      for (let round = 0; round < 20; round++) await committed(storage, putLarge("/a/1"))
      expect(storage.compacted).toBeGreaterThan(storage.revision - 6)
      expect(storage.compacted).toBeLessThan(storage.revision - 2)
      expect(() => storage.watch("/a/", old, () => {})).toThrowError(expect.objectContaining({ code: "COMPACTED" }))
      expect(storage.list("/a/", { at: storage.compacted }).items.map(({ revision }) => revision)).toEqual([storage.compacted])
      const again: Revision[] = []
      storage.watch("/a/", storage.compacted, ({ revision }) => again.push(revision))
      expect(seen).toHaveLength(20)
      expect(again).toEqual(seen.slice(seen.indexOf(storage.compacted) + 1))
    })

    test("what is there now is no history, however large, and what was deleted is", async () => {
      const storage = await open({ historyBytes: 5 * large })
      const before = storage.revision
      const keys = Array.from({ length: 20 }, (_, index) => `/a/${index}`)
      for (const key of keys) await committed(storage, putLarge(key))
      expect(storage.compacted).toBe(before)
      for (const key of keys) await committed(storage, { ...putLarge(key), deletes: true })
      expect(storage.compacted).toBeGreaterThan(storage.revision - 4)
    })

    test("a change that is larger than all that history may hold is sent to watchers and forgotten", async () => {
      const storage = await open({ historyBytes: large / 2 })
      const seen: string[] = []
      storage.watch("/a/", storage.revision, ({ key }) => seen.push(key))
      await committed(storage, putLarge("/a/1"))
      await committed(storage, putLarge("/a/1"))
      expect(storage.compacted).toBe(storage.revision)
      await committed(storage, put("/a/2"))
      expect(seen).toEqual(["/a/1", "/a/1", "/a/2"])
      expect(keysOf(storage, "/a/")).toEqual(["/a/1", "/a/2"])
    })

    test("a watcher that buffers changes is notified of compactions, as long as it watches", async () => {
      const storage = await open({ historyBytes: 5 * large })
      const gone: Revision[] = []
      const watching = storage.watch(
        "/b/",
        storage.revision,
        () => {},
        (compacted) => gone.push(compacted),
      )
      await committed(storage, put("/a/1"), put("/a/2"))
      await storage.compact(storage.revision - 1)
      expect(gone).toEqual([storage.compacted])
      for (let round = 0; round < 7; round++) await committed(storage, putLarge("/a/1"))
      expect(gone.at(-1)).toBe(storage.compacted)
      expect(gone.length).toBeGreaterThan(1)
      watching[Symbol.dispose]()
      const told = gone.length
      await storage.compact(storage.revision)
      expect(gone).toHaveLength(told)
    })
  })
}
