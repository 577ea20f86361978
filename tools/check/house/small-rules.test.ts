import { describe, expect, test } from "vitest"
import { noFocusedTests } from "./focused-tests.ts"
import { machineNames } from "./forbidden/machine-names.ts"
import { dynamicImports } from "./imports/dynamic-imports.ts"
import { httpModulesAreNotImported } from "./imports/http-modules.ts"
import { indexFiles } from "./imports/index-files.ts"
import { fileNames } from "./layout/file-names.ts"
import { findingsOf, manifest } from "./testing/tree.ts"
import { suppressionsHaveReasons } from "./text/suppressions.ts"

describe("file names", () => {
  test.each([
    ["virtualClock.ts", "a name in kebab-case", "rename it"],
    ["Clock.ts", "a name in kebab-case", "rename it"],
    ["virtual_clock.ts", "a name in kebab-case", "rename it"],
    ["util.ts", "a name that says what is inside", "split it by subject"],
    ["utils.ts", "a name that says what is inside", "split it by subject"],
    ["helpers.ts", "a name that says what is inside", "split it by subject"],
    ["common.ts", "a name that says what is inside", "split it by subject"],
    ["misc.js", "a name that says what is inside", "split it by subject"],
  ])("%s is refused", (name, expected, fix) => {
    expect(findingsOf(fileNames, { [`packages/a/src/${name}`]: "" })).toEqual([
      `packages/a/src/${name}:1 expected ${expected}, found ${name}; ${fix}`,
    ])
  })

  test("kebab-case with a known ending is let through", () => {
    const names = [
      "clock.ts",
      "virtual-clock.test.ts",
      "patch.property.test.ts",
      "clock.contract.ts",
      "http2-edge.ts",
      "vitest.config.ts",
      "run.js",
    ]
    expect(findingsOf(fileNames, Object.fromEntries(names.map((name) => [`tools/${name}`, ""])))).toEqual([])
  })
})

describe("dynamic imports", () => {
  const check = (text: string) => findingsOf(dynamicImports, { "packages/cli/src/a.ts": text })

  test("a dynamic import of a package's index is refused", () => {
    expect(check('await import("@pilothouse/apiserver")')).toEqual([
      'packages/cli/src/a.ts:1 expected a dynamic import of a file that names what it needs, found import("@pilothouse/apiserver"); export the names from "@pilothouse/apiserver" in a file of their own, and import that',
    ])
  })

  test.each([
    'import { x } from "@pilothouse/apiserver"',
    'await import("./b.ts")',
    'await import("@pilothouse/cel/kubernetes")',
    'await import("yaml")',
  ])("%s is let through", (text) => {
    expect(check(text)).toEqual([])
  })
})

