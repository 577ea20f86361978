/** Requests one after the other on a few lanes, until it is stopped: how many there were, and what went wrong. */
export class Load {
  sent = 0
  readonly failures: string[] = []
  readonly answers = new Map<string, number>()
  #running = true
  readonly #lanes: readonly Promise<void>[]

  constructor(call: () => Promise<string | readonly string[]>, isGood: (answer: string) => boolean, lanes = 4) {
    this.#lanes = Array.from({ length: lanes }, async () => {
      while (this.#running) {
        const answers = await call().catch((error: Error) => `error ${error.message}`)
        for (const answer of typeof answers === "string" ? [answers] : answers) {
          this.sent++
          this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1)
          if (!isGood(answer)) this.failures.push(answer)
        }
      }
    })
  }

  async stop(): Promise<this> {
    this.#running = false
    await Promise.all(this.#lanes)
    return this
  }
}
