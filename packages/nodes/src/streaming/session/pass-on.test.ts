import { PassThrough, Readable, Writable } from "node:stream"
import { expect, test } from "vitest"
import { passOn } from "./pass-on.ts"

/** A writer that takes a piece when the test says so. */
function slowWriter() {
  const pieces: string[] = []
  let take: () => void = () => undefined
  const writer = new Writable({
    write(piece: Buffer, _encoding, done) {
      pieces.push(String(piece))
      take = done
    },
  })
  return { writer, pieces, take: () => take() }
}

const turn = () => new Promise(setImmediate)

test("what comes in bytes while the writer is busy is one piece", async () => {
  const from = new Readable({ read: () => undefined })
  const { writer, pieces, take } = slowWriter()
  passOn(from, writer)
  from.push("a")
  await turn()
  for (let count = 0; count < 1000; count++) from.push("b")
  await turn()
  expect([pieces, writer.writableLength]).toEqual([["a"], 1])
  take()
  await turn()
  expect(pieces).toEqual(["a", "b".repeat(1000)])
})

test("the end of the reader comes behind all that it had", async () => {
  const from = new PassThrough()
  const to = new PassThrough()
  passOn(from, to)
  from.write("first ")
  from.end("last")
  expect(String(Buffer.concat(await to.toArray()))).toBe("first last")
})

test("nothing is written once it was stopped, and the rest can be read by others", async () => {
  const from = new PassThrough()
  const { writer, pieces } = slowWriter()
  const stop = passOn(from, writer, { end: false })
  from.write("a")
  await turn()
  stop()
  from.end("b")
  expect(String(Buffer.concat(await from.toArray()))).toBe("b")
  expect([pieces, writer.writableEnded]).toEqual([["a"], false])
})
