import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { objectIn, testServer } from "../../testing/server.ts"
import { contents, directories, diskClock, drop, put, runs, systemDisk } from "./testing/disk-directory.ts"

const directory = directories()
const secrets = "/api/v1/namespaces/default/secrets"
const secret = (name: string, value: string) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name },
  data: { password: Buffer.from(value).toString("base64") },
})

/** Files of a directory that hold these bytes. */
function filesWith(path: string, text: string): readonly string[] {
  return readdirSync(path).filter((name) => readFileSync(join(path, name)).includes(text))
}

function encoded(value: string): string {
  return Buffer.from(value).toString("base64")
}

test("a deleted Secret and a replaced value are gone from every file after five minutes, and what is current is there", async () => {
  const path = directory()
  const run = runs(path)
  const server = testServer("in process", { clock: run.clock, storage: await run.open() })
  objectIn(await server.post(secrets, secret("deleted", "hunter2-deleted")), 201)
  objectIn(await server.post(secrets, secret("replaced", "hunter2-replaced")), 201)
  objectIn(await server.post(secrets, secret("kept", "hunter2-kept")), 201)
  await server.delete(`${secrets}/deleted`)
  await server.patch(`${secrets}/replaced`, "merge", { data: { password: encoded("hunter3") } })
  expect(filesWith(path, encoded("hunter2-deleted"))).toHaveLength(1)
  // Events of five minutes can be watched again, so nothing is gone before.
  await run.clock.advance("4m")
  expect(filesWith(path, encoded("hunter2-deleted"))).not.toEqual([])
  // The second change came while the first was being erased: it has its own five minutes.
  await run.clock.advance("10m")
  for (const value of ["hunter2-deleted", "hunter2-replaced"]) expect(filesWith(path, encoded(value))).toEqual([])
  for (const value of ["hunter2-kept", "hunter3"]) expect(filesWith(path, encoded(value))).toHaveLength(1)
  await server.server.close()
  const again = testServer("in process", { clock: run.clock, storage: await run.open() })
  expect(objectIn(await again.get(secrets)).items?.map(({ metadata }) => metadata.name)).toEqual(["kept", "replaced"])
  await again.server.close()
})

test("a Secret that was deleted before a crash or a restart is erased by the next run", async () => {
  for (const inOrder of [true, false]) {
    const path = directory()
    const run = runs(path)
    // With a clock of its own: what has crashed does nothing later.
    const clock = diskClock()
    const first = await run.open({ clock })
    await first.commit([put("/registry/secrets/default/a", undefined, "hunter2")])
    await first.commit([put("/registry/configmaps/default/b")])
    await first.commit([drop("/registry/secrets/default/a")])
    await clock.settle()
    if (inOrder) await first.close()
    const second = await run.open()
    expect(filesWith(path, "hunter2")).toHaveLength(1)
    await run.clock.advance("5m")
    await second.compact(0)
    expect(filesWith(path, "hunter2")).toEqual([])
    await second.close()
    expect(contents(await run.open()).map(([key]) => key)).toEqual(["/registry/configmaps/default/b"])
  }
})

test("without an outdated Secret nothing is written, however long it takes", async () => {
  const run = runs(directory())
  let files = 0
  const counting = {
    ...systemDisk,
    writeWhole: (...given: Parameters<typeof systemDisk.writeWhole>) => {
      files++
      return systemDisk.writeWhole(...given)
    },
  }
  const storage = await run.open({ disk: counting })
  await storage.commit([put("/registry/secrets/default/a"), put("/registry/configmaps/default/b")])
  await storage.commit([drop("/registry/configmaps/default/b")])
  files = 0
  await run.clock.advance("24h")
  expect(files).toBe(0)
  // One that is deleted costs a log, its manifest and a snapshot, once.
  await storage.commit([drop("/registry/secrets/default/a")])
  await run.clock.advance("24h")
  expect(files).toBe(3)
  await storage.close()
})

test("Secrets that change all the time cost one snapshot in five minutes", async () => {
  const run = runs(directory())
  let snapshots = 0
  const counting = {
    ...systemDisk,
    writeWhole: (path: string, parts: Iterable<Uint8Array>) => {
      if (path.includes("snapshot")) snapshots++
      return systemDisk.writeWhole(path, parts)
    },
  }
  const storage = await run.open({ disk: counting })
  for (let second = 0; second < 3600; second += 10) {
    await storage.commit([put("/registry/secrets/default/a", undefined, `${second}`)])
    await run.clock.advance("10s")
  }
  expect(snapshots).toBeGreaterThanOrEqual(10)
  expect(snapshots).toBeLessThanOrEqual(12)
  await storage.close()
})

test("an erasure that the disk had no room for is tried again", async () => {
  const path = directory()
  const run = runs(path)
  const state = { full: false }
  const full = () => Promise.reject(Object.assign(new Error("ENOSPC: no room"), { code: "ENOSPC" }))
  const disk = {
    ...systemDisk,
    writeWhole: (file: string, parts: Iterable<Uint8Array>) => (state.full ? full() : systemDisk.writeWhole(file, parts)),
  }
  const storage = await run.open({ disk })
  await storage.commit([put("/registry/secrets/default/a", undefined, "hunter2")])
  state.full = true
  await storage.commit([drop("/registry/secrets/default/a")])
  await run.clock.advance("11m")
  expect(filesWith(path, "hunter2")).not.toEqual([])
  state.full = false
  await run.clock.advance("11m")
  expect(filesWith(path, "hunter2")).toEqual([])
  await storage.close()
})

test.each(["log", "snapshot"])("an erasure whose %s could not be removed is tried again, and the objects stay", async (kind) => {
  const path = directory()
  const run = runs(path)
  const state = { refuses: false }
  const disk = {
    ...systemDisk,
    remove: (file: string) =>
      state.refuses && file.includes(`/${kind}-`)
        ? Promise.reject(Object.assign(new Error("EBUSY: resource busy"), { code: "EBUSY" }))
        : systemDisk.remove(file),
  }
  const storage = await run.open({ disk })
  await storage.commit([put("/registry/configmaps/default/b")])
  const secondSecret = () => storage.commit([put("/registry/secrets/default/c", undefined, "hunter-c")])
  // The first erasure leaves a snapshot; the second Secret is in it, or in a log behind it.
  if (kind === "snapshot") await secondSecret()
  await storage.commit([put("/registry/secrets/default/a")])
  await storage.commit([drop("/registry/secrets/default/a")])
  await run.clock.advance("6m")
  if (kind === "log") await secondSecret()
  expect(filesWith(path, "hunter-c").map((name) => name.split("-")[0])).toEqual([kind])
  state.refuses = true
  await storage.commit([drop("/registry/secrets/default/c")])
  await run.clock.advance("6m")
  expect(filesWith(path, "hunter-c")).not.toEqual([])
  state.refuses = false
  await run.clock.advance("6m")
  expect(filesWith(path, "hunter-c")).toEqual([])
  expect(run.names().filter((name) => name.startsWith("snapshot"))).toHaveLength(1)
  await storage.close()
  expect(contents(await run.open()).map(([key]) => key)).toEqual(["/registry/configmaps/default/b"])
})
