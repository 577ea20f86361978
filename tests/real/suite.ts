import type { SeededRandom } from "@pilothouse/seams"
import type { Tally } from "./tally.ts"

/** One folder of tests/real: a suite that is judged by real components. */
export interface Suite {
  /** Why it cannot run here, in words that say what to do; undefined when it can. */
  skipReason(): string | undefined
  run(context: SuiteContext): Promise<void>
}

export interface SuiteContext {
  readonly tally: Tally
  /** Everything random comes from here: the seed that is printed gives the same run again. */
  readonly random: SeededRandom
  /** How many random histories a suite tries that has some. */
  readonly histories?: number
}
