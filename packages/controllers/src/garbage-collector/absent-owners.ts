import type { OwnerState } from "./owners.ts"

/** As upstream: enough for all owners that go at about the same time. */
const defaultLimit = 500

/**
 * Owners that the server does not have: a thousand pods of one ReplicaSet need not look it up a thousand times.
 * A uid never comes again, so what is absent stays absent. Invariant: at most `limit` are remembered, those asked for last.
 */
export class AbsentOwners {
  readonly #limit: number
  readonly #known = new Set<string>()
  readonly #asking = new Map<string, Promise<OwnerState>>()

  constructor(limit = defaultLimit) {
    this.#limit = limit
  }

  add(owner: string): void {
    this.#known.delete(owner)
    this.#known.add(owner)
    const [oldest] = this.#known
    if (this.#known.size > this.#limit && oldest !== undefined) this.#known.delete(oldest)
  }

  has(owner: string): boolean {
    if (!this.#known.has(owner)) return false
    this.add(owner)
    return true
  }

  /** The same question at the same time is asked once; that the owner is absent is remembered before another can be asked. */
  ask(owner: string, lookUp: () => Promise<OwnerState>): Promise<OwnerState> {
    const pending = this.#asking.get(owner) ?? this.#remember(owner, lookUp()).finally(() => this.#asking.delete(owner))
    this.#asking.set(owner, pending)
    return pending
  }

  async #remember(owner: string, answer: Promise<OwnerState>): Promise<OwnerState> {
    const state = await answer
    if (state === "absent") this.add(owner)
    return state
  }
}
