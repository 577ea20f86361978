import { expect, test } from "vitest"
import { hasDuplicates, strictInJson } from "./strict-findings.ts"

const inJson = (text: string, unknown: readonly string[] = []) =>
  strictInJson(text, hasDuplicates(text, JSON.parse(text)))(unknown).warnings

test.each([
  ['{"a":1,"b":[{"c":1},{"c":2}],"d":{}}', []],
  ['{"a":"x\\"y:","b":"\\\\","c":":"}', []],
  ['{"a":"say \\"b\\": 1","c":"\\": \\":"}', []],
  ['{"a":"say \\"b\\": 1","c":1,"c":2}', ['duplicate field "c"']],
  ['{ "a" : 1 ,\n "a" :2 }', ['duplicate field "a"']],
  ['{"a":1,"\\u0061":2}', ['duplicate field "a"']],
  ['{"__proto__":1,"__proto__":2}', ['duplicate field "__proto__"']],
  ['{"a":{"b":1,"b":2},"a":{"b":1}}', ['duplicate field "a.b"', 'duplicate field "a"']],
  ['{"a\\\\":1,"a\\\\":2}', ['duplicate field "a\\\\"']],
  ['{"a\\\\":":8080","b":1,"b":2}', ['duplicate field "b"']],
  ["[]", []],
  ["1", []],
  ['""', []],
])("%s: %j", (text, warnings) => {
  expect(inJson(text)).toEqual(warnings)
})

test("no more than a hundred are said, and none twice", () => {
  const many = `{${Array.from({ length: 200 }, (_, index) => `"f${index}":1,"f${index}":1,"f${index}":1`).join(",")}}`
  expect(new Set(inJson(many)).size).toBe(100)
  expect(inJson(many)).toHaveLength(100)
})

test("a body that kubectl applied is not looked through for what its annotation has in quotes", () => {
  const applied = JSON.stringify({ kind: "ConfigMap", metadata: { annotations: { "a/b": '{"kind":"C","data":{"a\\\\":"\\":"}}' } } })
  expect(hasDuplicates(applied, JSON.parse(applied))).toBe(false)
})
