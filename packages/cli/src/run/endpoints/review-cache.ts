import type { Clock } from "@pilothouse/seams"

/** As upstream's components: longer, and a user who lost a right would keep it; not at all, and each scrape would cost the server two reviews. */
const defaultTtl = 10_000
const maxEntries = 1000

interface CachedReview<Answer> {
  readonly answer: Answer
  /** By the clock's `elapsed`. */
  readonly until: number
}

/** Answers that are asked for again and again. Always true between calls: at most 1,000 are kept, oldest forgotten first; none is given after its time. */
export class ReviewCache<Answer> {
  readonly #clock: Clock
  readonly #keptFor: number
  readonly #kept = new Map<string, CachedReview<Answer>>()

  /** `keptFor` is in milliseconds; 10 s by default. */
  constructor(clock: Clock, ttl = defaultTtl) {
    this.#clock = clock
    this.#keptFor = ttl
  }

  /** Undefined where none is kept. */
  get(question: string): Answer | undefined {
    const known = this.#kept.get(question)
    return known !== undefined && this.#clock.elapsed() < known.until ? known.answer : undefined
  }

  /** Instead of the one that is kept. */
  keep(question: string, answer: Answer): void {
    this.#kept.delete(question)
    this.#kept.set(question, { answer, until: this.#clock.elapsed() + this.#keptFor })
    const [oldest] = this.#kept.size > maxEntries ? this.#kept.keys() : []
    if (oldest !== undefined) this.#kept.delete(oldest)
  }
}
