import { duplexPair } from "node:stream"
import { expect, test } from "vitest"
import { SpdyConnection } from "./connection.ts"
import { encodeFrame, FrameReader } from "./frames.ts"
import { HeaderDeflater } from "./header-block.ts"

test("thousands of settings in one frame go through the streams once", async () => {
  const [server, client] = duplexPair()
  const connection = new SpdyConnection({ connection: server, check: () => undefined, open: () => undefined, active: () => undefined })
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
