import { expect, test } from "vitest"
import { duplicateFields } from "./duplicate-fields.ts"

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
  expect(duplicateFields(text)).toEqual(paths)
})
