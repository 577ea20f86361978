import { kuryrSeen } from "./kuryr-seen.ts"

/** What kuryr takes: milliseconds, megabytes and counts. */
export type Theirs = { readonly [name in keyof typeof kuryrSeen]: number }

/** What was measured in this run, and what was seen earlier for the rest. */
export class TheirNumbers {
  readonly #measured: Partial<Theirs>

  constructor(measured: Partial<Theirs> = {}) {
    this.#measured = measured
  }

  /** For a row: the number, and words for what is measured that say where it is from. */
  of(name: keyof Theirs, what: string): { readonly what: string; readonly theirs: number } {
    const measured = this.#measured[name]
    return measured === undefined ? { what: `${what} (theirs: seen)`, theirs: kuryrSeen[name] } : { what, theirs: measured }
  }
}
