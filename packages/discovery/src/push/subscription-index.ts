import type { Session } from "../session/session.ts"
import { type Kind, kinds } from "../xds/kinds.ts"
import type { Subscription } from "../xds/step.ts"

/** Sessions by the names that they subscribe to, so that a change visits only those. */
export class SubscriptionIndex {
  readonly #byName: Readonly<Record<Kind, SessionsByName>> = {
    cluster: new SessionsByName(),
    endpoint: new SessionsByName(),
    listener: new SessionsByName(),
    route: new SessionsByName(),
  }
  readonly #wildcard: Readonly<Record<Kind, Set<Session>>> = {
    cluster: new Set(),
    endpoint: new Set(),
    listener: new Set(),
    route: new Set(),
  }

  note(session: Session, kind: Kind, { wildcard, added, dropped }: Subscription): void {
    if (wildcard) this.#wildcard[kind].add(session)
    else this.#wildcard[kind].delete(session)
    for (const name of dropped) this.#byName[kind].delete(name, session)
    for (const name of added) this.#byName[kind].add(name, session)
  }

  /** Each step of the iteration removes one name of a session that is over; until the last step the session may still be visited. */
  *forget(session: Session): IterableIterator<void, void> {
    for (const kind of kinds) this.#wildcard[kind].delete(session)
    for (const kind of kinds)
      for (const name of session.watches[kind].names) {
        this.#byName[kind].delete(name, session)
        yield
      }
  }

  /** Visits the subscribers of a name, each once. Allocates nothing: a change goes to thousands of clients. */
  visit(kind: Kind, name: string, tell: (session: Session) => void): void {
    const named = this.#byName[kind].get(name)
    const all = this.#wildcard[kind]
    if (named instanceof Set) for (const session of named) tell(session)
    else if (named !== undefined) tell(named)
    if (all.size === 0) return
    for (const session of all) if (named instanceof Set ? !named.has(session) : named !== session) tell(session)
  }
}

/** A session by itself, or several: most of very many names have one subscriber each. */
type Subscribers = Session | Set<Session>

const shardCount = 256

/**
 * The sessions of each name, in a fixed number of maps. A map of V8 is copied whenever its size doubles or shrinks, in one turn of the event loop: one of two
 * million names takes a third of a second, one of 256 a millisecond.
 */
export class SessionsByName {
  readonly #shards: readonly Map<string, Subscribers>[] = Array.from({ length: shardCount }, () => new Map())

  get(name: string): Subscribers | undefined {
    return this.#shardOf(name).get(name)
  }

  add(name: string, session: Session): void {
    const shard = this.#shardOf(name)
    const known = shard.get(name)
    if (known === undefined) shard.set(name, session)
    else if (known instanceof Set) known.add(session)
    else if (known !== session) shard.set(name, new Set([known, session]))
  }

  delete(name: string, session: Session): void {
    const shard = this.#shardOf(name)
    const known = shard.get(name)
    if (known instanceof Set) known.delete(session)
    if (known === session || (known instanceof Set && known.size === 0)) shard.delete(name)
  }

  /** How many names the fullest shard has. */
  get largestShard(): number {
    return this.#shards.reduce((largest, { size }) => Math.max(largest, size), 0)
  }

  #shardOf(name: string): Map<string, Subscribers> {
    let hash = name.length
    for (let at = 0; at < name.length; at++) hash = (Math.imul(hash, 31) + name.charCodeAt(at)) | 0
    // The low bits alone hardly differ between names that differ at their end.
    return this.#shards[(hash ^ (hash >>> 8) ^ (hash >>> 16)) & (shardCount - 1)]!
  }
}
