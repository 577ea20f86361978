// Runs one bench and keeps its result as data: npm run bench -- <name>. With --only <words> just the questions with those words in their name; nothing is kept.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { parseArgs } from "node:util"
import type { Bench, Row } from "../benches/bench.ts"

const folder = join(import.meta.dirname, "..", "benches")
const { values, positionals } = parseArgs({ allowPositionals: true, options: { only: { type: "string" } } })
const [name] = positionals
if (name !== undefined && existsSync(join(folder, `${name}.ts`))) await run(name)
else {
  const known = readdirSync(folder).filter((file) => file.endsWith(".ts") && file !== "bench.ts")
  console.error(
    `expected the name of a bench, found ${name ?? "none"}; there are ${known.map((file) => file.slice(0, -3)).join(", ") || "none yet"}`,
  )
  process.exitCode = 2
}

interface Questions {
  readonly questions: readonly Bench[]
  /** Ends what the questions shared. */
  readonly finish?: () => Promise<void>
}

async function run(bench: string): Promise<void> {
  const { questions, finish }: Questions = await import(pathToFileURL(join(folder, `${bench}.ts`)).href)
  const rows: Row[] = []
  try {
    for (const question of questions.filter((one) => one.name.includes(values.only ?? ""))) {
      console.log(`… ${question.name}`)
      rows.push(...(await question.run()))
    }
  } finally {
    await finish?.()
  }
  console.table(
    rows.map(({ what, ours, theirs, unit, ratio, goal, met }) => ({
      what,
      ours: round(ours),
      theirs: theirs && round(theirs),
      unit,
      ratio: ratio && round(ratio),
      goal,
      met,
    })),
  )
  if (values.only !== undefined) return
  mkdirSync(join(folder, "results"), { recursive: true })
  writeFileSync(join(folder, "results", `${bench}.json`), `${JSON.stringify({ name: bench, rows }, undefined, 2)}\n`)
}

function round(value: number): number {
  return Number(value.toPrecision(3))
}
