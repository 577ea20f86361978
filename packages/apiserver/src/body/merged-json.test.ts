import { parseJson } from "@pilothouse/seams"
import fc from "fast-check"
import { expect, test } from "vitest"
import { mergedJson } from "./merged-json.ts"

test.each([
  ["the last number counts", '{"a":1,"a":2}', { a: 2 }],
  ["objects are merged", '{"a":{"b":1,"c":1},"a":{"c":2,"d":3}}', { a: { b: 1, c: 2, d: 3 } }],
  ["deep down too", '{"a":{"b":{"c":1}},"x":0,"a":{"b":{"d":2}}}', { a: { b: { c: 1, d: 2 } }, x: 0 }],
  ["lists item by item, as long as the last", '{"a":[{"b":1},{"b":2}],"a":[{"c":3}]}', { a: [{ b: 1, c: 3 }] }],
  ["a longer list", '{"a":[{"b":1}],"a":[{"c":2},{"c":3}]}', { a: [{ b: 1, c: 2 }, { c: 3 }] }],
  ["an object in place of a list", '{"a":[1],"a":{"b":1}}', { a: { b: 1 } }],
  ["nothing in place of an object", '{"a":{"b":1},"a":null}', { a: null }],
  ["nothing in place of what is no pointer in Go", '{"metadata":{"name":"a","name":null},"metadata":null}', { metadata: { name: "a" } }],
  ["names that are written otherwise", '{"a":{"b":1},"\\u0061":{"c":2}}', { a: { b: 1, c: 2 } }],
  ["brackets in texts", '{"a":"}{][,:\\"","a":"\\\\","b":[]}', { a: "\\", b: [] }],
])("%s: %s", (_what, text, value) => {
  expect(mergedJson(text)).toEqual(value)
})

test("a key that every object has is a key like any other", () => {
  const read = mergedJson('{"__proto__":{"a":1},"__proto__":{"b":2}}') as object
  expect(Object.entries(read)).toEqual([["__proto__", { a: 1, b: 2 }]])
})

test("where nothing is there twice it reads what parseJson reads", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, undefined, indent)
      expect(mergedJson(text)).toEqual(parseJson(text, { beyondInt64: "bigint" }))
    }),
  )
})

test("a field that is there 20,000 times is read in one pass: with a copy for each it took minutes", () => {
  const text = `{${Array.from({ length: 20_000 }, (_, at) => `"metadata":{"labels":{"a${at}":"1"}}`).join(",")}}`
  const before = process.threadCpuUsage()
  const read = mergedJson(text) as { readonly metadata: { readonly labels: object } }
  const { user } = process.threadCpuUsage(before)
  expect(Object.keys(read.metadata.labels)).toHaveLength(20_000)
  // 40 ms; the copies took 70 s.
  expect(user / 1000).toBeLessThan(5000)
})
