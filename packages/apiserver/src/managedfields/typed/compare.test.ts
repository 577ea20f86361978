import type { Schema } from "@pilothouse/api"
import { schemaOf } from "@pilothouse/api/schemas"
import { describe, expect, test } from "vitest"
import { pathTexts } from "../testing/history.ts"
import { anything, atomic, flag, keyedBy, mapOf, number, object, raw, setOf, text } from "../testing/schemas.ts"
import { compare } from "./compare.ts"

/** Paths that were removed with "-", modified with "~" and added with "+". */
function changes(schema: Schema, old: unknown, next: unknown): readonly string[] {
  const { removed, modified, added } = compare(old, next, schema)
  const marked = (mark: string, set: typeof removed) => pathTexts(set).map((path) => `${mark}${path}`)
  return [...marked("-", removed), ...marked("~", modified), ...marked("+", added)]
}

type Row = readonly [title: string, old: unknown, next: unknown, changes: readonly string[]]

describe("fields of an object", () => {
  const schema = object({ name: text, size: number, fast: flag, inner: object({ depth: number }), opaque: raw })
  const rows: readonly Row[] = [
    ["nothing", { name: "a" }, { name: "a" }, []],
    ["another scalar", { name: "a" }, { name: "b" }, ["~.name"]],
    ["a scalar more", {}, { name: "a" }, ["+.name"]],
    ["a scalar less", { name: "a" }, {}, ["-.name"]],
    ["a scalar that is null now", { name: "a" }, { name: null }, ["~.name"]],
    ["one instead of another", { name: "a" }, { size: 1 }, ["-.name", "+.size"]],
    ["an object more", {}, { inner: { depth: 1 } }, ["+.inner", "+.inner.depth"]],
    ["an object less", { inner: { depth: 1 } }, {}, ["-.inner", "-.inner.depth"]],
    ["a field more in an object that was empty", { inner: {} }, { inner: { depth: 1 } }, ["+.inner.depth"]],
    ["a field more in an object that was null", { inner: null }, { inner: { depth: 1 } }, ["+.inner.depth"]],
    ["the last field less in an object", { inner: { depth: 1 } }, { inner: {} }, ["-.inner.depth"]],
    ["an object that was null and is empty", { inner: null }, { inner: {} }, ["~.inner"]],
    ["an empty object more", {}, { inner: {} }, ["+.inner"]],
    ["an opaque value, as a whole", { opaque: { a: { b: 1 } } }, { opaque: { a: { b: 2 } } }, ["~.opaque"]],
    ["an opaque value of another form", { opaque: { a: 1 } }, { opaque: [1] }, ["~.opaque"]],
    ["a field that is undefined, which is absent", { name: undefined, size: 1 }, { name: "a", size: undefined }, ["-.size", "+.name"]],
  ]
  test.each(rows)("%s", (_title, old, next, expected) => {
    expect(changes(schema, old, next)).toEqual(expected)
    const reverse = expected.map((change) => change.replace(/^[+-]/, (mark) => (mark === "+" ? "-" : "+")))
    expect(changes(schema, next, old).toSorted(), "the other way round").toEqual(reverse.toSorted())
  })
})

describe("keys of maps", () => {
  const schema = object({ granular: mapOf(text), whole: atomic(mapOf(text)), deep: mapOf(mapOf(text)) })
  const rows: readonly Row[] = [
    ["a key more", { granular: { a: "1" } }, { granular: { a: "1", b: "2" } }, ["+.granular.b"]],
    ["a map with its keys", {}, { granular: { a: "1" } }, ["+.granular", "+.granular.a"]],
    ["an atomic map", { whole: { a: "1" } }, { whole: { a: "1", b: "2" } }, ["~.whole"]],
    ["an atomic map more", {}, { whole: { a: "1" } }, ["+.whole"]],
    ["a map in a map", { deep: {} }, { deep: { a: { b: "1" } } }, ["+.deep.a", "+.deep.a.b"]],
    [
      "keys that every object inherits",
      { granular: {} },
      { granular: JSON.parse('{"__proto__":"1","constructor":"2"}') },
      ["+.granular.__proto__", "+.granular.constructor"],
    ],
    [
      "none of them where only one side is empty",
      { granular: { toString: "x" } },
      { granular: { a: "1" } },
      ["-.granular.toString", "+.granular.a"],
    ],
  ]
  test.each(rows)("%s", (_title, old, next, expected) => {
    expect(changes(schema, old, next)).toEqual(expected)
  })
})

