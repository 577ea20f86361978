// A page of parity is read one section at a time: each says where its sources are, and what is equal, different or missing, in sentences.
import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"

const root = join(import.meta.dirname, "..", "..")
const matrix = readFileSync(join(root, "docs", "parity.md"), "utf8")
const pages = globSync("docs/parity/*.md", { cwd: root }).toSorted()

interface Section {
  readonly heading: string
  readonly text: string
}

function sectionsOf(page: string): readonly Section[] {
  const [, ...sections] = readFileSync(join(root, page), "utf8").split(/^## /m)
  return sections.map((section) => ({ heading: section.split("\n")[0] ?? "", text: section.slice(section.indexOf("\n")) }))
}

const bulletsOf = (text: string) => text.split("\n").filter((line) => line.startsWith("- "))

/** The name by which GitHub links to a heading. */
function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-")
}

describe.each(pages)("%s", (page) => {
  const sections = sectionsOf(page)

  test.each(sections)("$heading names sources that exist, and says what is equal, different or missing", ({ text }) => {
    const sources = /^Sources: (.*)\.$/m.exec(text)?.[1] ?? ""
    const paths = [...sources.matchAll(/`(packages\/[^`]+)`/g)].map(([, path = ""]) => path)
    expect(sources).not.toBe("")
    expect(paths.filter((path) => globSync(path, { cwd: root }).length === 0)).toEqual([])
    expect(text).toMatch(/^\*\*(Equal|Different|Missing)\*\*/m)
  })

  test.each(sections)("$heading has bullets that are sentences, each below a lead", ({ text }) => {
    const bullets = bulletsOf(text)
    expect(bullets.filter((bullet) => !/[.)]$/.test(bullet) || bullet.split(" ").length < 4)).toEqual([])
    expect(bulletsOf(text.split(/^\*\*/m)[0] ?? "")).toEqual([])
  })

  test("the suites that it names exist", () => {
    const text = readFileSync(join(root, page), "utf8")
    const folders = [...text.matchAll(/`npx vitest run ([^`]+)`/g)].flatMap(([, paths = ""]) => paths.split(" "))
    const suites = [...text.matchAll(/`npm run test:real([^`]*)`((?:, `-- [\w-]+`)*)/g)].flatMap(([all = ""]) =>
      [...all.matchAll(/-- ([\w-]+)/g)].map(([, name = ""]) => join("tests", "real", name)),
    )
    expect([...folders, ...suites].filter((path) => !path.includes("NAME") && !existsSync(join(root, path)))).toEqual([])
  })
})

test("every row of the matrix leads to a section that exists, and every section has a row", () => {
  const links = [...matrix.matchAll(/\]\((parity\/[\w-]+\.md)#([^)]*)\)/g)].map(([, page = "", name = ""]) => `docs/${page}#${name}`)
  const headings = pages.flatMap((page) => sectionsOf(page).map(({ heading }) => `${page}#${anchor(heading)}`))
  expect(links.filter((link) => !headings.includes(link))).toEqual([])
  expect(headings.filter((heading) => !links.includes(heading))).toEqual([])
})

test("the word of each row follows from the lists of its section", () => {
  const texts = new Map<string, string>(
    pages.flatMap((page) => sectionsOf(page).map(({ heading, text }) => [`${page}#${anchor(heading)}`, text] as const)),
  )
  const rows = [...matrix.matchAll(/^\| (.*?) \| (yes, differs|yes|partly|no) \| .*\]\((parity\/[\w-]+\.md#[^)]*)\)\) \|$/gm)]
  const wrong = rows.filter(([, , word = "", link = ""]) => word !== wordOf(texts.get(`docs/${link}`) ?? ""))
  expect(rows.length).toBeGreaterThan(80)
  expect(wrong.map(([, name, word]) => [name, word])).toEqual([])
})

function wordOf(text: string): string {
  const has = (lead: string) => text.includes(`\n**${lead}`)
  if (has("Missing")) return has("Equal") || has("Different") ? "partly" : "no"
  return has("Different") ? "yes, differs" : "yes"
}
