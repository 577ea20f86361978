import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

const root = join(import.meta.dirname, "..", "..")
const guides = join(root, "docs", "guides")

interface Block {
  readonly from: string
  readonly code: string
}

/** The ts blocks of a guide that say which file they are from. */
function blocksOf(guide: string): readonly Block[] {
  const text = readFileSync(join(guides, guide), "utf8")
  return [...text.matchAll(/<!-- from: (\S+) -->\n```ts\n(.*?)```/gs)].map(([, from = "", code = ""]) => ({ from, code }))
}

const blocks = readdirSync(guides).flatMap((guide) => blocksOf(guide).map((block) => ({ guide, ...block })))

test.each(blocks)("what $guide shows of $from is in it", ({ from, code }) => {
  expect(readFileSync(join(root, from), "utf8")).toContain(code)
})

test("every program that write-a-controller.md shows is from a file that tests run", () => {
  const text = readFileSync(join(guides, "write-a-controller.md"), "utf8")
  expect(blocksOf("write-a-controller.md")).toHaveLength(text.split("```ts\n").length - 1)
})
