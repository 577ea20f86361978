import fc from "fast-check"
import { expect, test } from "vitest"
import { encodeFrame, type Frame, FrameReader, maxFrame } from "./frames.ts"

const id = fc.integer({ min: 0, max: 0x7fff_ffff })
const word = fc.integer({ min: 0, max: 0xffff_ffff })
const block = fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes))
const headed = fc.record({ type: fc.constantFrom("syn-stream", "syn-reply", "headers"), stream: id, fin: fc.boolean(), block })
const frame: fc.Arbitrary<Exclude<Frame, { type: "unknown" }>> = fc.oneof(
  fc.record({ type: fc.constant("data"), stream: id, fin: fc.boolean(), data: block }),
  headed,
  fc.record({ type: fc.constant("rst-stream"), stream: id, status: word }),
  fc.record({ type: fc.constant("goaway"), lastStream: id, status: word }),
  fc.record({ type: fc.constant("window-update"), stream: id, delta: id }),
  fc.record({ type: fc.constant("ping"), id: word }),
  fc.record({
    type: fc.constant("settings"),
    entries: fc.array(fc.record({ id: fc.integer({ min: 0, max: 0xff_ffff }), value: word }), { maxLength: 5 }),
  }),
) as never

test("frames are read as they were written, wherever the bytes are cut", () => {
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 8 }), fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (frames, cuts) => {
      const bytes = Buffer.concat(frames.map(encodeFrame))
      const reader = new FrameReader()
      const read: Frame[] = []
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const size = cuts[turn % cuts.length]!
        read.push(...reader.read(bytes.subarray(at, at + size)))
        at += size
      }
      expect(read).toEqual(frames)
    }),
  )
})

test("garbage is refused with a SpdyError, or waited on, and never kept without a limit", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 64 }), { maxLength: 20 }), (chunks) => {
      const reader = new FrameReader()
      try {
        for (const chunk of chunks) reader.read(Buffer.from(chunk))
      } catch (error) {
        expect(error).toMatchObject({ name: "SpdyError" })
      }
    }),
  )
})

test.each([
  ["a version of its own", Buffer.from([0x80, 2, 0, 1, 0, 0, 0, 0]), "expected frames of SPDY/3, found version 2"],
  [
    "a data frame that is too long",
    Buffer.from([0, 0, 0, 1, 0, 0x10, 0, 1]),
    `expected a frame of at most ${maxFrame} bytes, found ${maxFrame + 1}`,
  ],
  ["a control frame that is too long", Buffer.from([0x80, 3, 0, 1, 0, 1, 0, 1]), "expected a frame of at most 65536 bytes, found 65537"],
  ["a ping without an id", Buffer.from([0x80, 3, 0, 6, 0, 0, 0, 0]), "expected a control frame of at least 4 bytes, found 0"],
  ["settings that are not there", Buffer.from([0x80, 3, 0, 4, 0, 0, 0, 4, 0, 0, 0, 9]), "expected 9 settings, found 0 bytes"],
] as const)("refuses %s", (_what, bytes, message) => {
  expect(() => new FrameReader().read(bytes)).toThrow(message)
})

test("a frame of a type that SPDY/3 does not have is passed over", () => {
  expect(new FrameReader().read(Buffer.from([0x80, 3, 0, 77, 0, 0, 0, 1, 5]))).toEqual([{ type: "unknown", code: 77 }])
})
