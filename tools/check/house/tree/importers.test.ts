import { expect, test } from "vitest"
import { manifest, treeOf } from "../testing/tree.ts"
import { importersOf } from "./importers.ts"

const importers = (files: Readonly<Record<string, string>>) =>
  Object.fromEntries([...importersOf(treeOf(files))].map(([file, by]) => [file, Object.fromEntries(by)]))

test("an index is transparent: the files that import its names are the importers, from other packages too", () => {
  expect(
    importers({
      "packages/a/package.json": manifest("@pilothouse/a"),
      "packages/a/src/index.ts": 'export { one } from "./one.ts"\nexport * from "./more/index.ts"\n',
      "packages/a/src/one.ts": "export const one = 1\n",
      "packages/a/src/more/index.ts": 'export { two } from "./two.ts"\n',
      "packages/a/src/more/two.ts": "export const two = 2\n",
      "packages/b/package.json": manifest("@pilothouse/b"),
      "packages/b/src/index.ts": "",
      "packages/b/src/user.ts": 'import { one, two } from "@pilothouse/a"\nconst late = () => import("./late.ts")\n',
      "packages/b/src/late.ts": 'import { two } from "@pilothouse/a"\n',
    }),
  ).toEqual({
    "packages/a/src/index.ts": {},
    "packages/a/src/one.ts": { "packages/b/src/user.ts": "static" },
    "packages/a/src/more/index.ts": {},
    "packages/a/src/more/two.ts": { "packages/b/src/user.ts": "static", "packages/b/src/late.ts": "static" },
    "packages/b/src/index.ts": {},
    "packages/b/src/user.ts": {},
    "packages/b/src/late.ts": { "packages/b/src/user.ts": "lazy" },
  })
})

test("a file that is imported both ways is imported statically, and tests are no importers", () => {
  expect(
    importers({
      "packages/a/src/a.ts": "",
      "packages/a/src/b.ts": 'const a = () => import("./a.ts")\nimport "./a.ts"\n',
      "packages/a/src/a.test.ts": 'import "./a.ts"\n',
    }),
  ).toEqual({ "packages/a/src/a.ts": { "packages/a/src/b.ts": "static" }, "packages/a/src/b.ts": {} })
})
