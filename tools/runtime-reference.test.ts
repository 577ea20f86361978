import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { runtimeExports, runtimeReference } from "./runtime-reference.ts"

test("everything that the runtime exports says in a sentence what it is", () => {
  const all = runtimeExports()
  expect(all.length).toBeGreaterThan(150)
  expect(all.filter(({ sentence }) => sentence === "").map(({ name }) => name)).toEqual([])
})

test("docs/reference/runtime.md is what npm run reference writes", () => {
  expect(readFileSync(join(import.meta.dirname, "../docs/reference/runtime.md"), "utf8")).toBe(runtimeReference())
})
