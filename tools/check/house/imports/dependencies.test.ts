import { expect, test } from "vitest"
import { findingsOf, manifest } from "../testing/tree.ts"
import { dependencies } from "./dependencies.ts"

const base = {
  "package.json": JSON.stringify({ name: "root", version: "0.1.0", devDependencies: { vitest: "5" } }),
  "packages/seams/package.json": manifest("@pilothouse/seams"),
}

const rows: Record<string, { files: Record<string, string>; says: string[] }> = {
  "declared and imported": {
    files: {
      "packages/cli/package.json": manifest("pilothouse", { dependencies: { yaml: "2", "@pilothouse/seams": "0.1.0" } }),
      "packages/cli/src/a.ts": 'import { parse } from "yaml"\nimport type { Clock } from "@pilothouse/seams"',
    },
    says: [],
  },
  "imported and not declared": {
    files: { "packages/cli/package.json": manifest("pilothouse"), "packages/cli/src/a.ts": '\nimport { parse } from "yaml/x"' },
    says: ["packages/cli/src/a.ts:2 expected yaml to be declared, found an import only; add it to packages/cli/package.json"],
  },
  "declared and not imported": {
    files: { "packages/cli/package.json": manifest("pilothouse", { dependencies: { yaml: "2" } }), "packages/cli/src/a.ts": "export {}" },
    says: ["packages/cli/package.json:1 expected yaml to be imported, found no import; remove the dependency"],
  },
  "imported by a test only": {
    files: {
      "packages/cli/package.json": manifest("pilothouse", { dependencies: { yaml: "2" } }),
      "packages/cli/src/a.ts": "export {}",
      "packages/cli/src/a.test.ts": 'import { parse } from "yaml"',
    },
    says: ["packages/cli/package.json:1 expected yaml to be imported, found no import; remove the dependency"],
  },
  "the workspace's tools, in a test": {
    files: { "packages/cli/package.json": manifest("pilothouse"), "packages/cli/src/a.test.ts": 'import { test } from "vitest"' },
    says: [],
  },
  "the workspace's tools, in a source": {
    files: { "packages/cli/package.json": manifest("pilothouse"), "packages/cli/src/a.ts": 'import { test } from "vitest"' },
    says: ["packages/cli/src/a.ts:1 expected vitest to be declared, found an import only; add it to packages/cli/package.json"],
  },
  "a package without sources": {
    files: { "packages/cli/package.json": manifest("pilothouse", { dependencies: { yaml: "2" } }) },
    says: [],
  },
  "another version of a room": {
    files: {
      "packages/cli/package.json": manifest("pilothouse", { dependencies: { "@pilothouse/seams": "0.0.9" } }),
      "packages/cli/src/a.ts": 'import "@pilothouse/seams"',
    },
    says: ["packages/cli/package.json:1 expected @pilothouse/seams 0.1.0, found 0.0.9; give both the same version"],
  },
  "a tool's import that is not declared": {
    files: { "tools/x.ts": 'import { parse } from "yaml"\nimport "@pilothouse/seams"' },
    says: ["tools/x.ts:1 expected yaml to be declared, found an import only; add it to package.json as a devDependency"],
  },
}

test.each(Object.entries(rows))("%s", (_, { files, says }) => {
  expect(findingsOf(dependencies, { ...base, ...files })).toEqual(says)
})
