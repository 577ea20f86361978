import { describe, expect, test } from "vitest"
import { escapedAsGo, goJson } from "./go-json.ts"

test.each([
  { name: "characters that mean something in HTML", value: "a && b < c > d", expected: '"a \\u0026\\u0026 b \\u003c c \\u003e d"' },
  { name: "line ends that JavaScript once refused", value: "\u2028\u2029", expected: '"\\u2028\\u2029"' },
  { name: "everything else is left alone", value: { "a/b": ["é", 'x"y', 1, null] }, expected: '{"a/b":["é","x\\"y",1,null]}' },
])("$name", ({ value, expected }) => {
  const text = escapedAsGo(JSON.stringify(value))
  expect(text).toBe(expected)
  expect(JSON.parse(text)).toEqual(value)
})

describe("the JSON of a value has", () => {
  test.each<[title: string, value: unknown, expected: string]>([
    [
      "keys in byte order, also numbers and those of nested objects",
      { b: { "9": 1, "10": 2 }, a: [{ d: 1, c: 2 }] },
      '{"a":[{"c":2,"d":1}],"b":{"10":2,"9":1}}',
    ],
    ["keys and values escaped", { "<": "&\u2028" }, '{"\\u003c":"\\u0026\\u2028"}'],
    ["nothing of a field that is left out, and null in its place in a list", { a: undefined, b: [undefined] }, '{"b":[null]}'],
    ["integers with all their digits", [9007199254740993n, 1e21, null, true], "[9007199254740993,1e+21,null,true]"],
    ["a replacement for half a surrogate pair", "\ud800", '"\ufffd"'],
    ["a key that every object inherits", JSON.parse('{"__proto__":1}'), '{"__proto__":1}'],
  ])("%s", (_title, value, expected) => {
    expect(goJson(value)).toBe(expected)
  })

  test("a line for each part when it is indented, but for empty ones", () => {
    const value = { a: [1, { b: 2 }], c: [], d: {} }
    expect(goJson(value, { indent: 2 })).toBe(JSON.stringify(value, undefined, 2))
  })

  test("no more levels than are allowed", () => {
    expect(goJson([[1]], { maxDepth: 1 })).toBe("[[1]]")
    expect(() => goJson([[[1]]], { maxDepth: 1 })).toThrow("exceeded max depth")
  })
})
