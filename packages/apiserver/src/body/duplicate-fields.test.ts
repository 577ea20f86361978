import { expect, test } from "vitest"
import { duplicateFields } from "./strict-findings.ts"

test.each([
  ['{"a":1,"b":2}', []],
  ['{"a":1,"a":2}', ["a"]],
  ['{"metadata":{"name":"a","name":"b"}}', ["metadata.name"]],
  ['{"a":{"x":1},"b":{"x":1}}', []],
  ['{"list":[{"a":1},{"a":1,"a":2}]}', ["list[1].a"]],
  ['{"list":[[{"a":1,"a":1}]]}', ["list[0][0].a"]],
  ['{"a":"a","b":"a"}', []],
  ['{"a":"{\\"a\\":1,","b":"}"}', []],
  ['{"a":1,"\\u0061":2}', ["a"]],
  ['{"a":{"a":{"a":1}}}', []],
])("%s has %j twice", (text, paths) => {
  expect(duplicateFields(text)).toEqual(paths.map((path) => ({ path, known: true })))
})

test("what no schema knows is named where it comes first, and not looked into", () => {
  const text = '{"z":1,"a":1,"x":{"b":1,"b":2},"a":2,"z":2,"c":[{"y":1,"b":1,"y":2,"b":2}]}'
  expect(duplicateFields(text, new Set(["z", "x", "c[0].y"])).map(({ path, known }) => `${known ? "" : "un"}known ${path}`)).toEqual([
    "unknown z",
    "unknown x",
    "known a",
    "unknown c[0].y",
    "known c[0].b",
  ])
})
