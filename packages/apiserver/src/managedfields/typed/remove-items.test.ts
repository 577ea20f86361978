import { describe, expect, test } from "vitest"
import { type FieldPath, setOfPaths } from "../fieldpath/index.ts"
import { anything, atomic, keyedBy, mapOf, number, object, setOf, text } from "../testing/schemas.ts"
import { extractItems, removeItems } from "./remove-items.ts"

const schema = object({
  name: text,
  size: number,
  inner: object({ a: text, b: text }),
  map: mapOf(text),
  maps: mapOf(mapOf(text)),
  whole: atomic(mapOf(text)),
  list: atomic(setOf(text)),
  tags: setOf(text),
  items: keyedBy(["name"], object({ name: text, size: number, tags: setOf(text) })),
  pairs: keyedBy(["a", "b"], object({ a: text, b: number, c: text })),
  free: anything,
})
const f = (...names: readonly string[]): FieldPath => names.map((name) => (/^[kv]:/.test(name) ? name : `f:${name}`))
const [a, b] = ['k:{"name":"a"}', 'k:{"name":"b"}']
const items = [
  { name: "a", size: 1 },
  { name: "b", tags: ["x", "y"] },
]

type Row = readonly [title: string, value: unknown, paths: readonly FieldPath[], left: unknown]

describe("removed are", () => {
  const rows: readonly Row[] = [
    ["scalars", { name: "x", size: 1 }, [f("name")], { size: 1 }],
    ["all fields", { name: "x" }, [f("name")], null],
    ["fields of an object", { inner: { a: "1", b: "2" } }, [f("inner", "a")], { inner: { b: "2" } }],
    ["all fields of an object, which is null then", { inner: { a: "1" }, size: 1 }, [f("inner", "a")], { inner: null, size: 1 }],
    ["an object with all that it has", { inner: { a: "1" }, size: 1 }, [f("inner")], { size: 1 }],
    ["keys of maps", { maps: { k: { l: "1", m: "2" } } }, [f("maps", "k", "l")], { maps: { k: { m: "2" } } }],
    ["items of a set", { tags: ["x", "y"] }, [f("tags", 'v:"x"')], { tags: ["y"] }],
    ["all items of a set", { tags: ["x"] }, [f("tags", 'v:"x"')], { tags: null }],
    ["items", { items }, [f("items", a)], { items: [items[1]] }],
    ["fields of items", { items }, [f("items", b, "tags", 'v:"x"')], { items: [items[0], { name: "b", tags: ["y"] }] }],
    ["items that are there twice", { items: [items[0], items[0], items[1]] }, [f("items", a)], { items: [items[1]] }],
    [
      "atomic values that are reached into",
      { whole: { k: "1" }, list: ["x"], size: 1 },
      [f("whole", "k"), f("list", 'v:"x"')],
      { whole: null, list: null, size: 1 },
    ],
    ["no scalars that are reached into", { name: "x" }, [f("name", "y")], { name: "x" }],
    ["keys of values without a type", { free: { a: { b: 1, c: 1 } } }, [f("free", "a", "b")], { free: { a: { c: 1 } } }],
  ]
  test.each(rows)("%s", (_title, value, paths, left) => {
    expect(removeItems(value, schema, setOfPaths(paths))).toEqual(left)
  })

  test("nothing, and the value is the same one, when the set has nothing of it", () => {
    const value = { items, inner: { a: "1" } }
    expect(removeItems(value, schema, setOfPaths([f("items", 'k:{"name":"z"}'), f("inner", "b"), f("map", "k")]))).toBe(value)
    expect(removeItems(value, schema, {})).toBe(value)
  })
})

describe("extracted are", () => {
  const rows: readonly Row[] = [
    ["scalars", { name: "x", size: 1 }, [f("name")], { name: "x" }],
    ["nothing", { name: "x" }, [f("size")], null],
    ["fields of an object", { inner: { a: "1", b: "2" }, size: 1 }, [f("inner", "a")], { inner: { a: "1" } }],
    ["items with their keys", { items }, [f("items", b, "tags", 'v:"x"')], { items: [{ name: "b", tags: ["x"] }] }],
    [
      "items with all their keys",
      { pairs: [{ a: "1", b: 2, c: "3" }] },
      [f("pairs", 'k:{"a":"1","b":2}', "c")],
      { pairs: [{ a: "1", b: 2, c: "3" }] },
    ],
    ["items alone with their keys", { items }, [f("items", a)], { items: [{ name: "a" }] }],
    [
      "atomic values as a whole",
      { whole: { k: "1", l: "2" }, list: ["x"], size: 1 },
      [f("whole"), f("list")],
      { whole: { k: "1", l: "2" }, list: ["x"] },
    ],
    ["objects that are empty", { inner: {}, size: 1 }, [f("inner")], { inner: {} }],
    ["keys of maps", { map: { k: "1", l: "2" } }, [f("map", "k")], { map: { k: "1" } }],
    ["no items that the value has not", { items: [items[0]] }, [f("items", b, "size")], { items: null }],
  ]
  test.each(rows)("%s", (_title, value, paths, left) => {
    expect(extractItems(value, schema, setOfPaths(paths))).toEqual(left)
  })
})
