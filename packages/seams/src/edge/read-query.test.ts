import { expect, test } from "vitest"
import { readQuery } from "./read-query.ts"

test("the values of a name are kept in their order, whatever the name is", () => {
  const query = readQuery(new URLSearchParams("a=1&b=2&a=3&__proto__=4&b"))
  expect(Object.entries(query)).toEqual([
    ["a", ["1", "3"]],
    ["b", ["2", ""]],
    ["__proto__", ["4"]],
  ])
})

test("many names are read in one pass", () => {
  let reads = 0
  function* parameters(count: number): Generator<[string, string]> {
    for (let index = 0; index < count; index++) {
      reads++
      yield [`n${index}`, ""]
    }
  }
  expect(Object.keys(readQuery(parameters(5000)))).toHaveLength(5000)
  expect(reads).toBe(5000)
})
