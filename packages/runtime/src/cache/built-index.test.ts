import { expect, test } from "vitest"
import { BuiltIndex } from "./built-index.ts"

const keys = (index: BuiltIndex, value: string) => [...(index.keysOf(value) ?? [])]

test("one key, several, one again, none: in the order they came", () => {
  const index = new BuiltIndex()
  index.move("a", [], ["x"])
  expect(keys(index, "x")).toEqual(["a"])
  index.move("b", [], ["x"])
  expect(keys(index, "x")).toEqual(["a", "b"])
  index.move("a", ["x"], ["y"])
  expect([keys(index, "x"), keys(index, "y")]).toEqual([["b"], ["a"]])
  index.move("b", ["x"], [])
  expect([index.keysOf("x"), [...index.values()]]).toEqual([undefined, ["y"]])
})

test("a key that comes twice stands there once", () => {
  const index = new BuiltIndex()
  index.move("a", [], ["x"])
  index.move("a", [], ["x", "y"])
  expect(keys(index, "x")).toEqual(["a"])
})

test("a key that leaves a value does not affect other keys", () => {
  const index = new BuiltIndex()
  index.move("a", [], ["x"])
  index.move("b", ["x"], [])
  expect(keys(index, "x")).toEqual(["a"])
})
