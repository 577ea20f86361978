import { expect, test } from "vitest"
import { decodeHeaders, encodeHeaders, HeaderDeflater, HeaderInflater, spdyDictionary } from "./header-block.ts"

test("the dictionary is SPDY/3's", async () => {
  const { createHash } = await import("node:crypto")
  expect(createHash("sha256").update(spdyDictionary()).digest("hex")).toBe(
    "51d27341373f923f3cd88e1eb7162aeaa3723d7585ff2399201dc06498407f02",
  )
})

test("header blocks of one connection are one zlib stream", async () => {
  using deflater = new HeaderDeflater()
  using inflater = new HeaderInflater()
  const blocks = [
    new Map([
      ["streamtype", "error"],
      ["port", "80"],
    ]),
    new Map(),
    new Map([
      ["streamtype", "data"],
      ["port", "80"],
    ]),
  ]
  const sizes: number[] = []
  for (const headers of blocks) {
    const block = await deflater.deflate(headers)
    sizes.push(block.length)
    expect(decodeHeaders(await inflater.inflate(block))).toEqual(headers)
  }
  expect(sizes[2]).toBeLessThan(sizes[0]!)
})

test("a block that inflates to more than 64 KiB is refused", async () => {
  using deflater = new HeaderDeflater()
  using inflater = new HeaderInflater()
  const block = await deflater.deflate(new Map([["streamtype", "x".repeat(1_000_000)]]))
  expect(block.length).toBeLessThan(10_000)
  await expect(inflater.inflate(block)).rejects.toThrow("expected headers of at most 65536 bytes, found more")
})

test("what is not compressed is refused", async () => {
  using inflater = new HeaderInflater()
  await expect(inflater.inflate(Buffer.from("no zlib"))).rejects.toThrow("expected compressed headers, found: incorrect header check")
})

test.each([
  ["a count without headers", encodeHeaders(new Map([["a", "b"]])).subarray(0, 4), "expected a header block that is whole, found its end"],
  ["a header that ends early", encodeHeaders(new Map([["a", "bcd"]])).subarray(0, -1), "expected a header of 3 bytes, found 2"],
] as const)("refuses %s", (_what, block, message) => {
  expect(() => decodeHeaders(Buffer.from(block))).toThrow(message)
})
