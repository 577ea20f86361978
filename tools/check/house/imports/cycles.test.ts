import { expect, test } from "vitest"
import { findingsOf, manifest } from "../testing/tree.ts"
import { cycles } from "./cycles.ts"

const fix = "move what both need into a file of its own, or import only the type"
const rows: Record<string, { files: Record<string, string>; says: string[] }> = {
  "two files": {
    files: { "a/x.ts": 'export {}\nimport "./y.ts"', "a/y.ts": 'export { x } from "./x.ts"' },
    says: [`a/x.ts:2 expected no import cycle, found a/x.ts → a/y.ts → a/x.ts; ${fix}`],
  },
  "a file and itself": {
    files: { "a/x.ts": 'import "./x.ts"' },
    says: [`a/x.ts:1 expected no import cycle, found a/x.ts → a/x.ts; ${fix}`],
  },
  "a long way round, entered from outside": {
    files: { "a/in.ts": 'import "./x.ts"', "a/x.ts": 'import "./y.ts"', "a/y.ts": 'import "./z.ts"', "a/z.ts": 'import "./x.ts"' },
    says: [`a/x.ts:1 expected no import cycle, found a/x.ts → a/y.ts → a/z.ts → a/x.ts; ${fix}`],
  },
  "over packages": {
    files: {
      "packages/a/package.json": manifest("a"),
      "packages/b/package.json": manifest("b"),
      "packages/a/src/index.ts": 'import "b"',
      "packages/b/src/index.ts": 'import "a"',
    },
    says: [
      `packages/a/src/index.ts:1 expected no import cycle, found packages/a/src/index.ts → packages/b/src/index.ts → packages/a/src/index.ts; ${fix}`,
    ],
  },
  "two ways to one file": {
    files: { "a/x.ts": 'import "./y.ts"\nimport "./z.ts"', "a/y.ts": 'import "./z.ts"', "a/z.ts": "export {}" },
    says: [],
  },
  "types only": { files: { "a/x.ts": 'import "./y.ts"', "a/y.ts": 'import type { X } from "./x.ts"' }, says: [] },
  "types only, where those count": {
    files: {
      "packages/apiserver/src/x.ts": 'import "./y.ts"',
      "packages/apiserver/src/y.ts": 'export {}\nimport type { X } from "./x.ts"',
    },
    says: [
      "packages/apiserver/src/x.ts:1 expected no import cycle, found packages/apiserver/src/x.ts → packages/apiserver/src/y.ts → packages/apiserver/src/x.ts; move what both need into a file of its own, or let the one declare what it takes of the other",
    ],
  },
  "loaded later": { files: { "a/x.ts": 'import "../y.ts"', "a/y.ts": 'export const later = () => import("../x.ts")' }, says: [] },
}

test.each(Object.entries(rows))("%s", (_, { files, says }) => {
  expect(findingsOf(cycles, files)).toEqual(says)
})
