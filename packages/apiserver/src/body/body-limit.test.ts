import fc from "fast-check"
import { expect, test } from "vitest"
import { checkJsonValueCount } from "./body-limit.ts"

const message = "limit of fields and list items is 75000"

function check(text: string): string {
  try {
    checkJsonValueCount(new TextEncoder().encode(text))
    return "taken"
  } catch (error) {
    return String(error)
  }
}

const list = (count: number, item: string, space = "") => `[${Array.from({ length: count }, () => item).join(`,${space}`)}]`
const map = (count: number, value: string) => `{${Array.from({ length: count }, (_, at) => `"k${at}":${value}`).join(",")}}`

test.each<[name: string, text: string, isTaken: boolean]>([
  ["75,000 items", list(75_000, "1", " "), true],
  ["75,001 items", list(75_001, "1", " "), false],
  ["75,000 fields", map(75_000, "1"), true],
  ["75,001 fields", map(75_001, "1"), false],
  ["37,500 lists of one", list(37_500, "[ 1 ]"), true],
  ["37,501 lists of one", list(37_501, "[ 1 ]"), false],
  ["75,000 empty lists and objects", `[${list(74_998, "[ ]")},{}]`, true],
  ["commas in a text", JSON.stringify([",".repeat(300_000)]), true],
  ["commas behind quotes of a text", JSON.stringify(['",'.repeat(175_000)]), true],
  ["a text that ends with a backslash, and items", `["${"\\\\".repeat(60_000)}",${list(75_001, "1").slice(1)}`, false],
  ["a text that does not end", `["${",".repeat(300_000)}`, true],
])("%s", (_name, text, isTaken) => {
  if (isTaken) expect(check(text)).toBe("taken")
  else expect(check(text)).toContain(message)
})

test("values are counted in the text as they are in what it is read into", () => {
  const counted = (value: unknown): number =>
    typeof value === "object" && value !== null ? Object.values(value).reduce<number>((sum, inner) => sum + 1 + counted(inner), 0) : 0
  fc.assert(
    fc.property(fc.array(fc.jsonValue({ maxDepth: 4 }), { minLength: 1 }), fc.integer({ min: -2, max: 2 }), (values, more) => {
      // Filled up to about the limit.
      const filler = 75_000 + more - counted(values) - 1
      const text = JSON.stringify([...values, Array.from({ length: filler }, () => 10)])
      expect(check(text) === "taken").toBe(counted(JSON.parse(text)) <= 75_000)
    }),
    { numRuns: 30 },
  )
})
