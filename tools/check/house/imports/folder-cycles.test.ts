import { expect, test } from "vitest"
import { findingsOf } from "../testing/tree.ts"
import { folderCycles } from "./folder-cycles.ts"

const files = {
  "packages/a/src/http/serve.ts": 'import type { Verb } from "../verbs/verb.ts"',
  "packages/a/src/verbs/verb.ts": 'import { respond } from "../http/respond.ts"',
  "packages/a/src/http/respond.ts": "",
}

test("folders that import each other are refused, types included", () => {
  expect(findingsOf(folderCycles, files)).toEqual([
    "packages/a/src/http/serve.ts:1 expected imports between packages/a/src/http and packages/a/src/verbs in one direction, found one back in packages/a/src/verbs/verb.ts:1; move what both need to the lower of the two",
  ])
})

test("one direction is accepted, and tests may go the other way", () => {
  const oneWay = { ...files, "packages/a/src/http/serve.ts": "", "packages/a/src/http/serve.test.ts": 'import "../verbs/verb.ts"' }
  expect(findingsOf(folderCycles, oneWay)).toEqual([])
})
