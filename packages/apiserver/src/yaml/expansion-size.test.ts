import { expect, test } from "vitest"
import { type Alias, parseDocument } from "yaml"
import { type Anchored, aliasTargets } from "./alias-targets.ts"
import { expansionSize } from "./expansion-size.ts"

function measured(text: string) {
  const { contents } = parseDocument(text, { schema: "failsafe", merge: false })
  const targets = aliasTargets(contents)
  let asked = 0
  const get = (alias: Alias): Anchored | undefined => {
    asked++
    return targets.get(alias)
  }
  return { size: expansionSize(contents, { get }), asked }
}

test.each([
  ["a: 1", { nodes: 3, aliased: 0 }],
  ["a: &a [1, 2]\nb: *a", { nodes: 10, aliased: 3 }],
  ["a: &a {x: 1}\nb: {<<: *a}", { nodes: 11, aliased: 3 }],
  ["a: &a {x: 1}\nb: {<<: [*a, {y: 1}]}", { nodes: 14, aliased: 3 }],
  ["a: &a [1]\nb: &b [*a, *a]\nc: *b", { nodes: 21, aliased: 11 }],
])("%j is counted without being expanded", (text, size) => {
  expect(measured(text).size).toEqual(size)
})

test("an anchor that contains itself has no size", () => {
  expect(measured("a: &a [*a]").size).toBeUndefined()
})

test("each alias of the text is looked up once, however much it stands for", () => {
  const level = (at: number) => `a${at}: &a${at} [${Array.from({ length: 10 }, () => `*a${at - 1}`).join(", ")}]`
  const { size, asked } = measured(["a0: &a0 [x]", ...Array.from({ length: 30 }, (_, at) => level(at + 1))].join("\n"))
  expect(asked).toBeLessThanOrEqual(600)
  expect(size?.nodes).toBe(1e12)
})
