import { expect, test } from "vitest"
import { findingsOf } from "../testing/tree.ts"
import { fieldWords } from "./words.ts"

test.each([
  ["// Nobody waits for it.", "Nobody", "the part that is meant: no client, another controller, each watcher"],
  ["const nextLook = 1", "next Look", "reconcile"],
  ["// Starts anew.", "anew", "again, or new"],
  ["/** The watcher is told first. */", "is told", "is notified, receives, is called with"],
  ["// The deployment loop scales it.", "loop", "controller"],
  ["const everyLoop = 1", "Loop", "controller"],
  ["// Always true between calls: it is sorted.", "Always true between calls", "Invariant:"],
  ["// The listener hears each change.", "hears", "receives, observes"],
  ["f(usualWait)", "usual Wait", "default, max, min"],
  ["const most = 1", "const most", "default, max, min"],
])("%s is refused", (line, found, instead) => {
  expect(findingsOf(fieldWords, { "packages/a/src/b.ts": line })).toContain(
    `packages/a/src/b.ts:1 expected the field's words, found "${found}"; say ${instead}`,
  )
})

test.each([
  'const message = "nobody" // upstream\'s words',
  "// The event loop was blocked for 300 ms.",
  "const loopback = 1",
  "export const leastAllocated = 1",
  "// At most three of them.",
  "using _ = watchEventLoop()",
  "// It looks like a Deployment.",
])("%s is accepted", (line) => {
  expect(findingsOf(fieldWords, { "packages/a/src/b.ts": line })).toEqual([])
})

test("documents are held to it, generated files are not", () => {
  expect(findingsOf(fieldWords, { "docs/a.md": "whoever", "packages/a/src/generated/b.ts": "// whoever" })).toHaveLength(1)
})
