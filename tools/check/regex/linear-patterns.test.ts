import { describe, expect, it } from "vitest"
import { parseModule } from "../house/tree/module.ts"
import { linearPatterns } from "./linear-patterns.ts"
import { patternsIn } from "./patterns.ts"
import { verdictOf } from "./verdict.ts"

const file = "packages/api/src/sample.ts"

function findingsIn(text: string, exemptions: Parameters<typeof linearPatterns>[0] = []) {
  return linearPatterns(exemptions, verdictOf).check({ modules: [parseModule(file, text)], manifests: [], texts: [] })
}

describe("the verdict on an expression", () => {
  it.each([
    ["a path that ends in slashes, searched from every place", String.raw`^\/+|\/+$`, "g"],
    ["digits that several parts can take", "^([+-]?)0*([0-9]*)\\.?([0-9]*)([eEinumkKMGTP]*[-+]?[0-9]*)$", ""],
    ["a duration that is searched for", String.raw`(\d+(?:\.\d+)?)(ms|us|ns|h|m|s)`, "g"],
    ["a repetition in a repetition", "^(a+)+$", ""],
  ])("finds %s", (_, source, flags) => {
    expect(verdictOf(source, flags).status).toBe("superlinear")
  })

  it.each([
    ["a sticky duration", String.raw`(\d*)(?:\.(\d*))?(ns|us|ms|s|m|h)`, "gy"],
    ["a DNS name", String.raw`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`, ""],
    ["one run of spaces", String.raw`\s+`, "g"],
  ])("proves %s linear", (_, source, flags) => {
    expect(verdictOf(source, flags).status).toBe("linear")
  })

  it("proves nothing about a back-reference", () => {
    expect(verdictOf(String.raw`^(["'])(.*)\1$`, "").status).toBe("unproven")
  })
})

describe("the expressions of a module", () => {
  it("are literals, and calls of RegExp with their constants filled in", () => {
    const text =
      'const word = "[a-z]+"\nconst two = `${word} ${word}`\nconst a = /x/g\nconst b = new RegExp(`^${two}$` + "", "i")\nconst c = (d) => RegExp(d)'
    expect(patternsIn(parseModule(file, text)).map(({ line, source, flags }) => [line, source, flags])).toEqual([
      [3, "x", "g"],
      [4, "^[a-z]+ [a-z]+$", "i"],
      [5, undefined, ""],
    ])
  })
})

describe("the rule", () => {
  it("reports a quadratic literal with its place and an attack", () => {
    expect(findingsIn("\nconst end = /=+$/")).toMatchObject([
      { file, line: 2, found: expect.stringContaining("polynomial time for '='.repeat(") },
    ])
  })

  it("reports an expression that is put together at run time", () => {
    expect(findingsIn("export const of = (text: string) => new RegExp(text)")).toMatchObject([
      { line: 1, found: expect.stringContaining("run time") },
    ])
  })

  it("accepts linear ones, and those of test files", () => {
    expect(findingsIn("const digits = /^[0-9]+$/")).toEqual([])
    const test = parseModule("packages/api/src/sample.test.ts", "const end = /=+$/")
    expect(linearPatterns([], verdictOf).check({ modules: [test], manifests: [], texts: [] })).toEqual([])
  })

  it("accepts what the list exempts, and reports an entry that is not needed", () => {
    const exemption = { file, written: "/=+$/", reason: "a test" }
    expect(findingsIn("const end = /=+$/", [exemption])).toEqual([])
    expect(findingsIn("const end = /=/", [exemption])).toMatchObject([{ file: "tools/check/regex/exemptions.ts" }])
  })
})
