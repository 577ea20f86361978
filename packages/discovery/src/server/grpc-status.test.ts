import { expect, test } from "vitest"
import { statusHeaders } from "./grpc-status.ts"

test.each([
  ["plain text, with spaces; and (signs) ~", "plain text, with spaces; and (signs) ~"],
  ["100% sure", "100%25 sure"],
  ["two\nlines", "two%0Alines"],
  ["grüße 🚢", "gr%C3%BC%C3%9Fe %F0%9F%9A%A2"],
  ["half a pair \ud83d", "half a pair %EF%BF%BD"],
])("%j in a header", (message, expected) => {
  expect(statusHeaders("INTERNAL", message)).toEqual({ "grpc-status": 13, "grpc-message": expected })
})

test.each([["é"], ["船"], ["🚢"], ["%"]])("a text of many %s is cut, so that the header is one that every client takes", (sign) => {
  const found = String(statusHeaders("INTERNAL", sign.repeat(10_000))["grpc-message"])
  expect(found.length).toBeLessThanOrEqual(7_200)
  expect(decodeURIComponent(found)).toBe(sign.repeat(800).slice(0, 800))
})
