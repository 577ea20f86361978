/** One client: each answer has to come, and to be the one to its own question. */
export interface Lane extends Disposable {
  /** The name of the server that answered. Rejects when the answer is lost or wrong. */
  ask(question: string): Promise<string>
}

/**
 * Clients that ask one question after the other until they are stopped; nothing is asked twice.
 * Invariant: `sent` is how many questions have an answer or a failure.
 */
export class Load {
  sent = 0
  /** How often a client was answered by another server than the time before. */
  moves = 0
  readonly failures: string[] = []
  readonly answered = new Set<string>()
  readonly #stopped = new AbortController()
  readonly #lanes: readonly Promise<void>[]

  constructor(name: string, lanes: readonly Lane[]) {
    this.#lanes = lanes.map((lane, number) => this.#run(lane, `${name}-${number}`))
  }

  async stop(): Promise<this> {
    this.#stopped.abort()
    await Promise.all(this.#lanes)
    return this
  }

  async #run(lane: Lane, name: string): Promise<void> {
    using _open = lane
    let last: string | undefined
    for (let number = 0; !this.#stopped.signal.aborted; number++) {
      try {
        const who = await lane.ask(`${name}-${number}`)
        this.answered.add(who)
        if (last !== undefined && last !== who) this.moves++
        last = who
      } catch (error) {
        this.failures.push(`${name}-${number}: ${error instanceof Error ? error.message : String(error)}`)
      }
      this.sent++
    }
  }
}
