import { expect, it } from "vitest"
import { FieldPath } from "./field-path.ts"

it("keeps apart what is appended to a path whose storage is full", () => {
  const map = FieldPath.of("self").append("map")
  const [key, value] = [map.append("@keys"), map.append("@values")]
  expect([key.parts, value.parts]).toEqual([
    ["self", "map", "@keys"],
    ["self", "map", "@values"],
  ])
})

it("writes over what was appended before where there is room behind the path", () => {
  const map = FieldPath.of("self").append("spec").append("map")
  const [key, value] = [map.append("@keys"), map.append("@values")]
  expect([map.parts, key.parts, value.parts]).toEqual([
    ["self", "spec", "map"],
    ["self", "spec", "map", "@values"],
    ["self", "spec", "map", "@values"],
  ])
})

it("has no part where a value stands nowhere", () => {
  expect([FieldPath.none.parts, FieldPath.none.append("a").parts]).toEqual([[], ["a"]])
})
