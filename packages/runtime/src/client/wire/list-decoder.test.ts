import { parseJson } from "@pilothouse/seams"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { ListDecoder, type ListDecoderOptions } from "./list-decoder.ts"

const head = { kind: "PodList", apiVersion: "v1", metadata: { resourceVersion: "7" } }

function encoded(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function written(items: readonly unknown[]): string {
  return `${JSON.stringify({ ...head, items })}\n`
}

interface Reading {
  readonly list: unknown
  /** Told before the end, and with it. */
  readonly items: readonly unknown[]
  readonly early: number
}

/** The text in chunks of this many bytes. */
function read(text: string, size = 1_000_000, options: Partial<ListDecoderOptions> = {}): Reading {
  const items: unknown[] = []
  const reader = new ListDecoder({ each: (item) => items.push(item), ...options })
  const bytes = encoded(text)
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size))
  const early = items.length
  return { list: reader.end().list(), items, early }
}

describe("a list is read item after item", () => {
  const rows: readonly (readonly [string, readonly unknown[]])[] = [
    ["none", []],
    ["one", [{ metadata: { name: "a" }, spec: {} }]],
    ["several", [{ metadata: { name: "a" } }, { metadata: { name: "b" } }, { metadata: { name: "c" } }]],
    ["with parts that begin as items do", [{ metadata: {}, spec: { claims: [{ metadata: {} }, { metadata: {} }] } }, { metadata: {} }]],
    ["with text that looks like items", [{ metadata: { note: '},{"metadata":' } }, { metadata: { note: '"items":[]}' } }]],
    ["with characters beyond Latin-1", [{ metadata: { note: "港の見える丘" } }, { metadata: { note: "⛵\u2028" } }]],
    [
      "of custom resources, whose first field is another",
      [
        { apiVersion: "a/v1", kind: "W", metadata: {} },
        { apiVersion: "a/v1", metadata: {} },
      ],
    ],
  ]
  // Cut anywhere: in the head, in the border of two items, in a character.
  const sizes = [1, 2, 3, 7, 16, 1_000_000]
  test.each(rows)("%s", (_, items) => {
    for (const size of sizes) expect(read(written(items), size)).toMatchObject({ list: { ...head, items: [] }, items })
  })

  test("and without the newline at its end", () => {
    const items = [{ metadata: {} }]
    expect(read(written(items).trim())).toMatchObject({ list: { ...head, items: [] }, items })
  })

  test("all but the last are emitted while it arrives, each once", () => {
    const items = Array.from({ length: 1000 }, (_, number) => ({ metadata: { name: `pod-${number}`, note: "x".repeat(number) } }))
    expect(read(written(items), 4096)).toEqual({ list: { ...head, items: [] }, items, early: items.length - 1 })
  })

  test("an item that is longer than any chunk", () => {
    const items = [{ metadata: { note: "x".repeat(300_000) } }, { metadata: {} }]
    expect(read(written(items), 10_000)).toMatchObject({ items, early: 1 })
  })

  test("with other characters in one of many slices, wherever it begins and ends", () => {
    const plain = (length: number) => ({ metadata: { note: "x".repeat(length) } })
    const other = { metadata: { note: "é⛵".repeat(20) } }
    for (const length of [65_300, 65_430, 65_450, 65_480, 65_536, 131_000]) {
      const items = [plain(length), other, plain(65_536), plain(10), other, plain(70_000), plain(10)]
      for (const size of [10_000, 65_536, 1_000_000]) expect(read(written(items), size)).toMatchObject({ items, early: 6 })
    }
  })

  test("an exception of `each` is thrown by list(), and nothing more is emitted", () => {
    const told: unknown[] = []
    const each = (item: unknown) => {
      told.push(item)
      throw new Error("too many")
    }
    expect(() => read(written([{ metadata: {} }, { metadata: {} }, { metadata: {} }]), 5, { each })).toThrow("too many")
    expect(told).toHaveLength(1)
  })
})

