// npm run bench -- NAME: runs one bench and keeps its result, as data and in docs/benchmarks.md; with --only WORDS just the questions with those words, and nothing is kept.
// npm run bench -- NAME --base COMMIT: runs this tree and that of the commit in turn, and ends with 1 where this one is worse (docs/benchmarks.md).
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import type { BenchModule } from "../../benches/bench.ts"
import { type CompareArguments, type RunArguments, readArguments } from "./arguments.ts"
import { compareTrees } from "./compare-trees.ts"
import { writeDocumentedResults } from "./document.ts"
import { comparisonLines, comparisonTable, runTable } from "./report.ts"
import { loadBench, runQuestions } from "./run-questions.ts"
import { textTable } from "./text-table.ts"

const root = join(import.meta.dirname, "..", "..")
const benches = join(root, "benches")
const files = readdirSync(benches).filter((file) => file.endsWith(".ts") && !["bench.ts", "beside.ts"].includes(file))
const wanted = readArguments(
  process.argv.slice(2),
  files.map((file) => file.slice(0, -3)),
)
// The "exit" event is what ends started programs and removes folders; a signal alone does not raise it.
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)
  process.once(signal, () => process.exit(code))

switch (wanted.kind) {
  case "wrong":
    fail(wanted.message)
    break
  case "prepare":
    await (await loadBench(wanted.name)).prepare?.()
    break
  case "run":
    await run(wanted)
    break
  case "compare":
    await compare(wanted)
}

async function run({ name, out, ...options }: RunArguments): Promise<void> {
  const bench = await loadBench(name)
  const { only = "" } = options
  if (!bench.questions.some((question) => question.name.includes(only))) return fail(noQuestion(bench, only))
  const result = await runQuestions(bench, { ...options, notesFailures: true })
  for (const { question, message } of result.failures) console.error(`not measured: ${question}: ${message}`)
  if (result.failures.length > 0) process.exitCode = 1
  if (out !== undefined) return write(resolve(out), result)
  console.log(textTable(runTable(result.rows)))
  if (options.only !== undefined || !options.peers || result.failures.length > 0) return
  mkdirSync(join(benches, "results"), { recursive: true })
  write(join(benches, "results", `${name}.json`), { name, rows: result.rows })
  writeDocumentedResults(root)
}

function noQuestion({ questions }: BenchModule, only: string): string {
  return `expected words of a question after --only, found "${only}"; the questions are:\n  ${questions.map(({ name }) => name).join("\n  ")}`
}

async function compare(given: CompareArguments): Promise<void> {
  try {
    const comparison = await compareTrees(root, given)
    console.log(textTable(comparisonTable(comparison)))
    for (const line of comparisonLines(comparison)) console.log(line)
    if (given.out !== undefined) write(resolve(given.out), comparison)
    const isWorse = comparison.failed || comparison.rows.some(({ verdict }) => verdict === "regression")
    process.exitCode = isWorse ? 1 : 0
  } catch (error) {
    fail((error as Error).message)
  }
}

function fail(message: string): void {
  console.error(message)
  process.exitCode = 2
}

function write(file: string, value: object): void {
  writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`)
}
