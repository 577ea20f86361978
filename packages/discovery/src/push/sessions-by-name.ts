import type { Session } from "../session/session.ts"

/** A session by itself, or several: most of very many names have one subscriber each. */
export type Subscribers = Session | Set<Session>

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
