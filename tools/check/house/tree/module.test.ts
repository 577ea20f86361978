import { expect, test } from "vitest"
import { parseModule } from "./module.ts"

test.each([
  ['import type { A } from "./a.ts"', { typeOnly: true, names: ["A"] }],
  ['import { type A } from "./a.ts"', { typeOnly: false, names: ["A"] }],
  ['import { type A, b as c } from "./a.ts"', { typeOnly: false, names: ["A", "b"] }],
  ['import type from "./a.ts"', { typeOnly: false, names: ["default"] }],
  ['import * as all from "./a.ts"', { typeOnly: false, names: ["*"] }],
  ['import "./a.ts"', { typeOnly: false, names: [] }],
  ['export { a } from "./a.ts"', { typeOnly: false, names: ["a"] }],
  ['export type { A } from "./a.ts"', { typeOnly: true, names: ["A"] }],
  ['export * from "./a.ts"', { typeOnly: false, names: ["*"] }],
  ['const later = await import("./a.ts")', { dynamic: true }],
])("reads the import of %s", (text, expected) => {
  expect(parseModule("x.ts", `\n${text}\n`).imports).toMatchObject([{ specifier: "./a.ts", line: 2, ...expected }])
})

test("an export of its own, and a computed dynamic import, are no imports", () => {
  expect(parseModule("x.ts", "export const a = 1\nexport { a as b }\nawait import(String(a))").imports).toEqual([])
})

test("what does not parse is named", () => {
  expect(() => parseModule("packages/x.ts", "const = 1")).toThrow("packages/x.ts does not parse")
})
