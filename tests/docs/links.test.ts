import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const documents = globSync(["*.md", "docs/**/*.md", "packages/*/README.md"], { cwd: root })

/** Links to files of the project; addresses and anchors are not looked at. */
function fileLinks(text: string): readonly string[] {
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? "")
  return targets.filter((target) => !/^(https?:|#|mailto:)/.test(target)).map((target) => target.replace(/#.*$/, ""))
}

test("there are documents to look at", () => {
  expect(documents).toContain("ARCHITECTURE.md")
})

describe.each(documents)("%s", (document) => {
  test("every link leads to a file that exists", () => {
    const links = fileLinks(readFileSync(join(root, document), "utf8"))
    const missing = links.filter((link) => !existsSync(join(root, dirname(document), link)))
    expect(missing).toEqual([])
  })
})

test("the walk of one event goes through every room it names, each step another file", () => {
  const walk = /## The walk of one event([\s\S]*?)\n## /.exec(readFileSync(join(root, "ARCHITECTURE.md"), "utf8"))?.[1] ?? ""
  const steps = [...walk.matchAll(/^\d+\. .*$/gm)].map((match) => match[0])
  const files = steps.flatMap(fileLinks)
  expect(steps).toHaveLength(13)
  expect(new Set(files).size).toBe(files.length)
  for (const room of ["apiserver", "runtime", "controllers"]) expect(files.some((file) => file.startsWith(`packages/${room}/`))).toBe(true)
})
