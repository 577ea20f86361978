import { expect, test } from "vitest"
import { pullsAround } from "./image-rules.ts"

test.each([
  [0, 0, 10],
  [9, 0, 10],
  [10, 10, 30],
  [30, 30, 70],
  [309, 150, 310],
  [310, 310, 610],
  [609, 310, 610],
  [610, 610, 910],
  [100_000, 99_910, 100_210],
])("after %i s the last pull was due at %i s, the next one is at %i s", (now, last, next) => {
  const first = 7000
  expect(pullsAround(first, first + now * 1000)).toEqual({ last: first + last * 1000, next: first + next * 1000 })
})
