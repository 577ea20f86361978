import { expect, test } from "vitest"
import { compareText } from "./compare-text.ts"

test("texts are compared as UTF-8", () => {
  const texts = ["", "a", "z", "é", "\ud7ff", "\ue000", "\uffff", "\u{10000}", "\u{10ffff}"]
  const byBytes = texts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  expect(texts.toReversed().sort(compareText)).toEqual(byBytes)
})
