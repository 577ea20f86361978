import { expect, test } from "vitest"
import { ratchet } from "./ratchet.ts"
import type { Rule } from "./rule.ts"
import { findingsOf } from "./test-tree.ts"

/** Finds one thing in every file. */
const everyFile: Rule = {
  name: "every",
  check: ({ texts }) => texts.map(({ path }) => ({ file: path, line: 1, expected: "none", found: "one", fix: "remove it" })),
}

const files = { "packages/a/src/x.ts": "", "packages/a/src/y.ts": "", "docs/z.md": "" }

test("a room may have as many findings as its baseline", () => {
  expect(findingsOf(ratchet(everyFile, { "packages/a": 2, docs: 1 }), files)).toEqual([])
})

test("a room with more has all of its findings reported", () => {
  expect(findingsOf(ratchet(everyFile, { "packages/a": 1, docs: 1 }), files)).toEqual([
    "packages/a/src/x.ts:1 expected none, found one; remove it",
    "packages/a/src/y.ts:1 expected none, found one; remove it",
  ])
})

test("a baseline that is too high is reported", () => {
  expect(findingsOf(ratchet(everyFile, { "packages/a": 3, docs: 1, tests: 1 }), files)).toEqual([
    'tools/check/house/baselines.ts:1 expected the number of findings of "every" in packages/a, found 3, though there are 2; lower it',
    'tools/check/house/baselines.ts:1 expected the number of findings of "every" in tests, found 1, though there are 0; lower it',
  ])
})
