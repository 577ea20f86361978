import { expect, test } from "vitest"
import { contents, directories, put, runs } from "./testing/disk-directory.ts"

const directory = directories()
const log1 = "log-00000001"

/** Two writes, and then a crash: the log is not closed. */
async function crashed() {
  const run = runs(directory())
  const storage = await run.open()
  await storage.commit([put("/a/1")])
  const afterFirst = wholeSize(run.read(log1))
  await storage.commit([put("/a/2")])
  return { run, afterFirst, size: wholeSize(run.read(log1)) }
}

/** Without the zeros that it grows into. */
function wholeSize(bytes: Buffer): number {
  let size = bytes.length
  while (bytes[size - 1] === 0) size--
  return size
}

function changed(bytes: Buffer, at: number, to = bytes[at]! ^ 1): Buffer {
  const copy = Buffer.from(bytes)
  copy[at] = to
  return copy
}

test("a write that was cut off at any byte is cut, and what was acknowledged before it is there", async () => {
  const { run, afterFirst, size } = await crashed()
  const whole = run.read(log1)
  for (const end of [afterFirst + 1, afterFirst + 10, afterFirst + 16, afterFirst + 40, size - 1]) {
    for (const padded of [true, false]) {
      const bytes = Buffer.alloc(padded ? whole.length : end)
      whole.copy(bytes, 0, 0, end)
      const again = runs(directory())
      await (await again.open()).close()
      again.write(log1, bytes)
      const storage = await again.open()
      expect(
        contents(storage).map(([key]) => key),
        `cut at ${end - afterFirst}`,
      ).toEqual(["/a/1"])
      expect(again.lines.map(({ message }) => message)).toEqual([expect.stringContaining("is cut off")])
      await storage.commit([put("/a/3")])
      await storage.close()
      expect(contents(await again.open()).map(([key]) => key)).toEqual(["/a/1", "/a/3"])
    }
  }
})

test("a sector that the disk did not get to, before one that it did, is a cut write too", async () => {
  const { run, afterFirst } = await crashed()
  const bytes = Buffer.from(run.read(log1))
  bytes.fill(0, afterFirst, afterFirst + 60)
  run.write(log1, bytes)
  expect(contents(await run.open()).map(([key]) => key)).toEqual(["/a/1"])
})

test("a frame whose first bytes are the end of a sector that the disk did not get to is a cut write, however few they are", async () => {
  const { run, afterFirst } = await crashed()
  const whole = run.read(log1)
  for (let missing = 1; missing <= 16; missing++) {
    const bytes = Buffer.from(whole)
    bytes.fill(0, afterFirst, afterFirst + missing)
    const again = runs(directory())
    await (await again.open()).close()
    again.remove("manifest")
    again.write(log1, bytes)
    expect(
      contents(await again.open()).map(([key]) => key),
      `${missing} bytes`,
    ).toEqual(["/a/1"])
  }
})

test("a torn write behind the end of a closed log is cut once, and the next start finds nothing wrong", async () => {
  const run = runs(directory())
  const storage = await run.open()
  await storage.commit([put("/a/1")])
  await storage.close()
  const bytes = run.read(log1)
  run.write(log1, Buffer.concat([bytes, bytes.subarray(bytes.lastIndexOf(0xff), bytes.length - 3)]))
  await (await run.open()).close()
  expect(run.read(log1).equals(bytes)).toBe(true)
  expect(contents(await run.open())).toHaveLength(1)
})

test("a changed byte anywhere in what was acknowledged is refused, and nothing is touched", async () => {
  const { run, size } = await crashed()
  // Without the zeros: three hundred files of a megabyte take a while.
  const whole = run.read(log1).subarray(0, size)
  for (let at = 0; at < size; at++) {
    const broken = changed(whole, at)
    run.write(log1, broken)
    const failure = await run.open().then(
      () => "opened",
      (error: { code: string; message: string }) => `${error.code} ${error.message}`,
    )
    expect(failure, `byte ${at}`).toMatch(/^(STORAGE_DAMAGED|STORAGE_LAYOUT|DATA_DIRECTORY) .*nothing was changed/)
    expect(run.read(log1).equals(broken)).toBe(true)
  }
})

test("a log that is missing between others is refused", async () => {
  const run = runs(directory(), { segmentBytes: 1 })
  const storage = await run.open()
  for (const name of ["1", "2", "3"]) await storage.commit([put(`/a/${name}`)])
  await storage.close()
  run.remove("log-00000002")
  await expect(run.open()).rejects.toMatchObject({
    code: "STORAGE_DAMAGED",
    message: expect.stringMatching(/^expected .*log-00000002, found .*log-00000003 without it/),
  })
})

test("the only log is missing, and the rest is there: refused, not started empty", async () => {
  const { run } = await crashed()
  run.remove(log1)
  await expect(run.open()).rejects.toMatchObject({
    code: "STORAGE_DAMAGED",
    message: expect.stringMatching(
      /^expected .*log-00000001, which .*manifest names, found no log at all; nothing was changed; put it back from a copy, or move the directory away to begin empty$/,
    ),
  })
  expect(run.names()).toEqual(["manifest"])
})