describe("items of lists", () => {
  const port = object({ name: text, port: number })
  const schema = object({
    tags: setOf(text),
    list: keyedBy(["name"], port),
    two: keyedBy(["port", "name"], port),
    whole: atomic(setOf(text)),
  })
  const [a, a2, b] = [{ name: "a", port: 1 }, { name: "a", port: 2 }, { name: "b" }]
  const rows: readonly Row[] = [
    ["another order", { tags: ["x", "y"], list: [a, b] }, { tags: ["y", "x"], list: [b, a] }, []],
    ["an item of a set more", { tags: ["x"] }, { tags: ["x", "y"] }, ['+.tags[="y"]']],
    ["a set with its items", {}, { tags: ["x"] }, ["+.tags", '+.tags[="x"]']],
    ["a set that was empty", { tags: [] }, { tags: ["x"] }, ['+.tags[="x"]']],
    ["a set that is empty and was null", { tags: null }, { tags: [] }, ["~.tags"]],
    ["a field of an item", { list: [a] }, { list: [a2] }, ['~.list[name="a"].port']],
    ["an item more", { list: [a] }, { list: [b, a] }, ['+.list[name="b"]', '+.list[name="b"].name']],
    ["an item less", { list: [a, b] }, { list: [a] }, ['-.list[name="b"]', '-.list[name="b"].name']],
    [
      "another key is another item",
      { two: [a] },
      { two: [a2] },
      [
        '-.two[name="a",port=1]',
        '-.two[name="a",port=1].name',
        '-.two[name="a",port=1].port',
        '+.two[name="a",port=2]',
        '+.two[name="a",port=2].name',
        '+.two[name="a",port=2].port',
      ],
    ],
    ["an atomic list", { whole: ["x"] }, { whole: ["x", "y"] }, ["~.whole"]],
    ["another order of an atomic list", { whole: ["x", "y"] }, { whole: ["y", "x"] }, ["~.whole"]],
    ["duplicates on both sides", { list: [a, a2] }, { list: [a2, a] }, ['~.list[name="a"]']],
    ["the same duplicates", { list: [a, a2] }, { list: [{ ...a }, { ...a2 }, b] }, ['+.list[name="b"]', '+.list[name="b"].name']],
    [
      "from duplicates to one",
      { list: [a, a2] },
      { list: [a] },
      ['-.list[name="a"]', '+.list[name="a"]', '+.list[name="a"].name', '+.list[name="a"].port'],
    ],
    ["from duplicates to none", { list: [a, a2] }, { list: [b] }, ['-.list[name="a"]', '+.list[name="b"]', '+.list[name="b"].name']],
    [
      "from one to duplicates",
      { list: [a] },
      { list: [a, a2] },
      ['-.list[name="a"]', '-.list[name="a"].name', '-.list[name="a"].port', '+.list[name="a"]'],
    ],
    ["duplicates of a set", { tags: ["x", "x"] }, { tags: ["x", "x", "x"] }, ['~.tags[="x"]']],
  ]
  test.each(rows)("%s", (_title, old, next, expected) => {
    expect(changes(schema, old, next)).toEqual(expected)
  })

  test("an item without a key has no path", () => {
    const keyless = () => compare({ list: [] }, { list: [{ port: 1 }] }, schema)
    expect(keyless).toThrow('associative list with keys has an element that omits all key fields ["name"]')
  })
})

describe("values without a type", () => {
  const rows: readonly Row[] = [
    ["another scalar", { v: 1 }, { v: "1" }, ["~.v"]],
    ["an integer that is written as a float", { v: 1 }, { v: 1.0 }, []],
    ["a list, as a whole", { v: [1] }, { v: [1, 2] }, ["~.v"]],
    ["keys of maps", { v: { a: { b: 1 } } }, { v: { a: { c: 1 } } }, ["-.v.a.b", "+.v.a.c"]],
    ["a map instead of a scalar", { v: 1 }, { v: { a: 1 } }, ["~.v", "+.v.a"]],
    ["a scalar instead of a map", { v: { a: 1 } }, { v: 1 }, ["-.v.a", "~.v"]],
    ["a list instead of a map", { v: { a: 1 } }, { v: [1] }, ["-.v.a", "~.v"]],
    ["a map instead of null", { v: null }, { v: { a: 1 } }, ["+.v.a"]],
    ["null instead of a list", { v: [1] }, { v: null }, ["~.v"]],
    ["an empty map instead of a scalar", { v: 1 }, { v: {} }, ["~.v"]],
  ]
  test.each(rows)("%s", (_title, old, next, expected) => {
    expect(changes(object({ v: anything }), old, next)).toEqual(expected)
  })
})

test("parts that are one object are not gone into", () => {
  const untouched = new Proxy({}, { ownKeys: () => expect.unreachable("the part was gone into") })
  const schema = object({ same: mapOf(text), other: text })
  expect(changes(schema, { same: untouched, other: "1" }, { same: untouched, other: "2" })).toEqual(["~.other"])
})

describe("what Go always writes is there on both sides", () => {
  const pod = schemaOf({ group: "", version: "v1", kind: "Pod" })!
  const role = schemaOf({ group: "rbac.authorization.k8s.io", version: "v1", kind: "Role" })!
  const ready = { type: "Ready", status: "True" }
  const rows: readonly (readonly [string, Schema, unknown, unknown, readonly string[]])[] = [
    ["a list that was null", role, { metadata: {} }, { metadata: {}, rules: [{ verbs: ["get"] }] }, ["~.rules"]],
    ["a list that is null and one that is empty", role, { rules: [] }, {}, []],
  ]
  test.each(rows)("%s", (_title, schema, old, next, expected) => {
    expect(changes(schema, old, next)).toEqual(expected)
  })

  test("times of an item that comes, although they are null", () => {
    const item = '+.status.conditions[type="Ready"]'
    expect(changes(pod, { status: {} }, { status: { conditions: [ready] } })).toEqual([
      "+.status.conditions",
      item,
      ...[".lastProbeTime", ".lastTransitionTime", ".status", ".type"].map((field) => item + field),
    ])
  })

  test("a time that is set afterwards is modified, not added", () => {
    const later = { ...ready, lastProbeTime: "2024-01-02T03:04:05Z" }
    expect(changes(pod, { status: { conditions: [ready] } }, { status: { conditions: [later] } })).toEqual([
      '~.status.conditions[type="Ready"].lastProbeTime',
    ])
  })
})
