import { LruCache } from "./recently-used.ts"
import { type SourcedEvent, sourceKey } from "./said.ts"

export interface MessageGroupsOptions {
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
export class MessageGroups {
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
