import { exactNumber } from "@pilothouse/seams"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { Wire, WireFault, WireReader } from "./wire.ts"
import { WireWriter } from "./wire-writer.ts"

function written(write: (writer: WireWriter) => void): WireReader {
  const writer = new WireWriter()
  write(writer)
  return new WireReader(writer.finish())
}

function atEnd<T>(reader: WireReader, read: (reader: WireReader) => T): T {
  const value = read(reader)
  expect(reader.position).toBe(reader.end)
  return value
}

describe("what is written is read", () => {
  test("int64", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
        expect(
          atEnd(
            written((writer) => writer.int64(value)),
            (reader) => reader.bigint64(),
          ),
        ).toBe(value)
        expect(
          atEnd(
            written((writer) => writer.int64(value)),
            (reader) => reader.int64(),
          ),
        ).toBe(exactNumber(value))
      }),
    )
  })

  test("int32 and booleans", () => {
    fc.assert(
      fc.property(fc.integer(), (value) => {
        expect(
          atEnd(
            written((writer) => writer.int64(BigInt(value))),
            (reader) => reader.int32(),
          ),
        ).toBe(value)
        expect(
          atEnd(
            written((writer) => writer.int64(BigInt(value))),
            (reader) => reader.bool(),
          ),
        ).toBe(value !== 0)
      }),
    )
  })

  test("unsigned varints of up to 53 bits", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (value) => {
        expect(
          atEnd(
            written((writer) => writer.varint(value)),
            (reader) => reader.int64(),
          ),
        ).toBe(value)
      }),
    )
  })

  test("doubles", () => {
    fc.assert(
      fc.property(fc.double(), (value) => {
        expect(
          atEnd(
            written((writer) => writer.double(value)),
            (reader) => reader.double(),
          ),
        ).toBe(value)
      }),
    )
  })

  test("text of every length and script", () => {
    const text = fc.oneof(fc.string({ maxLength: 80 }), fc.string({ unit: "binary", maxLength: 40 }), fc.constant("\uFEFFwith a mark"))
    fc.assert(
      fc.property(text, (value) => {
        expect(
          atEnd(
            written((writer) => writer.string(value)),
            (reader) => reader.string(),
          ),
        ).toBe(value)
      }),
    )
  })

  test("a sequence longer than the writer's first buffer", () => {
    const texts = fc.array(fc.string({ maxLength: 300 }), { maxLength: 40 })
    fc.assert(
      fc.property(texts, (values) => {
        const reader = written((writer) => {
          for (const value of values.toReversed()) writer.string(value)
        })
        expect(values.map(() => reader.string())).toEqual(values)
      }),
    )
  })
})

describe("what is refused", () => {
  const cases: [name: string, bytes: number[], read: (reader: WireReader) => unknown, rule: RegExp][] = [
    ["a varint that never ends", Array(11).fill(0x80), (reader) => reader.int64(), /at most 10 bytes/],
    ["a varint cut off", [0x80, 0x80], (reader) => reader.uint32(), /varint ends before/],
    ["nothing at all", [], (reader) => reader.bool(), /varint ends before/],
    ["field number 0", [0x02, 0x00], (reader) => reader.tag(), /at least 1/],
    ["a field number of 33 bits", [0x8a, 0x80, 0x80, 0x80, 0x10], (reader) => reader.tag(), /at most 536870911/],
    ["a length past the end", [0x05, 1, 2], (reader) => reader.view(), /a length of 5 passes the end of its message, 2 bytes ahead/],
    ["a length of 2^32", [0x80, 0x80, 0x80, 0x80, 0x10], (reader) => reader.view(), /a length of 4294967296 passes/],
    ["a negative length", [...Array(9).fill(0xff), 0x01], (reader) => reader.string(), /passes the end/],
    ["a double cut off", [1, 2, 3], (reader) => reader.double(), /8 bytes expected, 3 left/],
    ["a skipped number cut off", [1, 2, 3], (reader) => reader.skip((9 << 3) | Wire.fixed32), /4 bytes expected, 3 left/],
    ["a group", [1], (reader) => reader.skip((9 << 3) | Wire.startGroup), /field 9 is a group/],
    ["the end of a group", [1], (reader) => reader.skip((9 << 3) | Wire.endGroup), /field 9 is a group/],
    ["wire type 7", [1], (reader) => reader.skip((9 << 3) | 7), /field 9 has wire type 7/],
  ]
  test.each(cases)("%s", (_name, bytes, read, rule) => {
    const reader = new WireReader(Uint8Array.from(bytes))
    expect(() => read(reader)).toThrow(WireFault)
    expect(() => read(new WireReader(Uint8Array.from(bytes)))).toThrow(rule)
  })
})

test("no read passes the end of the message being read", () => {
  const reader = new WireReader(Uint8Array.from([2, 0x80, 0x80, 1, 7]))
  const outer = reader.enter()
  expect(() => reader.uint32()).toThrow("a varint ends before its message does")
  reader.leave(outer)
  expect([reader.uint32() === 1, reader.uint32()]).toEqual([true, 7])
})
