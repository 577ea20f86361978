import { describe, expect, test } from "vitest"
import { parseFieldSet } from "./parse-field-set.ts"

const json = (value: unknown) => JSON.stringify(value)

describe("a set in its one form is read as it is", () => {
  test.each([
    "{}",
    '{"f:a":{}}',
    '{"f:a":{".":{},"f:b":{}}}',
    '{"f:spec":{"f:ports":{".":{},"k:{\\"port\\":80}":{".":{},"f:port":{}},"k:{\\"port\\":443}":{}},"f:tags":{"v:1":{},"v:\\"x\\"":{},"i:0":{}}}}',
    '{"f:__proto__":{"f:constructor":{}}}',
  ])("%s", (text) => {
    expect(json(parseFieldSet(JSON.parse(text)))).toBe(text)
  })
})

describe("a set is brought into its one form", () => {
  test.each([
    [
      "elements out of order",
      '{"i:1":{},"v:2":{},"v:1":{},"k:{\\"b\\":1}":{},"f:b":{},"f:a":{}}',
      '{"f:a":{},"f:b":{},"k:{\\"b\\":1}":{},"v:1":{},"v:2":{},"i:1":{}}',
    ],
    ["keys with spaces and out of order", '{"k:{ \\"b\\":1, \\"a\\":2}":{}}', '{"k:{\\"a\\":2,\\"b\\":1}":{}}'],
    ['"." behind other elements', '{"f:a":{"f:b":{},".":{}}}', '{"f:a":{".":{},"f:b":{}}}'],
    ['"." alone', '{"f:a":{".":{}}}', '{"f:a":{}}'],
    ['"." at the root', '{".":{},"f:a":{}}', '{"f:a":{}}'],
    ['"." with something in it', '{"f:a":{".":{"x":1},"f:b":{}}}', '{"f:a":{".":{},"f:b":{}}}'],
    ["elements of kinds that are not known", '{"f:a":{},"r:b":{},"f:c":{"x:d":{}}}', '{"f:a":{},"f:c":{}}'],
    ["null", '{"f:a":null}', '{"f:a":{}}'],
    ["null at the root", "null", "{}"],
    ["one element in two texts", '{"v:1":{"f:a":{}},"v:1.0":{"f:b":{}}}', '{"v:1":{"f:b":{}}}'],
  ])("%s", (_title, text, expected) => {
    expect(json(parseFieldSet(JSON.parse(text)))).toBe(expected)
  })
})

test("a set is frozen all the way down", () => {
  const set = parseFieldSet({ "f:a": { "f:b": {} } })
  expect(Object.isFrozen(set) && Object.isFrozen(set["f:a"]) && Object.isFrozen(set["f:a"]?.["f:b"])).toBe(true)
})

describe("what is no set is refused", () => {
  test.each([
    ["a text", '"x"', "ReadMapCB: expect { or n, but found x"],
    ["a list", "[]", "ReadMapCB: expect { or n, but found ["],
    ["a number below", '{"f:a":3}', "ReadMapCB: expect { or n, but found 3"],
    ["a key without a colon", '{"spec":{}}', "parsing key as path element: missing colon: spec"],
    ["a key of one letter", '{"f":{}}', "parsing key as path element: key must be 2 characters long:"],
    ["a key that is no JSON", '{"k:{name}":{}}', /^parsing key as path element: .*JSON/],
    ["a key with __proto__ and no colon", '{"__proto__":{}}', "parsing key as path element: missing colon: __proto__"],
  ])("%s", (_title, text, message) => {
    expect(() => parseFieldSet(JSON.parse(text))).toThrow(message)
  })

  test("one that is too deep", () => {
    let value: unknown = {}
    for (let depth = 0; depth < 10_000; depth++) value = { "f:a": value }
    expect(() => parseFieldSet(value)).toThrow("exceeded max depth")
  })
})
