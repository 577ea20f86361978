import { parseArgs } from "node:util"

/** One run of a bench in this tree. */
export interface RunArguments {
  readonly kind: "run"
  readonly name: string
  /** Words in the names of the questions that are asked; undefined: all. */
  readonly only?: string
  /** Where the rows are written; undefined: benches/results, unless `only` is given. */
  readonly out?: string
  readonly peers: boolean
  readonly all: boolean
  readonly prepared: boolean
}

/** Builds what the questions of a bench run, and ends. */
export interface PrepareArguments {
  readonly kind: "prepare"
  readonly name: string
}

/** A comparison of this tree with the tree of a commit. */
export interface CompareArguments {
  readonly kind: "compare"
  readonly name: string
  readonly base: string
  readonly rounds: number
  readonly only?: string
  readonly out?: string
  readonly all: boolean
}

export interface WrongArguments {
  readonly kind: "wrong"
  readonly message: string
}

export type BenchArguments = RunArguments | PrepareArguments | CompareArguments | WrongArguments

/** Fewer rounds cannot be distinguished from a machine that was busy for a while. */
const minRounds = 7

const options = {
  only: { type: "string" },
  base: { type: "string" },
  rounds: { type: "string" },
  out: { type: "string" },
  all: { type: "boolean" },
  // What a comparison gives to the processes of its rounds.
  "no-peers": { type: "boolean" },
  prepared: { type: "boolean" },
  prepare: { type: "boolean" },
} as const

type Values = ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true }>>["values"]

/** Reads `NAME [--base COMMIT] [--rounds N] [--only WORDS] [--all] [--out FILE]`; `known` are the names of the benches. */
export function readArguments(args: readonly string[], known: readonly string[]): BenchArguments {
  const parsed = parsedOrMessage(args)
  if (typeof parsed === "string") return wrong(parsed)
  const { values, positionals } = parsed
  const [name, ...rest] = positionals
  if (name === undefined || !known.includes(name))
    return wrong(`expected the name of a bench, found ${name ?? "none"}; there are ${known.join(", ") || "none yet"}`)
  if (rest.length > 0) return wrong(`expected the name of one bench, found ${positionals.join(" ")}; run them one after the other`)
  if (values.prepare) return { kind: "prepare", name }
  return values.base === undefined ? runOf(name, values) : comparisonOf(name, values.base, values)
}

function runOf(name: string, values: Values): BenchArguments {
  if (values.rounds !== undefined) return wrong(`expected --rounds together with --base COMMIT, found --rounds ${values.rounds} alone`)
  const { only, out, prepared = false } = values
  const peers = values["no-peers"] !== true
  return { kind: "run", name, only, out, peers, all: peers || values.all === true, prepared }
}

function comparisonOf(name: string, base: string, values: Values): BenchArguments {
  const { only, out, all = false, rounds = String(minRounds) } = values
  if (base === "") return wrong("expected a commit after --base, found nothing; for example --base HEAD~1")
  if (!/^\d{1,3}$/.test(rounds) || Number(rounds) < minRounds)
    return wrong(`expected --rounds with a whole number from ${minRounds} to 999, found ${rounds}`)
  return { kind: "compare", name, base, rounds: Number(rounds), only, out, all }
}

function parsedOrMessage(
  args: readonly string[],
): string | ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true }>> {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options })
  } catch (error) {
    return (error as Error).message
  }
}

function wrong(message: string): WrongArguments {
  return { kind: "wrong", message }
}
