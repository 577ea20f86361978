import { EventEmitter } from "node:events"
import { expect, test, vi } from "vitest"
import type { WebSocket } from "ws"
import { WaitingInput } from "../session/waiting-input.ts"
import { ChannelSocket } from "./channel-socket.ts"
import { ChannelReader } from "./channel-streams.ts"

/** What the readers ask of a WebSocket, and whether it reads. */
class Socket extends EventEmitter {
  readonly readyState = 1
  readonly CLOSED = 3
  isPaused = false

  pause(): void {
    this.isPaused = true
  }

  resume(): void {
    this.isPaused = false
  }
}

function setUp() {
  const socket = new Socket()
  const channels = new ChannelSocket(socket as unknown as WebSocket, false, {
    active: () => undefined,
    onQuiet: () => undefined,
    input: new WaitingInput().connection(),
  })
  return { socket, channels, one: new ChannelReader(channels), other: new ChannelReader(channels) }
}

const large = Buffer.alloc(1024 * 1024)

test("nothing is read while one channel is full, although another one is read from", async () => {
  const { socket, one, other } = setUp()
  one.receive(large)
  other.on("data", () => undefined)
  other.receive(Buffer.from("small"))
  await new Promise(setImmediate)
  expect(socket.isPaused).toBe(true)
  one.resume()
  await new Promise(setImmediate)
  expect(socket.isPaused).toBe(false)
})

test("a channel that nothing reads any more does not hold the others up", async () => {
  const { socket, one } = setUp()
  one.receive(large)
  expect(socket.isPaused).toBe(true)
  one.destroy()
  await new Promise(setImmediate)
  expect(socket.isPaused).toBe(false)
})

test("what comes behind the end of a channel is ignored, and what came before it is still read", async () => {
  const { one } = setUp()
  one.receive(Buffer.from("before"))
  one.end()
  one.receive(Buffer.from("behind"))
  expect(String(Buffer.concat(await one.toArray()))).toBe("before")
})

test("nothing is read while many channels have a little each that nothing takes", async () => {
  const { socket, channels } = setUp()
  const readers = Array.from({ length: 100 }, () => new ChannelReader(channels))
  channels.receive(({ channel, payload }) => readers[channel]?.receive(payload))
  const send = (channel: number) => socket.emit("message", Buffer.alloc(20_001, channel))
  for (let channel = 0; channel < 50; channel++) send(channel)
  expect(socket.isPaused).toBe(false)
  for (let channel = 50; channel < 60; channel++) send(channel)
  expect(socket.isPaused).toBe(true)
  for (const reader of readers) reader.resume()
  await new Promise(setImmediate)
  expect(socket.isPaused).toBe(false)
})

test("ten thousand messages of a byte that nothing reads are kept in one piece, and come in order", () => {
  const { socket, channels } = setUp()
  const reader = new ChannelReader(channels)
  channels.receive(({ payload }) => reader.receive(payload))
  const sent = Buffer.from(Array.from({ length: 10_000 }, (_, at) => at % 251))
  const pushed = vi.spyOn(reader, "push")
  // As one read of a socket returns them: its pause comes too late for them.
  for (const byte of sent) socket.emit("message", Buffer.of(0, byte))
  expect([pushed.mock.calls.length, channels.input.hasRoom]).toEqual([1, true])
  expect((reader.read() as Buffer).equals(sent)).toBe(true)
})
