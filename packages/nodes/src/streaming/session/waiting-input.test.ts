import { Readable } from "node:stream"
import { describe, expect, test } from "vitest"
import { ownBytes, WaitingInput, WaitingPieces } from "./waiting-input.ts"

const [kibibyte, mebibyte] = [1024, 1024 * 1024]

describe("what waits on a connection", () => {
  test("is a mebibyte at most, those of all its streams together", () => {
    const input = new WaitingInput().connection()
    const streams = Array.from({ length: 8 }, () => new WaitingPieces(input))
    for (const stream of streams.slice(1)) stream.add(128 * kibibyte, 128 * kibibyte)
    expect(input.hasRoom).toBe(true)
    streams[0]!.add(128 * kibibyte, 128 * kibibyte)
    expect(input.hasRoom).toBe(false)
    let called = 0
    input.whenRoom(() => called++)
    expect(called).toBe(0)
    streams[3]!.keep(100 * kibibyte)
    expect([called, input.hasRoom]).toEqual([1, true])
  })

  test("has the cost of pieces of one byte", () => {
    const input = new WaitingInput().connection()
    const stream = new WaitingPieces(input)
    let pieces = 0
    while (input.hasRoom) stream.add(1, ++pieces)
    expect(pieces).toBeLessThan(2100)
    stream.keep(0)
    expect(input.hasRoom).toBe(true)
  })

  test("may be 64 KiB whatever others have, and more when they are through", () => {
    const all = new WaitingInput(mebibyte)
    const [greedy, other] = [all.connection(), all.connection()]
    const large = new WaitingPieces(greedy)
    large.add(mebibyte, mebibyte)
    new WaitingPieces(other).add(60 * kibibyte, 60 * kibibyte)
    expect(other.hasRoom).toBe(true)
    new WaitingPieces(other).add(60 * kibibyte, 60 * kibibyte)
    expect(other.hasRoom).toBe(false)
    let called = 0
    other.whenRoom(() => called++)
    large.keep(0)
    expect([called, other.hasRoom]).toEqual([1, true])
  })

  test("counts for no other once the connection is over", () => {
    const all = new WaitingInput(mebibyte)
    const [greedy, other] = [all.connection(), all.connection()]
    const large = new WaitingPieces(greedy)
    large.add(mebibyte, mebibyte)
    other.add(100 * kibibyte)
    expect(other.hasRoom).toBe(false)
    greedy[Symbol.dispose]()
    expect(other.hasRoom).toBe(true)
    large.keep(0)
    other.add(mebibyte - 200 * kibibyte)
    expect(other.hasRoom).toBe(true)
  })
})

test("a byte does not keep what was read with it", () => {
  const read = Buffer.alloc(64 * kibibyte, "a")
  const [byte, max] = [ownBytes(read.subarray(7, 8)), ownBytes(read.subarray(0, 40 * kibibyte))]
  expect([String(byte), byte.buffer.byteLength, max.buffer === read.buffer]).toEqual(["a", 1, true])
})

test("pieces that a reader takes in parts are counted until their last byte", () => {
  const input = new WaitingInput().connection()
  const pieces = new WaitingPieces(input)
  const stream = new Readable({ read: () => undefined })
  const waits = () => pieces.keep(stream.readableLength)
  for (let piece = 0; piece < 3; piece++) {
    stream.push(Buffer.alloc(300 * kibibyte))
    pieces.add(300 * kibibyte, stream.readableLength)
  }
  input.add(200 * kibibyte)
  expect(input.hasRoom).toBe(false)
  stream.read(450 * kibibyte)
  waits()
  expect(input.hasRoom).toBe(true)
  stream.read()
  waits()
  input.add(823 * kibibyte)
  expect(input.hasRoom).toBe(true)
})
