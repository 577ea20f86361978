import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { BenchModule, BenchOptions, Row } from "../../benches/bench.ts"

export interface QuestionFailure {
  readonly question: string
  readonly message: string
}

/** What one run of a bench found, as it is written to a file and read by a comparison. */
export interface RunResult {
  readonly rows: readonly Row[]
  /** Questions that could not be answered: those of a comparison do not end it. */
  readonly failures: readonly QuestionFailure[]
}

export interface RunOptions extends BenchOptions {
  readonly only?: string
  /** True: a question that fails is noted; false: it ends the run. */
  readonly notesFailures: boolean
}

const folder = join(import.meta.dirname, "..", "..", "benches")

/** The file of a bench. */
export async function loadBench(name: string): Promise<BenchModule> {
  return import(pathToFileURL(join(folder, `${name}.ts`)).href)
}

/** Asks the questions of a bench one after the other. */
export async function runQuestions({ questions, finish }: BenchModule, options: RunOptions): Promise<RunResult> {
  const { only = "", all, notesFailures } = options
  const rows: Row[] = []
  const failures: QuestionFailure[] = []
  try {
    for (const question of questions.filter(({ name, long = false }) => name.includes(only) && (all || !long))) {
      console.log(`… ${question.name}`)
      try {
        rows.push(...(await question.run(options)))
      } catch (error) {
        if (!notesFailures) throw error
        failures.push({ question: question.name, message: (error as Error).message })
      }
    }
  } finally {
    await finish?.()
  }
  return { rows, failures }
}
