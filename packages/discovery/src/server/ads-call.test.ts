import { EventEmitter } from "node:events"
import { VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { AdsCall } from "./ads-call.ts"
import type { CallDeps, CallStream } from "./call-deps.ts"
import type { OnFault } from "./edge-fault.ts"
import type { Stream, StreamPeer } from "./streams.ts"

/** A stream of HTTP/2, played by hand: what is done with it is kept in words. */
class PlayedStream extends EventEmitter {
  readonly said: string[] = []
  readonly writes: ((error?: Error | null) => void)[] = []
  headersSent = false
  closed = false
  destroyed = false
  paused = false
  readableEnded = false

  setTimeout(): void {}

  close(): void {
    this.said.push("no more")
  }

  respond(headers: Record<string, unknown>, options: { endStream?: boolean } = {}): void {
    this.headersSent = true
    this.said.push(`headers${options.endStream ? ` and the end: ${headers["grpc-status"]} ${headers["grpc-message"]}` : ""}`)
  }

  write(bytes: Buffer, done: (error?: Error | null) => void): boolean {
    this.said.push(`message ${bytes.toString()}`)
    this.writes.push(done)
    return true
  }

  end(): void {
    this.emit("wantTrailers")
  }

  sendTrailers(trailers: Record<string, unknown>): void {
    this.said.push(`trailers: ${trailers["grpc-status"]} ${trailers["grpc-message"]}`)
  }

  isPaused(): boolean {
    return this.paused
  }

  pause(): void {
    this.paused = true
  }

  resume(): void {
    this.paused = false
  }
}

function setUp(authenticate?: () => Promise<string | undefined>, timeout?: string) {
  const http2 = new PlayedStream()
  const received: string[] = []
  let peer: StreamPeer | undefined
  const parts: string[] = []
  const stream = {
    message: (bytes: Uint8Array) => void received.push(Buffer.from(bytes).toString()),
    get isBusy() {
      return parts.length > 0
    },
    proceed: () => void received.push(parts.shift()!),
    end: () => void received.push("the end"),
    gone: () => void received.push("gone"),
    blocked: false,
  }
  const open = (_protocol: string, given: StreamPeer): Stream => {
    peer = given
    return stream
  }
  const faults: string[] = []
  const turns: (() => void)[] = []
  const onFault: OnFault = (fault, why) => void faults.push(`${fault}: ${why}`)
  const clock = new VirtualClock()
  const later = (milliseconds: number, work: () => void) => clock.timer(milliseconds, "deadline", work)
  const world: CallDeps = {
    open,
    onFault,
    framed: (bytes) => bytes,
    patience: 1,
    soon: (work) => work(),
    inTurn: (work) => void turns.push(work),
    later,
  }
  new AdsCall(http2 as unknown as CallStream, world).start("sotw", authenticate, timeout)
  return { http2, received, faults, turns, parts, stream, clock, peer: () => peer }
}

function endOf(http2: PlayedStream): void {
  http2.readableEnded = true
  http2.emit("end")
}

const said = (text: string) => Buffer.concat([Buffer.of(0, 0, 0, 0, text.length), Buffer.from(text)])

test.each([
  ["goes", (http2: PlayedStream) => http2.emit("close")],
  ["breaks and goes", (http2: PlayedStream) => http2.emit("error", new Error("reset")) && http2.emit("close")],
])("a client that %s while it is asked who it is leaves no stream behind", async (_how, leave) => {
  const asked = Promise.withResolvers<undefined>()
  const { http2, received } = setUp(() => asked.promise)
  leave(http2)
  asked.resolve(undefined)
  await asked.promise
  await Promise.resolve()
  http2.emit("data", said("one"))
  expect([received, http2.said]).toEqual([["gone"], []])
})

test("a client that is refused receives the reason, and one that cannot be checked is asked to try again", async () => {
  const refused = setUp(async () => "expected a token")
  const failed = setUp(() => Promise.reject(new Error("the API server is away")))
  for (let turn = 0; turn < 4; turn++) await Promise.resolve()
  expect(refused.http2.said).toEqual(["headers and the end: 16 expected a token", "no more"])
  expect(failed.http2.said).toEqual(["headers and the end: 14 who you are could not be checked; try again", "no more"])
  expect([...refused.faults, ...failed.faults]).toEqual(["unauthenticated: expected a token", "unavailable: the API server is away"])
})

test("requests are read until the client ends, which is answered with OK", () => {
  const { http2, received, faults } = setUp()
  http2.emit("data", Buffer.concat([said("one"), said("two").subarray(0, 3)]))
  http2.emit("data", said("two").subarray(3))
  endOf(http2)
  http2.emit("close")
  expect(received).toEqual(["one", "two", "the end", "gone"])
  expect([http2.said, faults]).toEqual([["headers and the end: 0 "], []])
})

test("an end in the middle of a message is no good end", () => {
  const { http2, received, faults } = setUp()
  http2.emit("data", said("one").subarray(0, 6))
  endOf(http2)
  expect(received).toEqual(["the end"])
  expect(http2.said).toEqual(["headers and the end: 13 expected the rest of a message, found the end of the stream"])
  expect(faults).toEqual(["protocol: expected the rest of a message, found the end of the stream"])
})

test("requests before the end are read, though the client takes nothing just then", () => {
  const { http2, received, stream, peer } = setUp()
  peer()!.write(Buffer.from("r1"), () => void (stream.blocked = false))
  stream.blocked = true
  http2.emit("data", said("one"))
  endOf(http2)
  expect([received, http2.said]).toEqual([[], ["headers", "message r1"]])
  http2.writes[0]!()
  expect([received, http2.said]).toEqual([
    ["one", "the end"],
    ["headers", "message r1", "trailers: 0 "],
  ])
})

test("nothing is read from a client that does not take what it is sent; what came with the rest is read later", () => {
  const { http2, received, stream, peer } = setUp()
  peer()!.write(Buffer.from("r1"), () => void (stream.blocked = false))
  stream.blocked = true
  http2.emit("data", Buffer.concat([said("one"), said("two")]))
  expect([received, http2.paused]).toEqual([[], true])
  http2.writes[0]!()
  expect([received, http2.paused]).toEqual([["one", "two"], false])
})

test("a write that failed is not told as done: the stream is about to close", () => {
  const { http2, peer } = setUp()
  let done = 0
  peer()!.write(Buffer.from("r1"), () => done++)
  http2.writes[0]!(new Error("gone"))
  expect(done).toBe(0)
})

test("after messages the status is a trailer, told once, and nothing follows it", () => {
  const { http2, received, peer } = setUp()
  peer()!.write(Buffer.from("r1"), () => undefined)
  peer()!.fail("INVALID_ARGUMENT", "no id")
  peer()!.fail("INTERNAL", "again")
  peer()!.write(Buffer.from("r2"), () => undefined)
  http2.emit("data", said("one"))
  expect([http2.said, received]).toEqual([["headers", "message r1", "trailers: 3 no id", "no more"], []])
})

test.each(["destroyed", "closed"] as const)("a status for a stream that is %s is kept to ourselves", (state) => {
  const { http2, peer } = setUp()
  http2[state] = true
  peer()!.fail("INTERNAL", "gone")
  expect(http2.said).toEqual([])
})

test("nothing is said to a stream that was reset, though its end was not told yet", () => {
  const { http2, peer } = setUp()
  http2.closed = true
  peer()!.write(Buffer.from("r1"), () => undefined)
  expect(http2.said).toEqual([])
})

test("a message that cannot be read ends the stream, and says why", () => {
  const { http2, received } = setUp()
  http2.emit("data", Buffer.of(0, 0x7f, 0, 0, 0))
  expect(received).toEqual(["the end"])
  expect(http2.said).toEqual([expect.stringMatching(/^headers and the end: 8 expected a message of at most 4194304 bytes/), "no more"])
})

test("a call that was given a time ends when that is over, which is no fault", async () => {
  const { http2, received, faults, clock, peer } = setUp(undefined, "10S")
  peer()!.write(Buffer.from("r1"), () => undefined)
  await clock.advance("9s")
  http2.emit("data", said("one"))
  expect(received).toEqual(["one"])
  await clock.advance("1s")
  expect(http2.said).toEqual(["headers", "message r1", "trailers: 4 the 10S that the client gave the call are over", "no more"])
  expect([received, faults]).toEqual([["one", "the end"], []])
})

test("its time goes on while it is asked who it is", async () => {
  const { http2, clock } = setUp(() => new Promise(() => undefined), "5S")
  await clock.advance("5s")
  expect(http2.said).toEqual(["headers and the end: 4 the 5S that the client gave the call are over", "no more"])
})

test("nothing waits for the time of a call that is gone", async () => {
  const { http2, clock } = setUp(undefined, "10S")
  http2.emit("close")
  expect(clock.waiting()).toEqual([])
  await clock.advance("1m")
  expect(http2.said).toEqual([])
})

test("a time that is none is refused", () => {
  const { http2, received, faults } = setUp(undefined, "soon")
  expect(http2.said).toEqual(["headers and the end: 13 expected a grpc-timeout such as 10S, found soon", "no more"])
  expect([received, faults]).toEqual([["the end"], ["protocol: expected a grpc-timeout such as 10S, found soon"]])
})

test("a long request is taken in its turn, and what comes after it not before", () => {
  const { http2, received, turns } = setUp()
  const head = Buffer.alloc(5)
  head.writeUInt32BE(70_000, 1)
  http2.emit("data", Buffer.concat([head, Buffer.alloc(70_000, "x"), said("after")]))
  expect([received, turns.length]).toEqual([[], 1])
  turns.pop()!()
  expect(received).toEqual(["x".repeat(70_000), "after"])
})

test("a long request of a client that went before its turn is not taken", () => {
  const { http2, received, turns } = setUp()
  const head = Buffer.alloc(5)
  head.writeUInt32BE(70_000, 1)
  http2.emit("data", Buffer.concat([head, Buffer.alloc(70_000, "x")]))
  http2.emit("close")
  turns.pop()!()
  expect(received).toEqual(["gone"])
})

test("a request that takes several turns is taken to its end before the next one is read", () => {
  const { http2, received, turns, parts } = setUp()
  parts.push("a part", "the rest")
  http2.emit("data", Buffer.concat([said("first"), said("second")]))
  expect([received, http2.paused]).toEqual([["first"], true])
  turns.shift()!()
  expect(received).toEqual(["first", "a part"])
  turns.shift()!()
  expect([received, turns]).toEqual([["first", "a part", "the rest", "second"], []])
})
