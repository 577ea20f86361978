import { type SourcedEvent, sourceKey } from "./sourced-event.ts"

/** A map that drops the least recently used entries. Invariant: at most `limit` entries, the least recently used first. */
class LruCache<Value> {
  readonly #limit: number
  readonly #entries = new Map<string, Value>()

  constructor(limit: number) {
    this.#limit = limit
  }

  get(key: string): Value | undefined {
    const value = this.#entries.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size <= this.#limit) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      return
    }
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }

  get size(): number {
    return this.#entries.size
  }
}

export interface CorrelatorOptions {
  /** Events of one source about one object before the filter drops; 25 by default. */
  readonly burst?: number
  /** Milliseconds until one more passes; 5 minutes by default. */
  readonly refillEvery?: number
  /** Different messages of one reason that become one combined event; 10 by default. */
  readonly messages?: number
  /** Milliseconds without a similar message after which the count restarts; 10 minutes by default. */
  readonly interval?: number
  /** Objects and events in the cache; 4096 by default. */
  readonly cacheSize?: number
}

/** An event with its count, as it is written to the server. */
export interface CountedEvent {
  readonly event: SourcedEvent
  /** The key of this event in the cache. */
  readonly key: string
  readonly name: string
  /** 1: it is new. More: the number of repetitions since `first`. */
  readonly count: number
  /** Milliseconds since 1970. */
  readonly first: number
  readonly last: number
}

type Known = Pick<CountedEvent, "name" | "count" | "first">

/**
 * Limits the writes of events, as client-go's EventCorrelator: one event for many similar messages,
 * a count for repetitions, a budget per source and object. Dropped events are counted: the next one that passes includes them.
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

  /** Returns the event to write; undefined when the budget of the object is used up. `newName` names a new event. */
  correlate(original: SourcedEvent, now: number, newName: () => string): CountedEvent | undefined {
    const { event, combined } = this.#groups.add(original, now)
    const key = [sourceKey(event), event.type, event.reason, combined ? "" : event.message].join("|")
    const before = this.#known.get(key)
    const known = before === undefined ? { name: newName(), count: 1, first: now } : { ...before, count: before.count + 1 }
    this.#known.set(key, known)
    return this.#filter.allows(event, now) ? { event, key, ...known, last: now } : undefined
  }

  /** It was not written: the next one is created again. */
  forget(key: string): void {
    this.#known.delete(key)
  }
}

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
 * Groups events that differ only in their message: "pulled image a", "pulled image b" … .
 * Invariant: a group has fewer than `messages` messages, the newest ones.
 */
class MessageGroups {
  readonly #options: MessageGroupsOptions
  readonly #groups: LruCache<Group>

  constructor(options: MessageGroupsOptions) {
    this.#options = options
    this.#groups = new LruCache(options.cacheSize)
  }

  /** Returns the event, or from the tenth different message on a combined one. */
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

/** A budget of events for each source and object. Invariant: a budget has between 0 and `burst` tokens. */
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