test("the newest log is missing behind others: refused, for what it held was acknowledged", async () => {
  const run = runs(directory(), { segmentBytes: 1 })
  const storage = await run.open()
  for (const name of ["1", "2", "3"]) await storage.commit([put(`/a/${name}`)])
  const names = run.names()
  const newest = names.findLast((name) => name.startsWith("log"))!
  run.remove(newest)
  await expect(run.open()).rejects.toMatchObject({
    code: "STORAGE_DAMAGED",
    message: expect.stringMatching(/^expected .*log-0000000\d, which .*manifest names, found log-0000000\d to be the newest; nothing/),
  })
  expect(run.names()).toEqual(names.filter((name) => name !== newest))
})

test.each([
  ["before the manifest", 1],
  ["before the log", 0],
])("a first start that was killed %s is as good as none", async (_, logs) => {
  const run = runs(directory())
  await (await run.open()).close()
  run.remove("manifest")
  if (logs === 0) run.remove(log1)
  const storage = await run.open()
  await storage.commit([put("/a/1")])
  await storage.close()
  expect(run.names()).toContain("manifest")
  expect(contents(await run.open())).toHaveLength(1)
})

test("a log that was begun, and not named yet, is one behind the newest", async () => {
  const run = runs(directory())
  await (await run.open()).commit([put("/a/1")])
  const manifest = run.read("manifest")
  await (await run.open()).close()
  run.write("manifest", manifest)
  expect(contents(await run.open())).toHaveLength(1)
})

test("a manifest that says nothing is refused", async () => {
  const { run } = await crashed()
  const whole = run.read("manifest")
  for (const broken of [whole.subarray(0, whole.length - 1), changed(whole, whole.length - 3), Buffer.concat([whole, whole])]) {
    run.write("manifest", broken)
    await expect(run.open()).rejects.toMatchObject({ code: "STORAGE_DAMAGED", message: expect.stringContaining("manifest is damaged") })
  }
  run.write("manifest", run.read(log1).subarray(0, 200))
  await expect(run.open()).rejects.toMatchObject({ code: "STORAGE_DAMAGED" })
})

test.each(["manifest", log1])("an empty %s is to be put back from a copy, as one that is missing", async (name) => {
  const { run } = await crashed()
  const whole = run.read(name)
  run.write(name, "")
  await expect(run.open()).rejects.toMatchObject({
    code: "STORAGE_DAMAGED",
    message: expect.stringMatching(
      new RegExp(`^expected what a storage has in .*${name}, found it empty; nothing was changed; put it back from a copy, or move the`),
    ),
  })
  expect(run.read(name)).toHaveLength(0)
  run.write(name, whole)
  expect(contents(await run.open())).toHaveLength(2)
})

test("a damaged snapshot is refused", async () => {
  const run = runs(directory(), { segmentBytes: 500 })
  const storage = await run.open()
  for (let round = 0; round < 20; round++) await storage.commit([put(`/a/${round}`)])
  await storage.compact(storage.revision)
  await storage.close()
  const name = run.names().find((one) => one.startsWith("snapshot"))!
  const whole = run.read(name)
  for (const broken of [
    changed(whole, whole.length - 5),
    whole.subarray(0, whole.length - 1),
    whole.subarray(0, 60),
    changed(whole, 30, 0),
  ]) {
    run.write(name, broken)
    await expect(run.open()).rejects.toMatchObject({ code: "STORAGE_DAMAGED" })
  }
  run.write(name, whole)
  expect((await run.open()).list("/a/").items).toHaveLength(20)
})

test("a newer layout is refused with both numbers", async () => {
  const { run } = await crashed()
  const text = "pilothouse-storage 3\nwhatever the future brings"
  run.write(log1, text)
  await expect(run.open()).rejects.toMatchObject({
    code: "STORAGE_LAYOUT",
    message: expect.stringContaining("has layout 3, this version of Pilothouse knows layouts up to 2; nothing was changed"),
  })
  expect(run.read(log1).toString()).toBe(text)
})

test("a directory of layout 1, which had no managedFields, is read", async () => {
  const { run } = await crashed()
  const bytes = Buffer.from(run.read(log1))
  bytes.write("1", "pilothouse-storage ".length)
  run.write(log1, bytes)
  const storage = await run.open()
  expect(storage.list("/a/").items.map(({ key }) => key)).toEqual(["/a/1", "/a/2"])
  await storage.close()
})

test("a directory with foreign files is refused with their names", async () => {
  const run = runs(directory())
  await (await run.open()).close()
  run.write("holiday.jpg", "")
  await expect(run.open()).rejects.toMatchObject({
    code: "DATA_DIRECTORY",
    message: expect.stringContaining("found holiday.jpg; nothing was changed"),
  })
  run.remove("holiday.jpg")
  run.write(log1, "dear diary\n")
  await expect(run.open()).rejects.toMatchObject({ code: "DATA_DIRECTORY" })
})

test("what a crash left half made is removed", async () => {
  const { run } = await crashed()
  run.write("snapshot-00000009.new", "half")
  const storage = await run.open()
  expect(run.names()).toEqual([log1, "log-00000002", "manifest"])
  expect(contents(storage)).toHaveLength(2)
})

test("a file where the directory should be", async () => {
  const { run } = await crashed()
  const [path] = [`${process.cwd()}/package.json`]
  await expect(run.open({ directory: path })).rejects.toMatchObject({
    code: "DATA_DIRECTORY",
    message: expect.stringMatching(/cannot be used \(.*\); check the path and its permissions$/),
  })
})
