import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { generateXds } from "./generate-xds.ts"

test("what is committed is what npm run generate writes of the xDS messages", () => {
  const { path, content } = generateXds()
  expect(readFileSync(join(import.meta.dirname, "../../..", path), "utf8")).toBe(content)
})
