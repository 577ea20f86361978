import { RecentlyUsed } from "./recently-used.ts"
import { type Said, sourceKey } from "./said.ts"

export interface MessageGroupsOptions {
  readonly messages: number
  readonly interval: number
  readonly remembered: number
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
  readonly #groups: RecentlyUsed<Group>

  constructor(options: MessageGroupsOptions) {
    this.#options = options
    this.#groups = new RecentlyUsed(options.remembered)
  }

  /** Gives the event back, or from the tenth different message on one that stands for all of them. */
  add(said: Said, now: number): { readonly said: Said; readonly combined: boolean } {
    const key = [sourceKey(said), said.type, said.reason].join("|")
    const known = this.#groups.get(key)
    const group = known === undefined || now - known.last > this.#options.interval ? { messages: new Set<string>(), last: now } : known
    this.#groups.set(key, group)
    group.last = now
    group.messages.add(said.message)
    if (group.messages.size < this.#options.messages) return { said, combined: false }
    for (const oldest of group.messages) {
      group.messages.delete(oldest)
      break
    }
    return { said: { ...said, message: `(combined from similar events): ${said.message}` }, combined: true }
  }
}
