import { expect, test } from "vitest"
import { findingsOf, manifest } from "../testing/tree.ts"
import { everyRoomIsInTheTable, whoMayImportWhom } from "./who-may-import-whom.ts"

const house = {
  "packages/seams/package.json": manifest("@pilothouse/seams", { subpaths: { "./system": "./src/system/index.ts" } }),
  "packages/api/package.json": manifest("@pilothouse/api", { subpaths: { "./*": "./src/generated/*.ts" } }),
  "packages/runtime/package.json": manifest("@pilothouse/runtime"),
  "packages/apiserver/package.json": manifest("@pilothouse/apiserver"),
  "packages/testing/package.json": manifest("@pilothouse/testing"),
}

const allowed: Record<string, [file: string, specifier: string]> = {
  "a room below": ["packages/runtime/src/a.ts", "@pilothouse/seams"],
  "a subpath that a pattern declares": ["packages/runtime/src/a.ts", "@pilothouse/api/apps/v1"],
  "a file of the same package": ["packages/runtime/src/a/b.ts", "../c.ts"],
  "testing, in a test": ["packages/runtime/src/a.test.ts", "@pilothouse/testing"],
  "the system's seams, in a test": ["packages/runtime/src/a.test.ts", "@pilothouse/seams/system"],
  "the system's seams, in testing": ["packages/testing/src/a.ts", "@pilothouse/seams/system"],
  "any package, in tools": ["tools/x/main.ts", "@pilothouse/apiserver"],
  "its own name, in a test": ["packages/api/src/a.test.ts", "@pilothouse/api/apps/v1"],
  "a Node module where Node may be used": ["packages/runtime/src/a.ts", "node:path"],
  "a Node module in seams/system": ["packages/seams/src/system/a.ts", "node:fs"],
  "a Node module in a pure room's test": ["packages/api/src/a.test.ts", "node:fs"],
}
test.each(Object.entries(allowed))("lets through %s", (_, [file, specifier]) => {
  expect(findingsOf(whoMayImportWhom, { ...house, [file]: `import { x } from "${specifier}"` })).toEqual([])
})

const refused: Record<string, [file: string, specifier: string, says: string]> = {
  "a neighbour": [
    "packages/runtime/src/a.ts",
    "@pilothouse/apiserver",
    "expected runtime to import only seams, api, found @pilothouse/apiserver; pass it in, or move the code to the room it belongs to",
  ],
  "a room above": [
    "packages/seams/src/a.ts",
    "@pilothouse/api",
    "expected seams to import only nothing, found @pilothouse/api; pass it in, or move the code to the room it belongs to",
  ],
  "testing, in a source": [
    "packages/runtime/src/a.ts",
    "@pilothouse/testing",
    "expected runtime to import only seams, api, found @pilothouse/testing; pass it in, or move the code to the room it belongs to",
  ],
  "a subpath that is not declared": [
    "packages/runtime/src/a.ts",
    "@pilothouse/seams/clock",
    'expected an export of @pilothouse/seams (., ./system), found "./clock"; export it from there, or declare the subpath in packages/seams/package.json',
  ],
  "another package by a relative path": [
    "packages/runtime/src/a.ts",
    "../../seams/src/clock/clock.ts",
    "expected relative imports to stay in their package, found ../../seams/src/clock/clock.ts; import what the index of seams exports, by its package name",
  ],
  "a package by a relative path, in tools": [
    "tools/x/main.ts",
    "../../packages/api/src/meta/meta.ts",
    "expected relative imports to stay in their package, found ../../packages/api/src/meta/meta.ts; import what the index of api exports, by its package name",
  ],
  "tools, in a package": [
    "packages/cli/src/a.ts",
    "../../../tools/x/y.ts",
    "expected relative imports to stay in their package, found ../../../tools/x/y.ts; import what the index of tools exports, by its package name",
  ],
  "the system's seams, in a source": [
    "packages/runtime/src/a.ts",
    "@pilothouse/seams/system",
    "expected @pilothouse/seams/system only in cli, testing, tests and tools, found it in runtime; take the clock, the files or the randomness as a parameter",
  ],
  "its own name, in a source": [
    "packages/api/src/a.ts",
    "@pilothouse/api",
    "expected a relative path inside a package, found its own name, @pilothouse/api; import the file itself",
  ],
  "a Node module in a pure room": [
    "packages/api/src/a.ts",
    "node:path",
    'expected no Node API in api, found "node:path"; take what is needed as a parameter, behind a seam',
  ],
  "a Node module without its prefix": ["tools/x.ts", "fs", 'expected Node\'s own modules with their prefix, found "fs"; write "node:fs"'],
}
test.each(Object.entries(refused))("refuses %s", (_, [file, specifier, says]) => {
  expect(findingsOf(whoMayImportWhom, { ...house, [file]: `\nimport type { x } from "${specifier}"` })).toEqual([`${file}:2 ${says}`])
})

test("every folder under packages is a room of the table", () => {
  expect(findingsOf(everyRoomIsInTheTable, { "packages/shed/package.json": manifest("@pilothouse/shed") })).toEqual([
    expect.stringMatching(/^packages\/shed\/package\.json:1 expected one of the rooms seams, .*, found shed; add it to rooms\.ts/),
  ])
})
