import { deflateSync, gzipSync } from "node:zlib"
import fc from "fast-check"
import { expect, test, vi } from "vitest"
import { GrpcMessages, UnreadableMessage } from "./grpc-messages.ts"

const largest = 100

function message(content: Uint8Array, compressed = 0): Buffer {
  const head = Buffer.alloc(5)
  head[0] = compressed
  head.writeUInt32BE(content.length, 1)
  return Buffer.concat([head, content])
}

function readAll(messages: GrpcMessages): string[] {
  const found: string[] = []
  for (let next = messages.take(); next !== undefined; next = messages.take()) {
    found.push(next instanceof UnreadableMessage ? `${next.status}: ${next.text}` : next.toString())
    if (next instanceof UnreadableMessage) break
  }
  return found
}

test("a message that comes byte by byte is kept in few pieces", () => {
  const messages = new GrpcMessages({ largest: 100_000 })
  const concat = vi.spyOn(Buffer, "concat")
  const bytes = message(Buffer.alloc(50_000, 1))
  for (let at = 0; at < bytes.length - 1; at++) {
    messages.add(bytes.subarray(at, at + 1))
    expect(messages.take()).toBeUndefined()
  }
  messages.add(bytes.subarray(-1))
  expect(messages.take()).toHaveLength(50_000)
  const pieces = concat.mock.calls.map(([parts]) => parts.length)
  concat.mockRestore()
  expect(Math.max(...pieces)).toBeLessThanOrEqual(1_025)
})

test("however the bytes are cut, the messages are the same", () => {
  const texts = fc.array(fc.string({ maxLength: 20 }), { maxLength: 5 })
  fc.assert(
    fc.property(texts, fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1 }), (sent, cuts) => {
      const bytes = Buffer.concat(sent.map((text) => message(Buffer.from(text))))
      const messages = new GrpcMessages({ largest })
      const found: string[] = []
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const end = at + cuts[turn % cuts.length]!
        messages.add(bytes.subarray(at, end))
        if (turn % 2 === 0) found.push(...readAll(messages))
        at = end
      }
      expect([...found, ...readAll(messages)]).toEqual(sent)
    }),
  )
})

test("a message of the largest size is read, one byte more is refused before it is there", () => {
  const messages = new GrpcMessages({ largest })
  messages.add(message(Buffer.alloc(largest, "a")))
  expect(readAll(messages)).toEqual(["a".repeat(largest)])
  messages.add(message(Buffer.alloc(largest + 1)).subarray(0, 5))
  expect(readAll(messages)).toEqual(["RESOURCE_EXHAUSTED: expected a message of at most 100 bytes, found 101"])
})

const text = Buffer.from("hello")

test.each([
  ["gzip", gzipSync(text), "hello"],
  ["deflate", deflateSync(text), "hello"],
  ["gzip", gzipSync(Buffer.alloc(largest + 1)), "RESOURCE_EXHAUSTED: expected a message of at most 100 bytes, found more"],
  ["gzip", text, "INTERNAL: expected a message by gzip, found bytes that are none"],
  ["snappy", text, "UNIMPLEMENTED: expected a message as it is, or by gzip or deflate, found snappy"],
  [undefined, text, "INTERNAL: expected a compressed message to say by what, found no encoding"],
  ["identity", text, "INTERNAL: expected a compressed message to say by what, found no encoding"],
])("compressed by %s (%#)", (encoding, content, expected) => {
  const messages = new GrpcMessages({ largest, encoding })
  messages.add(message(content, 1))
  expect(readAll(messages)).toEqual([expected])
})

test("one that is not compressed is read as it is, whatever the header says", () => {
  const messages = new GrpcMessages({ largest, encoding: "gzip" })
  messages.add(message(text))
  expect(readAll(messages)).toEqual(["hello"])
})

test("a flag that gRPC does not know is refused, though it could be read as compressed", () => {
  const messages = new GrpcMessages({ largest, encoding: "gzip" })
  messages.add(message(gzipSync(text), 2))
  expect(readAll(messages)).toEqual(["INTERNAL: expected a message that is compressed or not, found the flag 2"])
})

test("what is left is known: nothing after whole messages, something after the beginning of one", () => {
  const messages = new GrpcMessages({ largest })
  const empty = () => readAll(messages) && messages.isEmpty
  expect(empty()).toBe(true)
  messages.add(message(text))
  expect(empty()).toBe(true)
  messages.add(message(text).subarray(0, 3))
  expect(empty()).toBe(false)
})
