import { describe, expect, test } from "vitest"
import { encodeProtobuf } from "./encode.ts"
import { partialProtobuf } from "./partial.ts"

const pod = (name: string) => ({
  metadata: { name, namespace: "shop", labels: { app: "web" } },
  spec: { containers: [{ name: "main" }] },
  status: {},
})
const kind = { apiVersion: "v1", kind: "Pod" }
const bytesOf = (items: readonly object[], metadata: object = { resourceVersion: "7", continue: "more", remainingItemCount: 3 }) =>
  encodeProtobuf({ apiVersion: "v1", kind: "PodList", metadata, items })
const three = bytesOf([pod("a"), pod("b"), pod("c")])

function read(chunks: readonly Uint8Array[]) {
  const items: unknown[] = []
  const reading = partialProtobuf(kind, ["metadata.name"])!.list((item) => items.push(item))
  for (const chunk of chunks) reading.push(chunk)
  return { items, reading: reading.end() }
}
const named = (...names: string[]) => names.map((name) => ({ ...kind, metadata: { name } }))
const cut = (bytes: Uint8Array, length: number) =>
  Array.from({ length: Math.ceil(bytes.length / length) }, (_, at) => bytes.slice(at * length, (at + 1) * length))

describe("a list in protobuf", () => {
  test.each([1, 2, 3, 7, 64, 100_000])(
    "cut into chunks of %i bytes: every item, of it what was asked for, and the list's metadata",
    (length) => {
      const { items, reading } = read(cut(three, length))
      expect(items).toEqual(named("a", "b", "c"))
      expect(reading.list()).toEqual({
        kind: "PodList",
        metadata: { resourceVersion: "7", continue: "more", remainingItemCount: 3 },
        items: [],
      })
    },
  )

  test("items are delivered before the rest has arrived", () => {
    const half = three.slice(0, three.length - 20)
    expect(read([half]).items).toEqual(named("a", "b"))
  })

  test("without items", () => {
    const { items, reading } = read([bytesOf([], { resourceVersion: "7" })])
    expect([items, reading.list().metadata]).toEqual([[], { resourceVersion: "7" }])
  })

  test.each([
    ["that ends early", three.slice(0, -20), "a list in protobuf ended early, in its list"],
    ["that never came", new Uint8Array(), "a list in protobuf ended early, in its magic"],
    ["in JSON", Buffer.from('{"kind":"PodList"}'), 'a list in protobuf begins with the bytes 6b 38 73 00 ("k8s\\0")'],
    ["with a number where a field with a length is", Uint8Array.of(0x6b, 0x38, 0x73, 0, 0x08, 1), "no fields of wire type 0"],
    ["with an item that is longer than the list", Uint8Array.of(0x6b, 0x38, 0x73, 0, 0x12, 2, 0x12, 2, 0, 0), "passes the end of the list"],
    [
      "with an item of a gigabyte",
      Uint8Array.of(0x6b, 0x38, 0x73, 0, 0x12, 0xff, 0xff, 0xff, 0xff, 7, 0x12, 0x80, 0x80, 0x80, 0x80, 4),
      "at most 67108864 bytes, not 1073741824",
    ],
  ])("%s is refused", (_what, bytes, told) => {
    const { reading } = read([bytes])
    expect(() => reading.list()).toThrow(told)
  })

  test("what telling throws is for who asks for the list", () => {
    const reading = partialProtobuf(kind, ["metadata.name"])!.list(() => {
      throw new Error("full")
    })
    expect(() => reading.push(three)).not.toThrow()
    expect(() => reading.list()).toThrow("full")
  })
})