describe("managedFields", () => {
  const managed = [{ manager: "kubelet", fieldsV1: { 'k:{"uid":"1"}': {} } }]
  const pods = ["a", "b", "c"].map((name) => ({ metadata: { name, managedFields: managed }, spec: { managedFields: managed } }))

  test("are not read of an item before the last, where they may be skipped", () => {
    const { items } = read(written(pods), 50, { skipManagedFields: true })
    const skipped = pods.map(({ metadata: { name }, spec }) => ({ metadata: { name }, spec }))
    expect(items).toEqual([...skipped.slice(0, 2), pods[2]])
  })

  test("are read where nothing was said of them", () => expect(read(written(pods), 50).items).toEqual(pods))
})

describe("in another format than Go's, items are emitted at the end", () => {
  const crowded = { metadata: {}, parts: Array.from({ length: 100 }, () => ({ metadata: {} })) }
  const rows: readonly (readonly [string, string])[] = [
    ["its items do not come last", '{"items":[{"metadata":{"x":[{"metadata":1},{"metadata":2}]}}],"kind":"PodList","metadata":{}}'],
    ["its items begin differently", written([{ metadata: {} }, { spec: {} }])],
    ["an item has a hundred parts that begin as items do", written([{ metadata: {} }, crowded, { metadata: {} }])],
    ["an item is null", '{"kind":"PodList","items":[{"metadata":{}},null,{"metadata":{}}]}'],
    ["there are spaces between its items", '{"kind":"PodList","items":[ {"metadata":{}}, {"metadata":{}} ]}'],
  ]
  test.each(rows)("%s", (_, text) => {
    const whole = JSON.parse(text)
    for (const size of [1, 1_000_000]) expect(read(text, size)).toMatchObject({ list: { ...whole, items: [] }, items: whole.items })
  })

  test.each([
    ["an item", '{"metadata":{"note":"', '"}}'],
    ["spaces", "", '{"metadata":{}}'],
  ])("%s of more bytes than any object has: no other is looked for after it", (_what, before, after) => {
    const text = `{"kind":"PodList","items":[${before}${" ".repeat(17 * 1024 * 1024)}${after},{"metadata":{}},{"metadata":{}}]}`
    const { list, items, early } = read(text)
    expect([list, items.length, early]).toEqual([{ kind: "PodList", items: [] }, 3, 0])
  })
})

describe("not a list: nothing is emitted", () => {
  const rows: readonly (readonly [string, string])[] = [
    ["nothing", ""],
    ["no list", '{"kind":"Pod","metadata":{}}'],
    ["a list that is null", '{"kind":"PodList","metadata":{},"items":null}'],
    ["a list with spaces", JSON.stringify({ ...head, items: [{ metadata: {} }] }, undefined, 2)],
    ["items further inside", '{"kind":"PodList","status":{"items":[{"metadata":{}},{"metadata":{}}]}}'],
    ["items after a long beginning", `{"kind":"${"x".repeat(70_000)}","items":[{"metadata":{}},{"metadata":{}}]}`],
  ]
  test.each(rows)("%s", (_, text) => {
    const reader = new ListDecoder({ each: () => expect.unreachable() })
    for (const byte of encoded(text)) reader.push(Uint8Array.of(byte))
    expect(reader.end().list()).toBe("other")
    expect(Buffer.from(reader.rest).toString()).toBe(text)
  })
})

describe("broken", () => {
  const rows: readonly (readonly [string, string])[] = [
    ["a list that was cut off", written([{ metadata: {} }, { metadata: {} }]).slice(0, -20)],
    ["a broken item", '{"kind":"PodList","items":[{"metadata":{}},{"metadata":}]}'],
    ["something after it", `${written([{ metadata: {} }])}}`],
  ]
  test.each(rows)("%s", (_, text) => expect(read(text).list).toBe("broken"))
})

test("model: whatever is in the items and wherever chunks end, they are what parseJson of the whole gives", () => {
  const item = fc.record({ metadata: fc.jsonValue() }, { requiredKeys: [] })
  const nested = fc.record({ metadata: fc.dictionary(fc.string(), fc.array(item)), spec: fc.array(fc.oneof(item, fc.jsonValue())) })
  fc.assert(
    fc.property(fc.array(fc.oneof(item, nested), { maxLength: 8 }), fc.integer({ min: 1, max: 200 }), (items, size) => {
      const text = written(items)
      expect(read(text, size)).toMatchObject({ list: { ...head, items: [] }, items: (parseJson(text) as { items: unknown }).items })
    }),
  )
})
