import type { SeededRandom } from "@pilothouse/seams"

export interface SoakContext {
  readonly random: SeededRandom
  /** What --name said, or the number that is usual. */
  number(name: string, usual: number): number
  /** The numbers of `--name 1,5,8`; undefined where it was not given. */
  numbers(name: string): readonly number[] | undefined
  print(line: string): void
  /** Counts one case; the message says what was wrong. */
  passed(count?: number): void
  failed(message: string): void
}

/** Something that runs long in search of what is rare: npm run soak -- <name> [--rounds n] [--seed n]. */
export type Soak = (context: SoakContext) => Promise<void>
