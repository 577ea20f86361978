import { duplexPair } from "node:stream"
import { expect, test } from "vitest"
import { WaitingInput } from "../session/waiting-input.ts"
import { SpdyConnection } from "./connection.ts"
import { encodeFrame, FrameReader } from "./frames.ts"
import { HeaderDeflater } from "./header-block.ts"
import type { SpdyStream } from "./stream.ts"

test("thousands of settings in one frame go through the streams once", async () => {
  const [server, client] = duplexPair()
  const session = { active: () => undefined, onQuiet: () => undefined, input: new WaitingInput().connection() }
  const connection = new SpdyConnection({ connection: server, check: () => undefined, open: () => undefined, session })
  const over = connection.run()
  using deflater = new HeaderDeflater()
  for (let stream = 1; stream < 2000; stream += 2)
    client.write(encodeFrame({ type: "syn-stream", stream, fin: false, block: await deflater.deflate(new Map([["a", "b"]])) }))
  const entries = Array.from({ length: 8000 }, (_, at) => ({ id: 7, value: at }))
  const start = process.cpuUsage()
  for (let sent = 0; sent < 20; sent++) client.write(encodeFrame({ type: "settings", entries }))
  client.write(encodeFrame({ type: "ping", id: 1 }))
  const reader = new FrameReader()
  for await (const chunk of client) if (reader.read(chunk as Buffer).some(({ type }) => type === "ping")) break
  const { user, system } = process.cpuUsage(start)
  server.destroy()
  await over
  expect((user + system) / 1000).toBeLessThan(500)
})

test("a connection is read no further while its streams have a mebibyte that nothing takes", async () => {
  const [server, client] = duplexPair()
  const streams: SpdyStream[] = []
  const session = { active: () => undefined, onQuiet: () => undefined, input: new WaitingInput().connection() }
  const options = { connection: server, check: () => undefined, open: (stream: SpdyStream) => void streams.push(stream), session }
  const over = new SpdyConnection(options).run()
  client.resume()
  using deflater = new HeaderDeflater()
  for (let stream = 1; stream < 200; stream += 2)
    client.write(encodeFrame({ type: "syn-stream", stream, fin: false, block: await deflater.deflate(new Map([["a", "b"]])) }))
  // Each of one byte: every piece takes far more than that.
  for (let piece = 0; piece < 100; piece++)
    for (let stream = 1; stream < 200; stream += 2) client.write(encodeFrame({ type: "data", stream, fin: false, data: Buffer.alloc(1) }))
  while (session.input.hasRoom) await new Promise(setImmediate)
  for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate)
  expect(streams).toHaveLength(100)
  expect(streams.reduce((sum, { readableLength }) => sum + readableLength, 0)).toBeLessThan(2500)
  const all = Promise.withResolvers<void>()
  let taken = 0
  const take = (chunk: Buffer) => {
    taken += chunk.length
    if (taken === 10_000) all.resolve()
  }
  for (const stream of streams) stream.on("data", take)
  await all.promise
  server.destroy()
  await over
  expect(session.input.hasRoom).toBe(true)
})

test("a connection that ends while a program reads nothing ends its streams", async () => {
  const [server, client] = duplexPair()
  const opened = Promise.withResolvers<SpdyStream>()
  let ping = () => undefined as void
  const onQuiet = (wanted: () => void) => void (ping = wanted)
  const session = { active: () => undefined, onQuiet, input: new WaitingInput().connection() }
  const over = new SpdyConnection({ connection: server, check: () => undefined, open: opened.resolve, session }).run()
  using deflater = new HeaderDeflater()
  client.write(encodeFrame({ type: "syn-stream", stream: 1, fin: false, block: await deflater.deflate(new Map([["a", "b"]])) }))
  client.write(encodeFrame({ type: "data", stream: 1, fin: false, data: Buffer.alloc(300 * 1024) }))
  const stream = await opened.promise
  const reader = new FrameReader()
  const pinged = Promise.withResolvers<void>()
  client.on("data", (chunk: Buffer) => {
    if (reader.read(chunk).some((frame) => frame.type === "ping" && frame.id === 2)) pinged.resolve()
  })
  ping()
  await pinged.promise
  server.destroy()
  await over
  expect(stream.destroyed).toBe(true)
})
