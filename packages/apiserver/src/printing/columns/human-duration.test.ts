import { expect, test } from "vitest"
import { age, humanDuration } from "./human-duration.ts"

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const year = 365 * day

test.each([
  [-3 * second, "<invalid>"],
  [-1 * second, "0s"],
  [0, "0s"],
  [119_999, "119s"],
  [2 * minute, "2m"],
  [2 * minute + second, "2m1s"],
  [10 * minute - second, "9m59s"],
  [10 * minute + 30 * second, "10m"],
  [179 * minute, "179m"],
  [3 * hour, "3h"],
  [3 * hour + minute, "3h1m"],
  [8 * hour + 30 * minute, "8h"],
  [47 * hour, "47h"],
  [2 * day, "2d"],
  [2 * day + hour, "2d1h"],
  [8 * day + hour, "8d"],
  [2 * year - day, "729d"],
  [2 * year, "2y"],
  [2 * year + day, "2y1d"],
  [8 * year + day, "8y"],
])("%d ms is %s", (milliseconds, expected) => {
  expect(humanDuration(milliseconds)).toBe(expected)
})

test.each([
  [undefined, "<unknown>"],
  [null, "<unknown>"],
  ["", "<unknown>"],
  ["2026-01-05T08:55:00Z", "5m"],
  ["2026-01-05T08:59:59.500000Z", "0s"],
])("the age of %j is %s", (timestamp, expected) => {
  expect(age(timestamp, Date.UTC(2026, 0, 5, 9))).toBe(expected)
})
