import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { readItems } from "./list-items.ts"

const head = { kind: "PodList", apiVersion: "v1", metadata: { resourceVersion: "7" } }

function encoded(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function written(items: readonly unknown[]): string {
  return `${JSON.stringify({ ...head, items })}\n`
}

function read(text: string): { readonly list: unknown; readonly items: readonly unknown[] } {
  const items: unknown[] = []
  return { list: readItems(encoded(text), (item) => items.push(item)), items }
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
  test.each(rows)("%s", (_, items) => {
    expect(read(written(items))).toEqual({ list: { ...head, items: [] }, items })
  })

  test("and without the newline at its end", () => {
    expect(read(written([{ metadata: {} }]).trim())).toEqual({ list: { ...head, items: [] }, items: [{ metadata: {} }] })
  })
})

describe("left to be parsed at once", () => {
  const odd = '{"metadata":{"x":[{"metadata":1},{"metadata":2}]}}'
  const crowded = { metadata: {}, parts: Array.from({ length: 100 }, () => ({ metadata: {} })) }
  const rows: readonly (readonly [string, string])[] = [
    ["nothing", ""],
    ["no list", '{"kind":"Pod","metadata":{}}'],
    ["a list that is null", '{"kind":"PodList","metadata":{},"items":null}'],
    ["a list with spaces", JSON.stringify({ ...head, items: [{ metadata: {} }] }, undefined, 2)],
    ["a list whose items do not come last", `{"items":[${odd}],"kind":"PodList"}`],
    ["items further inside", `{"kind":"PodList","status":{"items":[${odd}]}}`],
    ["a list that was cut off", written([{ metadata: {} }, { metadata: {} }]).slice(0, -20)],
    ["a broken item", '{"kind":"PodList","items":[{"metadata":{}},{"metadata":}]}'],
    ["items that begin differently", written([{ metadata: {} }, { spec: {} }])],
    ["an item with a hundred parts that begin as items do", written([crowded])],
  ]
  test.each(rows)("%s", (_, text) => expect(read(text).list).toBeUndefined())
})

test("model: whatever is in the items, they are what JSON.parse of the whole gives, or are left to it", () => {
  const item = fc.record({ metadata: fc.jsonValue() }, { requiredKeys: [] })
  const nested = fc.record({ metadata: fc.dictionary(fc.string(), fc.array(item)), spec: fc.array(fc.oneof(item, fc.jsonValue())) })
  fc.assert(
    fc.property(fc.array(fc.oneof(item, nested), { maxLength: 8 }), (items) => {
      const text = written(items)
      const { list, items: told } = read(text)
      const whole: readonly unknown[] = JSON.parse(text).items
      expect(told).toEqual(list === undefined ? whole.slice(0, told.length) : whole)
    }),
  )
})
