import { LruCache } from "./lru-cache.ts"
import { type SourcedEvent, sourceKey } from "./sourced-event.ts"

interface MessageGroupsOptions {
  readonly messages: number
  readonly interval: number
  readonly cacheSize: number
}

interface Group {
  readonly messages: Set<string>
  last: number
}

/**
 * Finds events that differ in nothing but their message: "pulled image a", "pulled image b" … .
 * Always true between calls: a group has fewer than `messages` messages, those that were last new.
 */
class MessageGroups {
  readonly #options: MessageGroupsOptions
  readonly #groups: LruCache<Group>

  constructor(options: MessageGroupsOptions) {
    this.#options = options
    this.#groups = new LruCache(options.cacheSize)
  }

  /** Gives the event back, or from the tenth different message on one that stands for all of them. */
  add(event: SourcedEvent, now: number): { readonly event: SourcedEvent; readonly combined: boolean } {
    const key = [sourceKey(event), event.type, event.reason].join("|")
    const known = this.#groups.get(key)
    const group = known === undefined || now - known.last > this.#options.interval ? { messages: new Set<string>(), last: now } : known
    this.#groups.set(key, group)
    group.last = now
    group.messages.add(event.message)
    if (group.messages.size < this.#options.messages) return { event, combined: false }
    for (const oldest of group.messages) {
      group.messages.delete(oldest)
      break
    }
    return { event: { ...event, message: `(combined from similar events): ${event.message}` }, combined: true }
  }
}

interface SpamFilterOptions {
  readonly burst: number
  readonly refillEvery: number
  readonly cacheSize: number
}

/** A budget of events for each source and object. Always true between calls: a budget has between 0 and `burst` tokens. */
class SpamFilter {
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

export interface CorrelatorOptions {
  /** Events of one source about one object before the filter closes; 25 unless told otherwise. */
  readonly burst?: number
  /** Milliseconds until one more may pass; 5 minutes unless told otherwise. */
  readonly refillEvery?: number
  /** So many different messages of one reason become one event that says so; 10 unless told otherwise. */
  readonly messages?: number
  /** Milliseconds without a similar message after which counting begins anew; 10 minutes unless told otherwise. */
  readonly interval?: number
  /** Objects and events remembered; 4096 unless told otherwise. */
  readonly cacheSize?: number
}

/** An event as it is to be on the server. */
export interface CountedEvent {
  readonly event: SourcedEvent
  /** Tells this event from others in the memory. */
  readonly key: string
  readonly name: string
  /** 1: it is new. More: so often it was said since `first`. */
  readonly count: number
  /** Milliseconds since 1970. */
  readonly first: number
  readonly last: number
}

type Known = Pick<CountedEvent, "name" | "count" | "first">

/**
 * Keeps a storm of events from becoming a storm of writes, as client-go does: one event for many similar messages,
 * a count for repetitions, a budget per source and object. What the budget drops is counted: the next one that passes tells of it.
 */
export class EventCorrelator {
  readonly #groups: MessageGroups
  readonly #filter: SpamFilter
  readonly #known: LruCache<Known>

  constructor(options: CorrelatorOptions = {}) {
    const { cacheSize = 4096 } = options
    this.#groups = new MessageGroups({ messages: 10, interval: 600_000, ...options, cacheSize })
    this.#filter = new SpamFilter({ burst: 25, refillEvery: 300_000, ...options, cacheSize })
    this.#known = new LruCache(cacheSize)
  }

  /** What is to be written; undefined when too much was said of the object. `newName` names an event that was not said before. */
  correlate(original: SourcedEvent, now: number, newName: () => string): CountedEvent | undefined {
    const { event, combined } = this.#groups.add(original, now)
    const key = [sourceKey(event), event.type, event.reason, combined ? "" : event.message].join("|")
    const before = this.#known.get(key)
    const known = before === undefined ? { name: newName(), count: 1, first: now } : { ...before, count: before.count + 1 }
    this.#known.set(key, known)
    return this.#filter.allows(event, now) ? { event, key, ...known, last: now } : undefined
  }

  /** It never came to the server: the next one is made anew. */
  forget(key: string): void {
    this.#known.delete(key)
  }
}
