import { expect, test } from "vitest"
import { fieldPathSteps } from "./schema-field.ts"

const stepsOf = (path: string, brackets?: boolean) =>
  [...fieldPathSteps(path, brackets === undefined ? {} : { brackets })].map((step) => ("name" in step ? step.name : step.fault))

test.each<[path: string, steps: readonly string[]]>([
  ["", []],
  [".spec.replicas", ["spec", "replicas"]],
  [".spec['my.name']", ["spec", "my.name"]],
  ["['spec']['a']", ["spec", "a"]],
  [String.raw`.spec['it\'s']`, ["spec", "it's"]],
  [String.raw`['a\tb']`, ["a\tb"]],
  [".", ["unexpected end of JSON path"]],
  [".spec[", ["spec", "unexpected end of JSON path"]],
  [".spec['a'", ["spec", "unexpected end of JSON path"]],
  ["spec", ["expected [ or . but got: spec"]],
  [".spec[0]", ["spec", "expected single quoted string but got 0"]],
  [".spec['a'.", ["spec", "expected ] but got ."]],
  [String.raw`.spec['\q']`, ["spec", String.raw`invalid string literal: invalid escape char \q`]],
])("the steps of %j", (path, steps) => {
  expect(stepsOf(path)).toEqual(steps)
})

test("refuses brackets where they are not allowed", () => {
  expect(stepsOf(".spec['a']", false)).toEqual(["spec", "array notation is not allowed"])
})
