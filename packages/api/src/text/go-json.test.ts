import { expect, test } from "vitest"
import { escapedAsGo } from "./go-json.ts"

test.each([
  { name: "characters that mean something in HTML", value: "a && b < c > d", expected: '"a \\u0026\\u0026 b \\u003c c \\u003e d"' },
  { name: "line ends that JavaScript once refused", value: "\u2028\u2029", expected: '"\\u2028\\u2029"' },
  { name: "everything else is left alone", value: { "a/b": ["é", 'x"y', 1, null] }, expected: '{"a/b":["é","x\\"y",1,null]}' },
])("$name", ({ value, expected }) => {
  const text = escapedAsGo(JSON.stringify(value))
  expect(text).toBe(expected)
  expect(JSON.parse(text)).toEqual(value)
})
