import { expect, test } from "vitest"
import { findingsOf } from "../testing/tree.ts"
import { layout } from "./layout.ts"

const lines = (count: number) => "// a line\n".repeat(count)
const importing = (...names: readonly string[]) => names.map((name) => `import "./${name}.ts"\n`).join("")

test("a folder has at most 20 source files, tests not counted", () => {
  const files = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`packages/a/src/f${at}.ts`, lines(50)]))
  expect(findingsOf(layout, { ...files, "packages/a/src/f1.test.ts": "", "packages/a/src/testing/pods.ts": "" })).toEqual([])
  expect(findingsOf(layout, { ...files, "packages/a/src/more.ts": lines(50) })).toEqual([
    "packages/a/src:1 expected at most 20 source files in a folder, found 21; group them by subject",
  ])
  const tools = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`tools/a/f${at}.ts`, lines(50)]))
  expect(findingsOf(layout, tools)).toEqual(["tools/a:1 expected at most 20 source files in a folder, found 21; group them by subject"])
})

test("a file has at most 400 lines, a test and a tool too", () => {
  for (const file of ["packages/a/src/long.ts", "packages/a/src/long.test.ts", "tools/long.ts", "tests/real/long.ts"])
    expect(findingsOf(layout, { [file]: lines(401) })).toEqual([`${file}:400 expected at most 400 lines, found 401; split it by subject`])
  expect(findingsOf(layout, { "packages/api/src/generated/long.ts": lines(401) })).toEqual([])
})

test("a short file with a single importer beside it is refused", () => {
  const rest = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`packages/b/src/f${at}.ts`, lines(50)]))
  const tree = { ...rest, "packages/a/src/a.ts": importing("b") + lines(60), "packages/a/src/b.ts": lines(39) }
  expect(findingsOf(layout, tree)).toEqual([
    "packages/a/src/b.ts:1 expected at least 40 lines in a file with a single importer, found 39 lines, imported by a.ts; make it part of that file, or give the reason in layout-exceptions.ts",
  ])
  expect(findingsOf(layout, { ...tree, "packages/a/src/b.ts": lines(40) })).toEqual([])
  expect(findingsOf(layout, { ...tree, "packages/a/src/c.ts": importing("b") + lines(60) })).toEqual([])
})

test("at most three files in ten have a single importer", () => {
  const tree = Object.fromEntries(Array.from({ length: 3 }, (_, at) => [`packages/a/src/f${at}.ts`, importing(`g${at}`) + lines(50)]))
  const targets = Object.fromEntries(Array.from({ length: 3 }, (_, at) => [`packages/a/src/g${at}.ts`, lines(50)]))
  expect(findingsOf(layout, { ...tree, ...targets })).toEqual([
    "packages:1 expected at most 30 % of the source files with a single importer, found 3 of 6 (50.0 %); join files of one subject",
  ])
})

test("the rows of a registry table and files that are loaded at their first use may have a single importer", () => {
  const rows = Object.fromEntries(Array.from({ length: 3 }, (_, at) => [`packages/controllers/src/g${at}.ts`, lines(50)]))
  expect(findingsOf(layout, { ...rows, "packages/controllers/src/controllers.ts": importing("g0", "g1", "g2") })).toEqual([])
  expect(findingsOf(layout, { ...rows, "packages/controllers/src/other.ts": importing("g0", "g1", "g2") })).toHaveLength(1)
  const short = Object.fromEntries(Object.keys(rows).map((path) => [path, lines(10)]))
  expect(findingsOf(layout, { ...short, "packages/controllers/src/controllers.ts": importing("g0", "g1", "g2") })).toEqual([])
  const lazy = [0, 1, 2].map((at) => `const g${at} = () => import("./g${at}.ts")\n`).join("")
  expect(findingsOf(layout, { ...rows, "packages/controllers/src/other.ts": lazy })).toEqual([])
})
