// Both trees in turn, a new process for each round: what one leaves behind in memory is not paid for by the other.
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Row } from "../../benches/bench.ts"
import type { CompareArguments } from "./arguments.ts"
import { makeBaseTree, resolveCommit } from "./base-tree.ts"
import type { RunResult } from "./run-questions.ts"
import { type ComparedRow, compareRow } from "./verdict.ts"

type Tree = "here" | "base"

/** Every round of both trees, in the order in which they ran. */
export type Rounds = Readonly<Record<Tree, readonly RunResult[]>>

export interface Comparison {
  readonly name: string
  readonly base: string
  readonly rounds: number
  readonly rows: readonly ComparedRow[]
  /** Rows that only one of the trees has in every round, and why where a question failed. */
  readonly unmatched: readonly string[]
  /** True: a question failed in this tree. */
  readonly failed: boolean
}

/** Runs the rounds and compares them. */
export async function compareTrees(root: string, wanted: CompareArguments): Promise<Comparison> {
  const commit = resolveCommit(root, wanted.base)
  const out = mkdtempSync(join(tmpdir(), "pilothouse-rounds-"))
  const removeOut = () => rmSync(out, { recursive: true, force: true })
  process.once("exit", removeOut)
  try {
    console.error(`… the tree of ${commit.slice(0, 12)}`)
    using base = makeBaseTree(root, commit)
    const folders = { here: root, base: base.folder }
    for (const tree of ["here", "base"] as const) {
      console.error(`… builds for ${wanted.name}, ${nameOf(tree)}`)
      await runTool(folders[tree], [wanted.name, "--prepare"])
    }
    return compareRounds(wanted.name, commit, await runRounds(folders, wanted, join(out, "rows.json")))
  } finally {
    removeOut()
    process.removeListener("exit", removeOut)
  }
}

async function runRounds(folders: Readonly<Record<Tree, string>>, wanted: CompareArguments, file: string): Promise<Rounds> {
  const flags = [
    "--no-peers",
    "--prepared",
    `--out=${file}`,
    ...(wanted.only === undefined ? [] : ["--only", wanted.only]),
    ...(wanted.all ? ["--all"] : []),
  ]
  const found: Record<Tree, RunResult[]> = { here: [], base: [] }
  for (let round = 0; round < wanted.rounds; round++) {
    for (const tree of orderOf(round)) {
      const started = performance.now()
      await runTool(folders[tree], [wanted.name, ...flags])
      found[tree].push(JSON.parse(readFileSync(file, "utf8")))
      rmSync(file)
      const seconds = ((performance.now() - started) / 1000).toFixed(0)
      console.error(`… round ${round + 1} of ${wanted.rounds}, ${nameOf(tree)}: ${seconds} s`)
    }
  }
  return found
}

/** A B, B A, A B …: a machine that gets slower or faster meanwhile favours neither. */
export function orderOf(round: number): readonly Tree[] {
  return round % 2 === 0 ? ["here", "base"] : ["base", "here"]
}

/** Rows are matched by their words; only those that every round of both trees has are compared. */
export function compareRounds(name: string, base: string, rounds: Rounds): Comparison {
  const [here, there] = [valuesOf(rounds.here), valuesOf(rounds.base)]
  const rows = [...here.values()].flatMap(({ row, values }) => {
    const other = there.get(row.what)?.values
    return other?.length === rounds.base.length && values.length === rounds.here.length ? [compareRow(row, values, other)] : []
  })
  const compared = new Set(rows.map(({ what }) => what))
  const missing = (tree: Tree, from: ReturnType<typeof valuesOf>) =>
    [...from.keys()].filter((what) => !compared.has(what)).map((what) => `${nameOf(tree)} has a row of its own: ${what}`)
  return {
    name,
    base,
    rounds: rounds.here.length,
    rows,
    unmatched: [
      ...failuresOf("here", rounds.here),
      ...failuresOf("base", rounds.base),
      ...missing("here", here),
      ...missing("base", there),
    ],
    failed: rounds.here.some(({ failures }) => failures.length > 0),
  }
}

function failuresOf(tree: Tree, results: readonly RunResult[]): readonly string[] {
  const messages = results.flatMap(({ failures }) => failures.map(({ question, message }) => `"${question}": ${message}`))
  return [...new Set(messages)].map((message) => `${nameOf(tree)} cannot answer ${message}`)
}

function valuesOf(results: readonly RunResult[]): ReadonlyMap<string, { readonly row: Row; readonly values: readonly number[] }> {
  const found = new Map<string, { row: Row; values: number[] }>()
  for (const row of results.flatMap(({ rows }) => rows)) {
    const before = found.get(row.what)
    if (before === undefined) found.set(row.what, { row, values: [row.ours] })
    else before.values.push(row.ours)
  }
  return found
}

function nameOf(tree: Tree): string {
  return tree === "here" ? "this tree" : "the base"
}

/** The bench of a tree as a process of its own; throws with its last words where it fails. */
async function runTool(folder: string, args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, ["tools/run.js", "tools/bench/main.ts", ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  })
  const kill = () => void child.kill("SIGTERM")
  // Before its folder is removed.
  process.prependOnceListener("exit", kill)
  const said = lastWords(child)
  const [code] = await once(child, "close")
  process.removeListener("exit", kill)
  if (code !== 0) throw new Error(`the bench ended with ${code ?? "a signal"} in ${folder}:\n${said()}`)
}

function lastWords(child: ChildProcess): () => string {
  let said = ""
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-4000)
    })
  return () => said
}
