// The changelog merges by union: two branches that add lines meet without a conflict, and what meets twice is found here.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

const changelog = readFileSync(join(import.meta.dirname, "..", "..", "CHANGELOG.md"), "utf8")
const sections = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
const longest = 400

/** The text of each version, by its heading. */
const versions = changelog.split(/^## /m).slice(1)

const bullets = changelog.split("\n").filter((line) => line.startsWith("- "))

test("the newest version is the unreleased one, and the others have a number and a date", () => {
  const [first, ...released] = versions.map((text) => text.split("\n")[0])
  expect(first).toBe("[Unreleased]")
  expect(released.filter((heading) => !/^\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d$/.test(heading ?? ""))).toEqual([])
})

test.each(versions)("a version has each section at most once, in the order of Keep a Changelog", (text) => {
  const found = [...text.matchAll(/^### (.*)$/gm)].map(([, name = ""]) => name)
  expect(found).toEqual(sections.filter((section) => found.includes(section)))
  expect(text.split(/^### /m)[0]).not.toMatch(/^- /m)
})

test("no line is there twice, and each is short", () => {
  expect(bullets.filter((line, index) => bullets.indexOf(line) !== index)).toEqual([])
  expect(bullets.filter((line) => line.length > longest)).toEqual([])
})
