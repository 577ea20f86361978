import { foreignDirectory } from "./failures.ts"

/** What a file is called until it is whole. */
export const unfinished = ".new"

/** The file that says which log is the newest. */
export const manifestName = "manifest"

/** "log-00000012": changes. "snapshot-00000012": what stood before log 12, in place of the logs up to 11. */
export function fileName(kind: "log" | "snapshot", number: number): string {
  return `${kind}-${String(number).padStart(8, "0")}`
}

export interface DirectoryContents {
  /** Numbers, ascending. */
  readonly logs: readonly number[]
  readonly snapshots: readonly number[]
  /** Not so in a new directory, nor in one whose first run ended before it had written anything. */
  readonly hasManifest: boolean
  /** What a crash left half written. */
  readonly unfinished: readonly string[]
}

/** Refuses a directory with foreign files: another program may use it. */
export function contentsOf(directory: string, names: readonly string[]): DirectoryContents {
  const foreign = names.filter((name) => !/^(log-\d{8,}|snapshot-\d{8,}|manifest)(\.([0-9a-f]{8}\.)?new)?$/.test(name))
  if (foreign.length > 0) throw foreignDirectory(directory, foreign)
  const whole = names.filter((name) => !name.endsWith(unfinished))
  const numbers = (kind: string) => whole.filter((name) => name.startsWith(kind)).map((name) => Number(name.slice(kind.length + 1)))
  return {
    logs: numbers("log").sort((left, right) => left - right),
    snapshots: numbers("snapshot").sort((left, right) => left - right),
    hasManifest: names.includes(manifestName),
    unfinished: names.filter((name) => name.endsWith(unfinished)),
  }
}
