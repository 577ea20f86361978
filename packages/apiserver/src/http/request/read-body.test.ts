import { expect, test } from "vitest"
import { GrowingBody } from "./read-body.ts"

test("a body of one chunk is that chunk, without a copy", () => {
  const chunk = Buffer.from("{}")
  const body = new GrowingBody()
  body.push(chunk)
  expect(body.bytes.buffer).toBe(chunk.buffer)
  expect(Buffer.from(body.bytes).toString()).toBe("{}")
})

test("a body in chunks of one byte is complete, and takes at most twice its size", () => {
  const body = new GrowingBody()
  const text = "0123456789".repeat(10_000)
  const buffers = new Set<ArrayBufferLike>()
  for (const byte of Buffer.from(text)) {
    body.push(Buffer.from([byte]))
    buffers.add(body.bytes.buffer)
  }
  expect(Buffer.from(body.bytes).toString()).toBe(text)
  expect(body.length).toBe(100_000)
  expect(body.bytes.buffer.byteLength).toBeLessThanOrEqual(2 * 100_000)
  // Doubling: 17 allocations for 100,000 chunks.
  expect(buffers.size).toBeLessThan(30)
})

test("chunks that come later do not change what was pushed before", () => {
  const body = new GrowingBody()
  const first = Buffer.from("ab")
  body.push(first)
  body.push(Buffer.from("cd"))
  body.push(Buffer.from("ef"))
  expect(Buffer.from(body.bytes).toString()).toBe("abcdef")
  expect(first.toString()).toBe("ab")
})
