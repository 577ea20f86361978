import type { Schema } from "@pilothouse/api"
import { describe, expect, test } from "vitest"
import { anything, atomic, flag, keyedBy, mapOf, number, object, raw, setOf, text } from "../testing/schemas.ts"
import { mergeValues } from "./merge-values.ts"

type Row = readonly [title: string, live: unknown, config: unknown, merged: unknown]

describe("fields and keys", () => {
  const schema = object({
    name: text,
    size: number,
    fast: flag,
    inner: object({ a: text, b: text }),
    map: mapOf(text),
    whole: atomic(mapOf(text)),
    opaque: raw,
  })
  const rows: readonly Row[] = [
    ["the configuration wins", { name: "a", size: 1 }, { name: "b" }, { name: "b", size: 1 }],
    ["nothing is removed", { name: "a" }, {}, { name: "a" }],
    ["what is new is added", {}, { inner: { a: "1" } }, { inner: { a: "1" } }],
    ["objects are merged", { inner: { a: "1" } }, { inner: { b: "2" } }, { inner: { a: "1", b: "2" } }],
    ["maps are merged", { map: { a: "1" } }, { map: { b: "2" } }, { map: { a: "1", b: "2" } }],
    ["atomic maps are replaced", { whole: { a: "1" } }, { whole: { b: "2" } }, { whole: { b: "2" } }],
    ["opaque values are replaced", { opaque: { a: 1 } }, { opaque: { b: 1 } }, { opaque: { b: 1 } }],
    ["null replaces a scalar", { name: "a" }, { name: null }, { name: null }],
    ["null leaves what an object has", { inner: { a: "1" } }, { inner: null }, { inner: { a: "1" } }],
    ["null replaces an empty object", { inner: {} }, { inner: null }, { inner: null }],
    ["an object replaces null", { inner: null }, { inner: { a: "1" } }, { inner: { a: "1" } }],
    ["an empty object replaces null", { inner: null }, { inner: {} }, { inner: {} }],
    ["an empty object leaves what is there", { inner: { a: "1" } }, { inner: {} }, { inner: { a: "1" } }],
    [
      "a key is never the prototype",
      { map: { a: "1" } },
      { map: JSON.parse('{"__proto__":"2"}') },
      { map: JSON.parse('{"a":"1","__proto__":"2"}') },
    ],
  ]
  test.each(rows)("%s", (_title, live, config, expected) => {
    expect(JSON.stringify(mergeValues(live, config, schema))).toBe(JSON.stringify(expected))
  })
})

describe("values without a type", () => {
  const rows: readonly Row[] = [
    ["maps are merged", { v: { a: 1 } }, { v: { b: { c: 1 } } }, { v: { a: 1, b: { c: 1 } } }],
    ["lists are replaced", { v: [1, 2] }, { v: [3] }, { v: [3] }],
    ["a value of another form replaces", { v: { a: 1 } }, { v: [1] }, { v: [1] }],
    ["null leaves a map", { v: { a: 1 } }, { v: null }, { v: { a: 1 } }],
    ["null replaces a list", { v: [1] }, { v: null }, { v: null }],
  ]
  test.each(rows)("%s", (_title, live, config, expected) => {
    expect(mergeValues(live, config, object({ v: anything }))).toEqual(expected)
  })
})

describe("the order of a set", () => {
  const rows: readonly (readonly [live: string, config: string, merged: string])[] = [
    ["abc", "", "abc"],
    ["", "abc", "abc"],
    ["abc", "abc", "abc"],
    ["abc", "b", "abc"],
    ["abc", "cba", "cba"],
    ["abc", "d", "abcd"],
    ["abc", "dc", "abdc"],
    ["abc", "ad", "abcd"],
    ["abcd", "db", "acdb"],
    ["abcd", "dxb", "acdxb"],
    ["abc", "xyz", "abcxyz"],
    ["abcde", "edcba", "edcba"],
    ["xaybz", "ba", "xybza"],
    ["aab", "c", "aabc"],
    ["aab", "a", "ab"],
    ["aba", "ba", "ba"],
  ]
  const items = (letters: string) => Array.from(letters)
  test.each(rows)('"%s" with "%s" is "%s"', (live, config, merged) => {
    expect(mergeValues({ s: items(live) }, { s: items(config) }, object({ s: setOf(text) }))).toEqual({ s: items(merged) })
    const keyed: Schema = object({ s: keyedBy(["k"], object({ k: text })) })
    const objects = (letters: string) => items(letters).map((k) => ({ k }))
    expect(mergeValues({ s: objects(live) }, { s: objects(config) }, keyed), "as a keyed list").toEqual({ s: objects(merged) })
  })
})

describe("items of keyed lists", () => {
  const schema = object({ list: keyedBy(["name"], object({ name: text, size: number, tags: setOf(text) })) })
  const rows: readonly Row[] = [
    [
      "are merged",
      { list: [{ name: "a", size: 1 }] },
      { list: [{ name: "a", tags: ["x"] }] },
      { list: [{ name: "a", size: 1, tags: ["x"] }] },
    ],
    [
      "that are there twice are replaced",
      { list: [{ name: "a", size: 1 }, { name: "a" }] },
      { list: [{ name: "a", tags: ["x"] }] },
      { list: [{ name: "a", tags: ["x"] }] },
    ],
    ["stay when the list is null", { list: [{ name: "a" }] }, { list: null }, { list: [{ name: "a" }] }],
    ["stay when the list is empty", { list: [{ name: "a" }] }, { list: [] }, { list: [{ name: "a" }] }],
    ["an empty list replaces null", { list: null }, { list: [] }, { list: [] }],
  ]
  test.each(rows)("%s", (_title, live, config, expected) => {
    expect(mergeValues(live, config, schema)).toEqual(expected)
  })
})

test("an object that a configuration does not change is returned itself, and unchanged parts are shared", () => {
  const schema = object({ map: mapOf(text), list: keyedBy(["name"], object({ name: text, size: number })), name: text })
  const live = {
    map: { a: "1" },
    list: [
      { name: "a", size: 1 },
      { name: "b", size: 2 },
    ],
    name: "x",
  }
  expect(mergeValues(live, structuredClone(live), schema)).toBe(live)
  const merged = mergeValues(live, { list: [{ name: "b", size: 3 }] }, schema) as typeof live
  expect(merged.map).toBe(live.map)
  expect(merged.list[0]).toBe(live.list[0])
})
