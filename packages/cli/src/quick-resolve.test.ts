import { expect, test } from "vitest"
import { sourceUrl } from "./quick-resolve.ts"

const parent = "file:///a%20b/packages/cli/src/commands/up.ts"

test.each(["./apply.ts", "../embedded-cluster.ts", "../client/read-manifests.ts", "../../../runtime/src/index.ts"])(
  "%s leads where Node would go",
  (specifier) => {
    expect(sourceUrl(specifier, parent)).toBe(new URL(specifier, parent).href)
  },
)

test.each([
  ["a package", "@pilothouse/api", parent],
  ["a built-in module", "node:path", parent],
  ["no TypeScript", "./up.js", parent],
  ["a step back in the middle", "./a/../b.ts", parent],
  ["asked for by no file", "./up.ts", undefined],
  ["asked for by a file that is no source", "./up.ts", "file:///a/up.js"],
])("%s is left to Node", (_name, specifier, from) => {
  expect(sourceUrl(specifier, from)).toBeUndefined()
})
