import { describe, expect, test } from "vitest"
import { jsonTextOf } from "./json-text.ts"

const bytes = (...parts: readonly (string | number)[]) =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === "string" ? [...Buffer.from(part)] : [part])))

describe("a byte that is no part of a character stands for U+FFFD", () => {
  test.each<[title: string, given: readonly number[], expected: string]>([
    ["that begins none", [0xff], "\ufffd"],
    ["in the middle of one", [0x80, 0xbf], "\ufffd\ufffd"],
    ["before the end of one", [0xe2, 0x82], "\ufffd\ufffd"],
    ["of one in too many bytes", [0xc0, 0x80], "\ufffd\ufffd"],
    ["of half a surrogate pair", [0xed, 0xa0, 0x80], "\ufffd\ufffd\ufffd"],
    ["of one beyond Unicode", [0xf4, 0x90, 0x80, 0x80], "\ufffd\ufffd\ufffd\ufffd"],
  ])("%s", (_title, given, expected) => {
    expect(jsonTextOf(bytes('"é', ...given, '🚢"'))).toBe(`"é${expected}🚢"`)
    expect(jsonTextOf(bytes(...given))).toBe(expected)
  })
})

test.each([
  ['"\\ud83d"', '"\\ufffd"'],
  ['"\\uDEA2x"', '"\\ufffdx"'],
  ['"\\ud83d\\ud83d\\udea2"', '"\\ufffd\\ud83d\\udea2"'],
  ['"\\\\ud83d"', '"\\\\ud83d"'],
  ['"\\\\\\ud83d"', '"\\\\\\ufffd"'],
  ['"\\n\\u0041"', '"\\n\\u0041"'],
])("half a surrogate pair stands for U+FFFD: %s", (text, expected) => {
  expect(jsonTextOf(bytes(text))).toBe(expected)
})

test("a byte order mark is part of the text, which then is no JSON", () => {
  expect(jsonTextOf(bytes(0xef, 0xbb, 0xbf, "{}"))).toBe("\ufeff{}")
})
