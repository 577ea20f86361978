import { expect, test } from "vitest"
import { timeoutOf } from "./ads-call.ts"

test.each([
  ["2H", 7_200_000],
  ["3M", 180_000],
  ["10S", 10_000],
  ["250m", 250],
  ["1500u", 1.5],
  ["99999999n", 99.999999],
  ["0S", 0],
  ["", undefined],
  ["S", undefined],
  ["10", undefined],
  ["10s", undefined],
  ["-1S", undefined],
  ["1.5S", undefined],
  ["123456789S", undefined],
])("%j is %s ms", (text, milliseconds) => {
  const found = timeoutOf(text)
  if (milliseconds === undefined) expect(found).toBeUndefined()
  else expect(found).toBeCloseTo(milliseconds, 6)
})
