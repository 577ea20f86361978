import { expect, test } from "vitest"
import { frameOf } from "./frame.ts"
import { closedText, fileStart, rowText } from "./layout.ts"
import { contents, directories, put, runs } from "./testing/disk-directory.ts"

const directory = directories()
const log1 = "log-00000001"
const frameMark = Buffer.from([0xff, 0xfe, 0x50, 0x48])

function frameStarts(bytes: Buffer): readonly number[] {
  const starts: number[] = []
  for (let at = bytes.indexOf(frameMark); at >= 0; at = bytes.indexOf(frameMark, at + 1)) starts.push(at)
  return starts
}

async function ended({ inOrder }: { inOrder: boolean }) {
  const run = runs(directory())
  const storage = await run.open()
  for (const name of ["1", "2", "3"]) await storage.commit([put(`/a/${name}`)])
  if (inOrder) await storage.close()
  return run
}

const opening = (run: Awaited<ReturnType<typeof ended>>) =>
  run.open().then(
    () => "opened",
    (error: { code: string; message: string }) => `${error.code} ${error.message}`,
  )

test("a log that was closed in order and is cut at any byte since, at a frame too, is refused, and nothing is changed", async () => {
  const run = await ended({ inOrder: true })
  const whole = run.read(log1)
  for (let size = frameStarts(whole)[1]!; size < whole.length; size++) {
    run.write(log1, whole.subarray(0, size))
    expect(await opening(run), `cut at ${size}`).toMatch(
      /^STORAGE_DAMAGED .*log-00000001 is damaged .* expected \d+ bytes up to revision 3, where its run ended in order, found \d+ bytes up to revision \d; nothing was changed; put it back/,
    )
    expect(run.names()).toEqual([log1, "manifest"])
  }
  run.write(log1, whole)
  expect(contents(await run.open())).toHaveLength(3)
})

test("a log that ended in a crash may be cut at a frame, which is what a crash does; the warning of a torn write does not claim to know", async () => {
  const run = await ended({ inOrder: false })
  const whole = run.read(log1)
  const last = frameStarts(whole).at(-1)!
  run.write(log1, whole.subarray(0, last + 20))
  expect(contents(await run.open()).map(([key]) => key)).toEqual(["/a/1", "/a/2"])
  expect(run.lines.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^the log was not closed in order and ends in the middle of a write.*acknowledged writes may be missing$/),
  ])
})

test("a crash after an orderly end, in the middle of the next start, loses nothing and is not refused", async () => {
  const run = await ended({ inOrder: true })
  const manifest = run.read("manifest")
  // The next run has begun its log, and the manifest is still that of the orderly end.
  await (await run.open()).close()
  run.write("manifest", manifest)
  expect(contents(await run.open())).toHaveLength(3)
})

test("a directory of an earlier version, without a recorded end and without the length of earlier logs, is read", async () => {
  const row = (revision: number) => {
    const value = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `${revision}` } }
    return frameOf(`[${rowText({ key: `/a/${revision}`, revision, value, written: 0 }, false)}]`)
  }
  const run = await ended({ inOrder: true })
  run.write(log1, Buffer.concat([fileStart({ after: 0, from: 1 }), row(1), row(2)]))
  run.write("log-00000002", Buffer.concat([fileStart({ after: 2, from: 3 }), row(3), frameOf(closedText)]))
  run.write("manifest", fileStart({ newest: 2 }))
  expect(contents(await run.open()).map(([key]) => key)).toEqual(["/a/1", "/a/2", "/a/3"])
})

test("what is behind the place where the next log began is passed over: its writer did not own the directory any more", async () => {
  for (const part of [1, 0.5]) {
    const run = await ended({ inOrder: false })
    const before = run.read(log1)
    const starts = frameStarts(before)
    const again = await run.open()
    await again.commit([put("/a/4")])
    const frame = before.subarray(starts.at(-1), starts.at(-1)! + Math.floor((starts[2]! - starts[1]!) * part))
    run.write(log1, Buffer.concat([run.read(log1), frame]))
    await again.close()
    expect(contents(await run.open()).map(([key]) => key)).toEqual(["/a/1", "/a/2", "/a/3", "/a/4"])
    expect(run.lines.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^a log goes on behind the place where the next one began/),
    ])
  }
})

test("a log that is shorter than the next one says is refused", async () => {
  const run = await ended({ inOrder: false })
  await (await run.open()).close()
  const bytes = run.read(log1)
  run.write(log1, bytes.subarray(0, frameStarts(bytes).at(-1)))
  expect(await opening(run)).toMatch(
    /^STORAGE_DAMAGED .*log-00000001 is damaged .*it ends there, and the log behind it says that it had \d+ bytes/,
  )
})
