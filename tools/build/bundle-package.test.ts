import { expect, test } from "vitest"
import { bundlePlan } from "./bundle-package.ts"

const target = (path: string) => ({ "@pilothouse/source": "./src/x.ts", types: "./dist/x.d.ts", default: path })

test("the files that package.json names are entries; those behind a star are left alone, and what they import is an entry too", () => {
  const modules = new Map([
    ["index.js", 'export * from "./inner.js"'],
    ["inner.js", ""],
    ["describe.js", ""],
    ["generated/apps/v1.js", 'import { describe } from "../../describe.js"\nimport "node:fs"'],
    ["generated/apps/v1.schema.js", 'export { x } from "./v1.js"'],
  ])
  const exports = { ".": target("./dist/index.js"), "./*": target("./dist/generated/*.js"), "./package.json": "./package.json" }
  expect(bundlePlan(exports, modules)).toEqual({
    entries: ["index.js", "describe.js"],
    leftAlone: ["generated/apps/v1.js", "generated/apps/v1.schema.js"],
  })
})

test("a package without exports, as the command is, has nothing to bundle", () => {
  const exports = { "./package.json": "./package.json", "./contracts/*": { "@pilothouse/source": "./src/*.contract.ts" } }
  expect(bundlePlan(exports, new Map([["program.js", ""]])).entries).toEqual([])
})
