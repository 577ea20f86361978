import fc from "fast-check"
import { expect, test } from "vitest"
import { InputBlock } from "./input-block.ts"

test("pieces are taken as one, whatever their lengths", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 3000 }), { maxLength: 40 }), (pieces) => {
      const block = new InputBlock()
      const taken: Uint8Array[] = []
      for (const piece of pieces.map((bytes) => Buffer.from(bytes))) {
        if (block.add(piece)) continue
        taken.push(block.take()!)
        expect(block.add(piece)).toBe(true)
      }
      taken.push(block.take() ?? Buffer.alloc(0))
      expect(Buffer.concat(taken).equals(Buffer.concat(pieces))).toBe(true)
      expect([block.length, block.take()]).toEqual([0, undefined])
    }),
  )
})

test("a piece that is longer than a block has no room in one", () => {
  expect(new InputBlock().add(Buffer.alloc(16 * 1024 + 1))).toBe(false)
})

test("the block of one byte is small", () => {
  const block = new InputBlock()
  block.add(Buffer.of(1))
  expect(block.take()!.buffer.byteLength).toBe(64)
})
