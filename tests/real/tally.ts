/** One group of cases, such as the 500 JSON patches: counts them, and shows the first few that differ. */
export interface Group {
  /** Undefined: the answers are equal. */
  case(name: string, difference: string | undefined): void
  /** A fact worth a line, neither passed nor failed. */
  note(text: string): void
}

const shownDifferences = 5

/** Counts every case of a run. Between calls: `passed` + `failed` is the number of cases so far. */
export class Tally {
  passed = 0
  failed = 0
  skipped = 0
  readonly #print: (line: string) => void

  constructor(print: (line: string) => void) {
    this.#print = print
  }

  skip(suite: string, reason: string): void {
    this.skipped++
    this.#print(`skipped ${suite}: ${reason}`)
  }

  /** A group that throws has failed once more: what it did not get to is not counted as passed. */
  async group(name: string, run: (group: Group) => Promise<void>): Promise<void> {
    const before = { passed: this.passed, failed: this.failed }
    const notes: string[] = []
    try {
      await run({ case: (title, difference) => this.#case(title, difference, before.failed), note: (text) => notes.push(text) })
    } catch (error) {
      this.#case(name, error instanceof Error ? (error.stack ?? error.message) : String(error), before.failed)
    }
    const failed = this.failed - before.failed
    this.#print(
      `${failed === 0 ? "ok    " : "FAILED"} ${name}: ${this.passed - before.passed} equal${failed === 0 ? "" : `, ${failed} differ`}`,
    )
    for (const note of notes) this.#print(`       ${note}`)
  }

  #case(name: string, difference: string | undefined, failedBefore: number): void {
    if (difference === undefined) {
      this.passed++
      return
    }
    if (this.failed - failedBefore < shownDifferences) this.#print(`differs: ${name}\n${indented(difference)}`)
    this.failed++
  }

  toString(): string {
    return `${this.passed} passed, ${this.failed} failed${this.skipped === 0 ? "" : `, ${this.skipped} skipped`}`
  }
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, "    ")
}
