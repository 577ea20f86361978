import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

const root = join(import.meta.dirname, "..", "..")
const guides = join(root, "docs", "guides")

interface Block {
  readonly from: string
  readonly code: string
}

/** The blocks of a guide that say which file they are from. */
function blocksOf(guide: string): readonly Block[] {
  const text = readFileSync(join(guides, guide), "utf8")
  return [...text.matchAll(/<!-- from: (\S+) -->\n```(?:ts|yaml)\n(.*?)```/gs)].map(([, from = "", code = ""]) => ({ from, code }))
}

const blocks = readdirSync(guides).flatMap((guide) => blocksOf(guide).map((block) => ({ guide, ...block })))

test.each(blocks)("what $guide shows of $from is in it", ({ from, code }) => {
  expect(readFileSync(join(root, from), "utf8")).toContain(code)
})

test.each(["custom-resources.md", "write-a-controller.md"])("every program that %s shows is from a file that tests run", (guide) => {
  const text = readFileSync(join(guides, guide), "utf8")
  expect(blocksOf(guide)).toHaveLength(text.split(/```(?:ts|yaml)\n/).length - 1)
})
