import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { documentedResults } from "./document.ts"

const files = documentedResults(join(import.meta.dirname, "..", ".."))

test("every bench with a result has a table and a chart", () => {
  expect(files.length).toBeGreaterThan(10)
})

test.each(files)("$path is what npm run reference writes", ({ path, text }) => {
  expect(readFileSync(path, "utf8")).toBe(text)
})
