import { describe, expect, test } from "vitest"
import { escapeToken, isInside, parsePointer } from "./json-patch.ts"

describe("pointers of RFC 6901", () => {
  test.each([
    ["", []],
    ["/", [""]],
    ["/foo/0", ["foo", "0"]],
    ["/a~1b", ["a/b"]],
    ["/m~0n", ["m~n"]],
    ["/~01", ["~1"]],
    ['/ /k"l/i\\j', [" ", 'k"l', "i\\j"]],
  ])("%j is %j, both ways", (pointer, tokens) => {
    expect(parsePointer(pointer)).toEqual(tokens)
    expect(tokens.map((token) => `/${escapeToken(token)}`).join("")).toBe(pointer)
  })

  test.each(["foo", "foo/bar", "/a~", "/a~2b"])("%j is refused", (pointer) => {
    expect(() => parsePointer(pointer)).toThrow(/^path ".*" (must be empty or start with|has a "~" that is not)/)
  })

  test.each([
    ["x/a/b", ["a", "b"]],
    ["/a~2/~", ["a~2", "~"]],
    ["/~01/a~1b", ["~1", "a/b"]],
    ["", []],
  ])("%j is %j to kube-apiserver", (pointer, tokens) => expect(parsePointer(pointer, true)).toEqual(tokens))

  test("a word without any slash is refused by both", () => expect(() => parsePointer("foo", true)).toThrow(/must be empty or start with/))
})

test("a place is inside another one below it only", () => {
  expect(isInside(["a", "b"], ["a"])).toBe(true)
  expect(isInside(["a"], ["a"])).toBe(false)
  expect(isInside(["ab"], ["a"])).toBe(false)
})
