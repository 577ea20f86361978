import type { Clock } from "@pilothouse/seams"

/** As upstream's components: longer, and somebody who lost a right would keep it; not at all, and each scrape would cost the server two reviews. */
const keptFor = 10_000
const mostKept = 1000

interface Kept<Answer> {
  readonly answer: Answer
  /** By the clock's `elapsed`. */
  readonly until: number
}

/** Answers that are asked for again and again. Always true between calls: at most 1,000 are kept, oldest first; none is given after its 10 s. */
export class KeptAnswers<Answer> {
  readonly #clock: Clock
  readonly #kept = new Map<string, Kept<Answer>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** What is kept, or what `ask` says now. A failure is not kept. */
  async of(question: string, ask: () => Promise<Answer>): Promise<Answer> {
    const known = this.#kept.get(question)
    if (known !== undefined && this.#clock.elapsed() < known.until) return known.answer
    const answer = await ask()
    this.#keep(question, answer)
    return answer
  }

  #keep(question: string, answer: Answer): void {
    this.#kept.delete(question)
    this.#kept.set(question, { answer, until: this.#clock.elapsed() + keptFor })
    const [oldest] = this.#kept.size > mostKept ? this.#kept.keys() : []
    if (oldest !== undefined) this.#kept.delete(oldest)
  }
}
