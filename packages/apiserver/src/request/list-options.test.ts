import { expect, test } from "vitest"
import { flag } from "./list-options.ts"

test.each<[value: string | undefined, expected: boolean | undefined]>([
  [undefined, undefined],
  ["0", false],
  ["false", false],
  ["FaLsE", false],
  ["", true],
  ["f", true],
  ["no", true],
  ["true", true],
])("a flag of %j is %j, as upstream converts booleans of a query", (value, expected) => {
  expect(flag(value === undefined ? {} : { force: value }, "force")).toBe(expected)
})
