// A wall of text is not read, nor a table whose cells are paragraphs.
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

const root = join(import.meta.dirname, "..", "..")
const maxWords = 120
const maxCell = 200

/** Documents that are to be rewritten still. None may join them. */
const toBeRewritten: ReadonlySet<string> = new Set([
  "SECURITY.md",
  "docs/adr/0005-own-writes-guard.md",
  "docs/adr/0006-storage-is-a-log.md",
  "docs/adr/0007-xds-messages.md",
  "docs/reference/cli.md",
])

const documents = globSync(["*.md", "docs/**/*.md", "packages/*/README.md", "deploy/*.md"], { cwd: root }).toSorted()

test.each(documents.filter((document) => !toBeRewritten.has(document)))(
  "%s has no paragraph over 120 words and no table cell over 200 characters",
  (document) => {
    expect(tooLong(readFileSync(join(root, document), "utf8"))).toEqual([])
  },
)

test.each([...toBeRewritten])("%s is still too long somewhere, else it would not be on the list", (document) => {
  expect(tooLong(readFileSync(join(root, document), "utf8")).length).toBeGreaterThan(0)
})

test("what is too long is found", () => {
  const words = (count: number) => Array.from({ length: count }, () => "word").join(" ")
  expect(tooLong(`${words(120)}\n\n${words(60)}\n${words(60)}`)).toEqual([])
  expect(tooLong(`${words(60)}\n${words(61)}`)).toHaveLength(1)
  expect(tooLong(`- ${words(100)}\n- ${words(100)}`)).toEqual([])
  expect(tooLong(`| a | ${"x".repeat(200)} |`)).toEqual([])
  expect(tooLong(`| a | ${"x".repeat(201)} |`)).toHaveLength(1)
  expect(tooLong(`\`\`\`\n${words(200)}\n\`\`\``)).toEqual([])
})

function tooLong(markdown: string): readonly string[] {
  const lines = markdown.replace(/^(```|~~~)[\s\S]*?^\1/gm, "").split("\n")
  const cells = lines.filter((line) => line.startsWith("|")).flatMap((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
  const prose = lines.map((line) => (line.startsWith("|") ? "" : line)).join("\n")
  const paragraphs = prose.split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/).map((paragraph) => paragraph.trim())
  return [
    ...paragraphs.filter((paragraph) => paragraph.split(/\s+/).length > maxWords),
    ...cells.filter((cell) => shown(cell).length > maxCell),
  ]
}

/** A cell as it is shown: a link is its text. */
function shown(cell: string): string {
  return cell.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
}
