import { describe, expect, test } from "vitest"
import { pathTexts } from "../testing/history.ts"
import { anything, atomic, keyedBy, mapOf, number, object, raw, setOf, text, withDefault } from "../testing/schemas.ts"
import { toFieldSet } from "./to-field-set.ts"

const inner = object({ a: text, b: text })
const schema = object({
  name: text,
  inner,
  map: mapOf(text),
  maps: mapOf(mapOf(text)),
  structs: mapOf(inner),
  whole: atomic(mapOf(text)),
  struct: atomic(inner),
  list: atomic(setOf(text)),
  tags: setOf(text),
  numbers: setOf(number),
  items: keyedBy(["name"], object({ name: text, inner, tags: setOf(text) })),
  ports: keyedBy(["port", "protocol"], object({ port: number, protocol: withDefault(text, "TCP") })),
  opaque: raw,
  free: anything,
})

describe("a configuration owns", () => {
  const rows: readonly (readonly [title: string, value: unknown, paths: readonly string[]])[] = [
    ["nothing when it is empty", {}, []],
    ["scalars", { name: "x" }, [".name"]],
    ["a scalar that is null", { name: null }, [".name"]],
    ["the fields of an object, not the object", { inner: { a: "1" } }, [".inner.a"]],
    ["an object that is empty", { inner: {} }, [".inner"]],
    ["an object that is null", { inner: null }, [".inner"]],
    ["the keys of a map, not the map", { map: { a: "1", b: "2" } }, [".map.a", ".map.b"]],
    ["a map that is empty", { map: {} }, [".map"]],
    ["the keys of maps in maps, all of them", { maps: { a: { b: "1" }, c: {} } }, [".maps.a", ".maps.c", ".maps.a.b"]],
    ["the keys of maps of objects", { structs: { k: { a: "1" } } }, [".structs.k", ".structs.k.a"]],
    ["atomic values as a whole", { whole: { a: "1" }, struct: { a: "1" }, list: ["x"] }, [".list", ".struct", ".whole"]],
    ["atomic values that are empty or null", { whole: {}, struct: null, list: [] }, [".list", ".struct", ".whole"]],
    ["items of a set", { tags: ["b", "a"] }, ['.tags[="a"]', '.tags[="b"]']],
    ["items of a set of numbers, in their order", { numbers: [10, 9] }, [".numbers[=9]", ".numbers[=10]"]],
    ["nothing of a list that is empty", { tags: [], items: [] }, []],
    ["a list that is null", { tags: null }, [".tags"]],
    [
      "items and what is in them",
      { items: [{ name: "x", inner: { a: "1" } }] },
      ['.items[name="x"]', '.items[name="x"].name', '.items[name="x"].inner.a'],
    ],
    [
      "an item without a key by its default",
      { ports: [{ port: 80 }] },
      ['.ports[port=80,protocol="TCP"]', '.ports[port=80,protocol="TCP"].port'],
    ],
    ["an item that is there twice without what is in it", { items: [{ name: "x" }, { name: "x", tags: ["a"] }] }, ['.items[name="x"]']],
    ["opaque values as a whole", { opaque: { a: { b: 1 } } }, [".opaque"]],
    ["values without a type: maps by key, lists as a whole", { free: { a: { b: 1 }, c: [{ d: 1 }] } }, [".free.a", ".free.c", ".free.a.b"]],
    ["no field that is undefined", { name: undefined }, []],
  ]
  test.each(rows)("%s", (_title, value, paths) => {
    expect(pathTexts(toFieldSet(value, schema))).toEqual(paths)
  })
})

test("configurations of one shape get one set", () => {
  const value = { items: [{ name: "x", inner: { a: "1" } }], map: { k: "v" } }
  expect(toFieldSet({ ...structuredClone(value), map: { k: "w" } }, schema)).toBe(toFieldSet(value, schema))
})
