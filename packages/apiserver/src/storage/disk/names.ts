import { foreignDirectory } from "./failures.ts"

/** What a file is called until it is whole. */
export const unfinished = ".new"

/** "log-00000012": changes. "snapshot-00000012": what stood before log 12, in place of the logs up to 11. */
export function fileName(kind: "log" | "snapshot", number: number): string {
  return `${kind}-${String(number).padStart(8, "0")}`
}

export interface DirectoryContents {
  /** Numbers, ascending. */
  readonly logs: readonly number[]
  readonly snapshots: readonly number[]
  /** What a crash left half written. */
  readonly unfinished: readonly string[]
}

/** Refuses a directory with anything in it that is not ours: it may be somebody's. */
export function contentsOf(directory: string, names: readonly string[]): DirectoryContents {
  const foreign = names.filter((name) => !/^(log|snapshot)-\d{8,}(\.new)?$/.test(name))
  if (foreign.length > 0) throw foreignDirectory(directory, foreign)
  const whole = names.filter((name) => !name.endsWith(unfinished))
  const numbers = (kind: string) => whole.filter((name) => name.startsWith(kind)).map((name) => Number(name.slice(kind.length + 1)))
  return {
    logs: numbers("log").sort((left, right) => left - right),
    snapshots: numbers("snapshot").sort((left, right) => left - right),
    unfinished: names.filter((name) => name.endsWith(unfinished)),
  }
}
