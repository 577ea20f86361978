import { LruCache } from "./recently-used.ts"
import { type SourcedEvent, sourceKey } from "./said.ts"

export interface SpamFilterOptions {
  readonly burst: number
  readonly refillEvery: number
  readonly cacheSize: number
}

/** A budget of events for each source and object. Always true between calls: a budget has between 0 and `burst` tokens. */
export class SpamFilter {
  readonly #options: SpamFilterOptions
  readonly #budgets: LruCache<{ readonly tokens: number; readonly at: number }>

  constructor(options: SpamFilterOptions) {
    this.#options = options
    this.#budgets = new LruCache(options.cacheSize)
  }

  allows(event: SourcedEvent, now: number): boolean {
    const { burst, refillEvery } = this.#options
    const key = sourceKey(event)
    const budget = this.#budgets.get(key) ?? { tokens: burst, at: now }
    const tokens = Math.min(burst, budget.tokens + Math.max(0, now - budget.at) / refillEvery)
    const passes = tokens >= 1
    this.#budgets.set(key, { tokens: passes ? tokens - 1 : tokens, at: now })
    return passes
  }
}
