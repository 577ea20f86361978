import { seededRandom } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { generatedName } from "./generated-name.ts"
import { checkDns1123Label } from "./names.ts"

test("five letters follow the prefix, which is cut to leave room for them", () => {
  const random = seededRandom(1)
  expect(generatedName("web-", random)).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
  expect(generatedName("a".repeat(70), random)).toMatch(/^a{58}[a-z0-9]{5}$/)
  expect(checkDns1123Label(generatedName("a".repeat(70), random))).toEqual([])
  expect(generatedName("web-", random)).not.toBe(generatedName("web-", random))
})
