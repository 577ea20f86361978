import { describe, expect, test } from "vitest"
import { readYaml } from "./read-yaml.ts"
import { commonTextOf, yamlTextOf } from "./yaml-text.ts"

const withBytes = (...value: readonly number[]) => Uint8Array.from([...Buffer.from('a: "é'), ...value, ...Buffer.from('🚢"\n')])

describe("YAML has no place for", () => {
  test.each<[title: string, value: readonly number[], fault: string]>([
    ["a control character", [0x01], "control characters are not allowed"],
    ["a delete character", [0x7f], "control characters are not allowed"],
    ["a control character of C1", [0xc2, 0x80], "control characters are not allowed"],
    ["a noncharacter", [0xef, 0xbf, 0xbe], "control characters are not allowed"],
    ["a byte that begins no character", [0xff], "invalid leading UTF-8 octet"],
    ["a byte in the middle of a character", [0x80], "invalid leading UTF-8 octet"],
    ["a character that breaks off", [0xe2, 0x82, 0x41], "invalid trailing UTF-8 octet"],
    ["a character in too many bytes", [0xc0, 0x80], "invalid length of a UTF-8 sequence"],
    ["half a surrogate pair", [0xed, 0xa0, 0x80], "invalid Unicode character"],
    ["what is beyond Unicode", [0xf4, 0x90, 0x80, 0x80], "invalid Unicode character"],
    ["a control character before a byte that is no character", [0x7f, 0xff], "control characters are not allowed"],
  ])("%s", (_title, value, fault) => {
    expect(() => yamlTextOf(withBytes(...value))).toThrow(`yaml: ${fault}`)
    expect(commonTextOf(withBytes(...value))).toBeUndefined()
  })

  test("a character whose end is not there", () => {
    expect(() => yamlTextOf(Uint8Array.of(0x61, 0xe2, 0x82))).toThrow("yaml: incomplete UTF-8 octet sequence")
  })
})

test.each<[title: string, value: readonly number[], expected: string]>([
  ["a byte order mark inside", [0xef, 0xbb, 0xbf], "\ufeff"],
  ["a character beyond 16 bits, also one that stands for nothing", [0xf0, 0x9f, 0xbf, 0xbf], "\u{1ffff}"],
  ["a tab", [0x09], "\t"],
])("YAML keeps %s", (_title, value, expected) => {
  expect(yamlTextOf(withBytes(...value))).toBe(`a: "é${expected}🚢"\n`)
})

const read = async (text: string) => (await readYaml(yamlTextOf(Buffer.from(text)), () => undefined, 1)).value

test("a next line in a quoted text is a space", async () => {
  expect(await read('a: "b\u0085c"')).toEqual({ a: "b c" })
})

describe("an escape of half a character", () => {
  test.each([
    ['{"a": "\\ud83d\\udea2"}', "yaml: found invalid Unicode character escape code"],
    ['a: b\nc: "🚢 \\\\ \\uDEA2"', "yaml: line 2: found invalid Unicode character escape code"],
    ['"\\ud83d": b', "yaml: found invalid Unicode character escape code"],
  ])("is refused: %s", async (text, fault) => {
    await expect(read(text)).rejects.toThrow(fault)
    expect(commonTextOf(Buffer.from(text))).toBeUndefined()
  })

  test.each([
    ["a: '\\ud83d'", "\\ud83d"],
    ["a: \\ud83d", "\\ud83d"],
    ['a: "\\\\ud83d 🚢"', "\\ud83d 🚢"],
  ])("is none where it is text: %s", async (text, value) => {
    expect(await read(text)).toEqual({ a: value })
  })
})
