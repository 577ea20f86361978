import { expect, test } from "vitest"
import { findField } from "./schema-field.ts"

const text = { type: "string" } as const
const deep = {
  type: "object",
  properties: {
    a: { type: "object", properties: { "b.c": text } },
    m: { type: "object", additionalProperties: { type: "object", properties: { x: text } } },
    l: { type: "array", items: text },
  },
}

test.each([
  [".a", "a"],
  [".a['b.c']", "a.b.c"],
  [".m.key.x", "m[key].x"],
  [".m['k\\'s'].x", "m[k's].x"],
  [".l", "l"],
  [".a.b", "does not refer to a valid field"],
  [".l.x", "does not refer to a valid field"],
  [".m['k", "expected single quoted string but got 'k"],
  [".m['k'", "unexpected end of JSON path"],
  [".m['\\q']", "invalid string literal: invalid escape char \\q"],
  [".l[0]", "expected single quoted string but got 0"],
  [".toString", "does not refer to a valid field"],
  [".a..b", "does not refer to a valid field"],
  [".a.", "unexpected end of JSON path"],
  ["a", "expected [ or . but got: a"],
])("the path %s leads to %s", (path, expected) => {
  const found = findField(path, deep)
  expect(typeof found === "string" ? found : found.path).toBe(expected)
})
