import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { formatFieldSelector, matchesFields, parseFieldSelector, requiredFieldValue } from "./field-selector.ts"

test.each([
  ["", ""],
  [",", ""],
  ["=", ""],
  ["a=b", "a=b"],
  ["a==b", "a=b"],
  ["a!=b", "a!=b"],
  ["a=", "a="],
  ["status.phase!=Failed,spec.nodeName=n", "spec.nodeName=n,status.phase!=Failed"],
  ["a=b,,", "a=b"],
  ["a=b\\,c\\=d\\\\", "a=b\\,c\\=d\\\\"],
  [" a=b", " a=b"],
  ["a!b=c", "a!b=c"],
])("%j is %j", (text, canonical) => {
  expect(formatFieldSelector(parseFieldSelector(text))).toBe(canonical)
})

test.each([
  ["a", "invalid selector: 'a'; can't understand 'a'"],
  ["a=b,c", "invalid selector: 'a=b,c'; can't understand 'c'"],
  ["a>b", "invalid selector: 'a>b'; can't understand 'a>b'"],
  ["a=b=c", "invalid field selector: unescaped character in value: 61"],
  ["a=\\x", "invalid field selector: invalid escape sequence: \\x"],
  ["a=\\😀", "invalid field selector: invalid escape sequence: \\😀"],
  ["a=b\\", "invalid field selector: invalid escape sequence: \\"],
])("%j is refused", (text, message) => {
  expect(() => parseFieldSelector(text)).toThrow(expect.objectContaining({ code: "INVALID", message }))
})

describe("matching", () => {
  const fields: Record<string, string> = { "metadata.name": "a", "status.phase": "Running" }
  test.each([
    ["", true],
    ["metadata.name=a", true],
    ["metadata.name=b", false],
    ["metadata.name!=b,status.phase=Running", true],
    ["metadata.name=a,status.phase!=Running", false],
    ["spec.nodeName=", true],
    ["spec.nodeName!=", false],
  ])("%j is %s", (text, matches) => {
    expect(matchesFields(parseFieldSelector(text), (field) => fields[field] ?? "")).toBe(matches)
  })
})

test.each([
  ["spec.nodeName=n,a!=b", "n"],
  ["spec.nodeName!=n", undefined],
  ["a=b", undefined],
])("an index of nodes is asked for %j with %j", (text, value) => {
  expect(requiredFieldValue(parseFieldSelector(text), "spec.nodeName")).toBe(value)
})

const requirement = fc.record({
  field: fc.constantFrom("metadata.name", "spec.nodeName", "a"),
  operator: fc.constantFrom("=" as const, "!=" as const),
  value: fc.string({ unit: fc.constantFrom("a", "b", "=", ",", "\\", "é", "!", " ") }),
})

test("the text reads back as the same requirements, and any order of them is one text", () => {
  fc.assert(
    fc.property(fc.array(requirement), (requirements) => {
      const read = parseFieldSelector(formatFieldSelector({ requirements }))
      expect(read.requirements).toHaveLength(requirements.length)
      expect(read.requirements).toEqual(expect.arrayContaining(requirements))
      const reversed = parseFieldSelector(formatFieldSelector({ requirements: [...requirements].reverse() }))
      expect(formatFieldSelector(reversed)).toBe(formatFieldSelector(read))
    }),
  )
})
