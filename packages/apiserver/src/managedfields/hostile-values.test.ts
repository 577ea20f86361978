import { deepEqual } from "@pilothouse/api"
import { schemaOf } from "@pilothouse/api/schemas"
import { describe, expect, test } from "vitest"
import { difference, equalSets, intersection, parseFieldSet, pathsOf, recursiveDifference, setOfPaths, union } from "./fieldpath/index.ts"
import { applyConfig, runSteps } from "./merge/index.ts"
import { anything, keyedBy, mapOf, number, object, setOf, text } from "./testing/schemas.ts"
import { compare, createdSet, mergeValues, removeItems, toFieldSet, typedErrors } from "./typed/index.ts"

// What takes more than linear time does not end within the time of a test here.

const many = 20_000
const schema = object({
  map: mapOf(text),
  tags: setOf(text),
  items: keyedBy(["name"], object({ name: text, size: number })),
  free: anything,
})
const names = Array.from({ length: many }, (_, index) => `n${(index * 7919) % many}`)
const wide = {
  map: Object.fromEntries(names.map((name) => [name, "x"])),
  tags: names,
  items: names.map((name, size) => ({ name, size })),
}

describe("an object with 20,000 keys and items", () => {
  test("is compared, owned, merged and taken apart", () => {
    const other = { map: { ...wide.map, more: "x" }, tags: wide.tags.toReversed(), items: wide.items.map((item) => ({ ...item, size: 1 })) }
    expect(typedErrors(wide, schema, { allowDuplicates: false })).toEqual([])
    const set = toFieldSet(wide, schema)
    expect(pathsOf(set)).toHaveLength(5 * many)
    expect(Object.keys(createdSet(wide, schema)["f:tags"] ?? {})).toHaveLength(many + 1)
    expect(pathsOf(compare(wide, other, schema).modified)).toHaveLength(many - 1)
    expect(deepEqual(mergeValues(wide, other, schema), other)).toBe(true)
    expect(removeItems(wide, schema, set)).toEqual({ map: null, tags: null, items: null })
  })

  test("is applied, and applied again with half of it", () => {
    const merge = { versions: { schemaOf: () => schema, convert: (value: unknown) => value } }
    const config = { apiVersion: "v1", manager: "me", force: false }
    const { object: live, managers } = runSteps(applyConfig(merge, { ...config, live: {}, config: wide, managers: new Map() }))
    const half = { map: wide.map, tags: wide.tags.slice(many / 2), items: wide.items.slice(many / 2) }
    const again = runSteps(applyConfig(merge, { ...config, live, config: half, managers }))
    expect(deepEqual(again.object, half)).toBe(true)
  })

  test("has a set that is read and worked with", () => {
    const set = toFieldSet(wide, schema)
    const shuffled = Object.fromEntries(Object.entries(set["f:items"] ?? {}).toReversed())
    expect(equalSets(parseFieldSet({ ...JSON.parse(JSON.stringify(set)), "f:items": shuffled }), set)).toBe(true)
    const half = setOfPaths(pathsOf(set).filter((_path, index) => index % 2 === 0))
    expect(equalSets(union(difference(set, half), intersection(set, half)), set)).toBe(true)
    expect(recursiveDifference(set, setOfPaths([["f:items"], ["f:map"], ["f:tags"]]))).toEqual({})
  })

  test("may have one item 20,000 times", () => {
    const same = { tags: names.map(() => "x"), items: names.map((_name, size) => ({ name: "x", size })) }
    expect(pathsOf(toFieldSet(same, schema))).toHaveLength(2)
    expect(pathsOf(compare(same, { ...same, tags: [...same.tags, "x"] }, schema).modified)).toHaveLength(1)
    expect(mergeValues(same, { items: [{ name: "x", size: 1 }] }, schema)).toMatchObject({ items: [{ name: "x", size: 1 }] })
    expect(typedErrors(same, schema, { allowDuplicates: true })).toEqual([])
  })
})

test("40,000 shapes of objects do not fill the memory of shared sets", () => {
  const configMap = schemaOf({ group: "", version: "v1", kind: "ConfigMap" })!
  for (let index = 0; index < 40_000; index++) createdSet({ data: { [`a${index}`]: "", b: "" } }, configMap)
  const set = createdSet({ data: { a: "", b: "" } }, configMap)
  expect(set).toEqual({ "f:data": { ".": {}, "f:a": {}, "f:b": {} } })
  expect(createdSet({ data: { a: "1", b: "2" } }, configMap)).toBe(set)
})

test("names of Object.prototype are names like any other", () => {
  const odd = JSON.parse('{"map":{"__proto__":"1","constructor":"2","toString":"3"},"free":{"__proto__":{"polluted":1}}}') as object
  expect(typedErrors(odd, schema, { allowDuplicates: false })).toEqual([])
  const set = toFieldSet(odd, schema)
  expect(set).toEqual({
    "f:free": { "f:__proto__": { ".": {}, "f:polluted": {} } },
    "f:map": { "f:__proto__": {}, "f:constructor": {}, "f:toString": {} },
  })
  expect(pathsOf(compare({ map: { x: "1" } }, odd, schema).added)).toHaveLength(6)
  expect(JSON.stringify(mergeValues({ map: { a: "0" } }, odd, schema))).toContain('"__proto__":"1"')
  expect(removeItems(odd, schema, set)).toEqual({ map: null, free: null })
  expect(({} as { polluted?: number }).polluted).toBeUndefined()
  const keyed = { items: [JSON.parse('{"name":"__proto__"}')] }
  expect(Object.keys(toFieldSet(keyed, schema)["f:items"] ?? {})).toEqual(['k:{"name":"__proto__"}'])
})

test("a value that is as deep as values may be is worked with", () => {
  let deep: unknown = 1
  for (let depth = 0; depth < 990; depth++) deep = { a: deep }
  const value = { free: deep }
  expect(typedErrors(value, schema, { allowDuplicates: false })).toEqual([])
  const set = toFieldSet(value, schema)
  expect(equalSets(parseFieldSet(JSON.parse(JSON.stringify(set))), set)).toBe(true)
  expect(pathsOf(compare({}, value, schema).added).at(-1)).toHaveLength(991)
  expect(mergeValues({ free: { b: 1 } }, value, schema)).toMatchObject({ free: { b: 1 } })
})