describe("suppressions", () => {
  const check = (comment: string) => findingsOf(suppressionsHaveReasons, { "a.ts": `\n${comment}\nexport {}` })
  const reason = "the type of this old library is wrong"

  test.each([
    "// @ts-expect-error",
    "// @ts-expect-error no",
    "// oxlint-disable-next-line no-explicit-any",
    "// oxlint-disable-next-line no-explicit-any --",
    "/* eslint-disable */",
    "// biome-ignore lint/x",
    "// biome-ignore format: x",
  ])("%s is refused", (comment) => {
    const found = comment.replace(/^\/[/*]|\*\/$/g, "").trim()
    expect(check(comment)).toEqual([
      `a.ts:2 expected a reason on the line, found ${found}; say why the tool is wrong here, or mend the code`,
    ])
  })

  test("@ts-ignore is refused, with a reason too", () => {
    expect(check(`// @ts-ignore ${reason}`)).toEqual([
      `a.ts:2 expected @ts-expect-error, which ends when its reason does, found @ts-ignore ${reason}; replace @ts-ignore by it, with the reason`,
    ])
  })

  test.each([
    `// @ts-expect-error ${reason}`,
    `// @ts-expect-error: ${reason}`,
    `// oxlint-disable-next-line typescript/no-explicit-any -- ${reason}`,
    `// biome-ignore format: ${reason}`,
    "// what @ts-ignore does is explained elsewhere",
  ])("%s is let through", (comment) => {
    expect(check(comment)).toEqual([])
  })
})

describe("tests that do not run", () => {
  const check = (text: string) => findingsOf(noFocusedTests, { "a.test.ts": text })

  // Written in two parts, so that this file does not break the rule that it tests.
  test.each(["only", "skip", "todo", "fails"])("a test's %s is refused", (word) => {
    expect(check(`\ntest.${word}("x", () => {})\ndescribe.${word}.each([1])("y", f)`)).toEqual([
      `a.test.ts:2 expected all tests to run, found test.${word}; mend it or remove it`,
      `a.test.ts:3 expected all tests to run, found describe.${word}; mend it or remove it`,
    ])
  })

  test("skipIf, and the words in other places, are let through", () => {
    expect(check('test.skipIf(!docker)("x", f)\noptions.only = true\nqueue.skip()')).toEqual([])
  })
})

describe("index files", () => {
  const house = { "packages/a/package.json": manifest("a") }
  const check = (text: string, file = "packages/a/src/index.ts") => findingsOf(indexFiles, { ...house, [file]: text })

  test.each([
    ['export * from "./a.ts"', "names, found export *; list what others may use"],
    ['export type * from "./a.ts"', "names, found export *; list what others may use"],
    ["export const a = 1", "only re-exports in an index, found export const a = 1; move the code to a file with a name and re-export it"],
    ['import "./a.ts"', 'only re-exports in an index, found import "./a.ts"; move the code to a file with a name and re-export it'],
  ])("%s is refused", (text, says) => {
    expect(check(text)).toEqual([`packages/a/src/index.ts:1 expected ${says}`])
  })

  test("named re-exports are let through, and all types in generated code", () => {
    expect(check('export { a, type B } from "./a.ts"\nexport type { C } from "./c.ts"')).toEqual([])
    expect(check('export type * from "./a.ts"', "packages/a/src/generated/index.ts")).toEqual([])
    expect(check("export const a = 1", "tools/x/index.ts")).toEqual([])
  })

  test("an index inside a package may be a table, but names what it passes on", () => {
    expect(check('import { get } from "./get.ts"\nexport const verbs = { get }', "packages/a/src/verbs/index.ts")).toEqual([])
    expect(check('export * from "./get.ts"', "packages/a/src/verbs/index.ts")).toHaveLength(1)
  })
})

describe("names of machines", () => {
  // Written in parts, so that this file does not break the rule that it tests.
  const [host, home] = [["registry", "npmjs", "org"].join("."), ["", "home", "ada", "src"].join("/")]

  test.each([
    [`see https://${host}/x`, "no registry host", host],
    [`cd ${home}`, "no path of one machine", ["", "home", "ada"].join("/")],
    [`"${["", "work", "main"].join("/")}"`, "no path of one machine", ["", "work", "main"].join("/")],
    [["C:", "Users", "ada"].join("\\"), "no path of one machine", ["C:", "Users", "a"].join("\\")],
  ])("%s is refused", (text, expected, found) => {
    expect(findingsOf(machineNames, { "docs/a.md": `# A\n\n${text}` })).toEqual([
      `docs/a.md:3 expected ${expected}, found ${found}; leave it to the settings of the user`,
    ])
  })

  test.each(["/home/user/.kube/config", "~/.kube/config", "/var/run/secrets", "https://example.com/home/ada", "/work/queue"])(
    "%s is let through",
    (text) => {
      expect(findingsOf(machineNames, { "docs/a.md": text })).toEqual([])
    },
  )
})

describe("Node's HTTP", () => {
  const check = (text: string, path = "packages/a/src/a.ts") => findingsOf(httpModulesAreNotImported, { [path]: text })

  test.each(['import { ServerResponse } from "node:http"', 'const { get } = await import("node:http")'])("%s is refused", (text) => {
    expect(check(text)).toEqual([
      "packages/a/src/a.ts:1 expected Node's HTTP without its fetch, found an import of node:http; " +
        'call process.getBuiltinModule("node:http") where it is used, and import only its types',
    ])
  })

  test.each([
    'import type { ServerResponse } from "node:http"',
    'type NodeHttp = typeof import("node:http")',
    'const { createServer } = process.getBuiltinModule("node:http")',
  ])("%s is let through", (text) => {
    expect(check(text)).toEqual([])
  })

  test("a test may import it", () => {
    expect(check('import { createServer } from "node:http"', "packages/a/src/a.test.ts")).toEqual([])
  })
})
