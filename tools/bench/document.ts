import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Row } from "../../benches/bench.ts"
import { chart } from "./chart.ts"
import { runTable } from "./report.ts"

interface KeptResult {
  readonly name: string
  readonly rows: readonly Row[]
}

/** A file of the documents that is made from benches/results. */
export interface MadeFile {
  readonly path: string
  readonly text: string
}

/** docs/benchmarks.md with the tables of all kept results, and a chart of each. */
export function documentedResults(root: string): readonly MadeFile[] {
  const results = keptResults(join(root, "benches", "results"))
  const path = join(root, "docs", "benchmarks.md")
  const text = results.reduce(withTable, readFileSync(path, "utf8"))
  const charts = results.map(({ name, rows }) => ({ path: join(root, "docs", "images", `bench-${name}.svg`), text: chart(name, rows) }))
  return [{ path, text }, ...charts]
}

export function writeDocumentedResults(root: string): void {
  mkdirSync(join(root, "docs", "images"), { recursive: true })
  for (const { path, text } of documentedResults(root)) writeFileSync(path, text)
}

function keptResults(folder: string): readonly KeptResult[] {
  return readdirSync(folder)
    .toSorted()
    .map((file): KeptResult => JSON.parse(readFileSync(join(folder, file), "utf8")))
}

function withTable(document: string, { name, rows }: KeptResult): string {
  const [begin, end] = [`<!-- results: ${name} -->`, "<!-- end -->"]
  const from = document.indexOf(begin)
  const to = document.indexOf(end, from)
  if (from === -1 || to === -1)
    throw new Error(
      `expected "${begin}" and "${end}" in docs/benchmarks.md for benches/results/${name}.json, found none: add a section for it`,
    )
  return `${document.slice(0, from + begin.length)}\n${markdownTable(rows)}\n${document.slice(to)}`
}

function markdownTable(rows: readonly Row[]): string {
  const columns = ["what", "ours", "theirs", "unit", "ratio", "goal", "met"] as const
  const table = runTable(rows)
  const used = columns.filter((column) => table.some((row) => (row[column] ?? "") !== ""))
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`.replaceAll("|  |", "| |").replaceAll("|  |", "| |")
  return [line(used), line(used.map(() => "---")), ...table.map((row) => line(used.map((column) => row[column] ?? "")))].join("\n")
}
